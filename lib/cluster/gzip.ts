import { readBytes, TooLargeError } from "../http/content_coding.ts";
import { LIMITS } from "../openapi/source.ts";

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
  try {
    const unpacked = await readBytes(new Blob([bytes]).stream(), LIMITS.bytes, ["gzip"]);
    // A byte order mark is a part of the text.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(unpacked);
  } catch (error) {
    if (error instanceof TooLargeError) {
      throw new RangeError(`It has more than ${LIMITS.bytes} bytes when it is unpacked.`, { cause: error });
    }
    throw new RangeError("It is not gzip of a text in UTF-8.", { cause: error });
  }
}
