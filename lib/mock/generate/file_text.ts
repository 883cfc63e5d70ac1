import { essence, parseMediaType } from "../../http/media_type.ts";
import type { Schema } from "../../schema/schema.ts";
import { contentEncodingOf } from "../../wire/binary.ts";
import { sampleFile, sampleOf } from "../../wire/sample_files.ts";

/**
 * The sample file that a string holds, in base64 or as it is, as `contentMediaType` and `contentEncoding` of its schemas
 * say; `undefined` if no schema says so, or if there is no sample file.
 */
export function fileTextOf(schemas: readonly Schema[]): string | undefined {
  for (const { contentMediaType } of schemas) {
    const mediaType = contentMediaType === undefined ? undefined : parseMediaType(contentMediaType);
    if (mediaType === undefined) continue;
    const name = essence(mediaType);
    const alphabet = contentEncodingOf(schemas);
    const text = alphabet === undefined ? sampleOf(name)?.text : sampleFile(name)?.toBase64({ alphabet });
    if (text !== undefined) return text;
  }
  return undefined;
}
