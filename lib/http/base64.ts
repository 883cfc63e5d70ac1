/** The most bytes in one call of `String.fromCharCode`, which has each as an argument. */
const PIECE = 0x2000;

/**
 * Bytes in base64 (RFC 4648, section 4), or in base64url without padding (section 5). `Uint8Array.prototype.toBase64` is
 * missing in Node.js 24 and in browsers of 2024.
 */
export function encodeBase64(bytes: Uint8Array, alphabet: "base64" | "base64url" = "base64"): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += PIECE) binary += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  const encoded = btoa(binary);
  if (alphabet === "base64") return encoded;
  return encoded.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
