import type { Bytes } from "./handler.ts";
import { latin1Bytes, latin1Text } from "./latin1.ts";

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
export function decodeBase64(text: string): Bytes | undefined {
  try {
    return latin1Bytes(atob(text.replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return undefined;
  }
}
