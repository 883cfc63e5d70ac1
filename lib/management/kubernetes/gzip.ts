import { LIMITS } from "../../openapi/source.ts";

/** Compresses a text: the same text gives the same bytes. @returns Base64 of gzip (RFC 1952). */
export async function compress(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const packed = new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip")));
  return (await packed.bytes()).toBase64();
}

/**
 * Reads a compressed text.
 *
 * @throws {RangeError} When it is not base64 of gzip, not UTF-8, or larger than any definition that is read.
 */
export async function decompress(packed: string): Promise<string> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = Uint8Array.fromBase64(packed);
  } catch (error) {
    throw new RangeError("It is not base64.", { cause: error });
  }
  // A byte order mark is a part of the text.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  let size = 0;
  try {
    for await (const chunk of new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))) {
      size += chunk.length;
      if (size > LIMITS.bytes) break;
      text += decoder.decode(chunk, { stream: true });
    }
    if (size <= LIMITS.bytes) return text + decoder.decode();
  } catch (error) {
    throw new RangeError("It is not gzip of a text in UTF-8.", { cause: error });
  }
  throw new RangeError(`It has more than ${LIMITS.bytes} bytes when it is unpacked.`);
}
