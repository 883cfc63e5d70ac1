/**
 * The text of a definition in the `spec` of an API: plain, or compressed if it is large.
 *
 * @module
 */
import type { ObjectName } from "../gateway/resource.ts";
import { StoreError } from "../gateway/store_error.ts";
import { readBytes, TooLargeError } from "../http/content_coding.ts";
import { LIMITS } from "../openapi/reading.ts";
import { messageOf } from "../http/message.ts";
import { MOST_PACKED } from "./crds/api_schema.ts";
import type { ApiObject, ApiObjectSpec } from "./custom_resource.ts";

/** The largest definition that is stored without compression, in bytes. */
const MOST_PLAIN_BYTES = 256 * 1024;

/**
 * Makes the fields of `spec` for the text of a definition.
 *
 * @throws {StoreError} With the reason `full`, when the definition is too large for an object of a cluster.
 */
export async function textFields(
  openapi: string,
  { namespace, name }: ObjectName,
): Promise<Pick<ApiObjectSpec, "openapi" | "openapiGzip">> {
  // A UTF-16 code unit takes at most three bytes in UTF-8, so that a short text need not be encoded to count its bytes.
  const isSmall = openapi.length * 3 <= MOST_PLAIN_BYTES;
  if (isSmall || new TextEncoder().encode(openapi).length <= MOST_PLAIN_BYTES) return { openapi };
  const openapiGzip = await compress(openapi);
  if (openapiGzip.length <= MOST_PACKED) return { openapiGzip };
  const message =
    `The definition of ${namespace}/${name} takes ${openapiGzip.length} bytes even when it is compressed; ` +
    `an object of a cluster has room for ${MOST_PACKED}. Leave examples out, or divide it into several APIs.`;
  throw new StoreError("full", message);
}

/**
 * Reads the text of an API's definition.
 *
 * @throws {RangeError} When `openapiGzip` can't be read. The message says why, without the name of the object.
 */
export async function definitionOf({ spec: { openapi, openapiGzip } }: ApiObject): Promise<string> {
  if (openapi !== undefined || openapiGzip === undefined) return openapi ?? "";
  try {
    return await decompress(openapiGzip);
  } catch (error) {
    const reason = messageOf(error);
    throw new RangeError(`spec.openapiGzip can't be read. ${reason}`, { cause: error });
  }
}

/**
 * Compresses a text to base64 of gzip (RFC 1952). Equal texts have equal results, so that a deployment without a change
 * changes no object.
 */
async function compress(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const packed = new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip")));
  return (await packed.bytes()).toBase64();
}

/**
 * Decompresses a text.
 *
 * @throws {RangeError} When it is not base64 of gzip, not UTF-8, or larger than the limit for definitions.
 */
async function decompress(packed: string): Promise<string> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = Uint8Array.fromBase64(packed);
  } catch (error) {
    throw new RangeError("It is not base64.", { cause: error });
  }
  try {
    const unpacked = await readBytes(new Blob([bytes]).stream(), LIMITS.bytes, { codings: ["gzip"] });
    // A byte order mark is a part of the text, and kept.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(unpacked);
  } catch (error) {
    if (error instanceof TooLargeError) {
      throw new RangeError(`It has more than ${LIMITS.bytes} bytes when it is unpacked.`, { cause: error });
    }
    throw new RangeError("It is not gzip of a text in UTF-8.", { cause: error });
  }
}
