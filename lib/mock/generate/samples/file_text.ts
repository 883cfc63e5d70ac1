import { encodeBase64 } from "../../../http/base64.ts";
import { essence, parseMediaType } from "../../../http/media_type.ts";
import type { Schema } from "../../../schema/schema.ts";
import { contentEncodingOf } from "../../../wire/binary.ts";
import { sampleFile, sampleOf } from "../../../wire/sample_files.ts";

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
    if (alphabet === undefined) {
      const text = sampleOf(name)?.text;
      if (text !== undefined) return text;
    } else {
      const bytes = sampleFile(name);
      if (bytes !== undefined) return encodeBase64(bytes, alphabet);
    }
  }
  return undefined;
}
