import { latin1Text } from "./latin1.ts";

/**
 * Encodes bytes as base64 (RFC 4648, section 4), or as base64url without padding (section 5).
 * `Uint8Array.prototype.toBase64` would do this, but Node.js 24 and browsers of 2024 don't have it.
 */
export function encodeBase64(bytes: Uint8Array, alphabet: "base64" | "base64url" = "base64"): string {
  const encoded = btoa(latin1Text(bytes));
  if (alphabet === "base64") return encoded;
  return encoded.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Decodes base64 or base64url, with or without padding; `undefined` for another text. `Uint8Array.fromBase64` would do
 * this, but Node.js 24 and browsers of 2024 don't have it.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (byte) => byte.charCodeAt(0));
  } catch {
    return undefined;
  }
}
