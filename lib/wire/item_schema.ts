import type { MediaType } from "../http/media_type.ts";
import { child, type Node } from "../schema/node.ts";
import { schemaTypes } from "./schema_types.ts";
import type { BodyContext } from "./body.ts";
import { type Format, formatOf } from "./format.ts";

/** Formats whose bodies are a sequence of items and nothing else. */
const SEQUENCES: ReadonlySet<Format> = new Set(["csv", "event-stream", "json-lines", "json-seq"]);

/**
 * Finds the schema of each item of a body that is a sequence: its `itemSchema`; or its `schema`, where that is about an
 * object and the media type is a sequence, as authors write who know of no `itemSchema`, which came with OpenAPI 3.2.
 *
 * @returns `undefined` where `schema` is about the whole body, or there is none.
 */
export function itemSchemaOf(
  mediaType: MediaType,
  { document, schema, mediaTypeObject }: BodyContext,
): Node | undefined {
  if (schema?.value === undefined) {
    const itemSchema = mediaTypeObject && child(mediaTypeObject, "itemSchema");
    return itemSchema?.value === undefined ? undefined : itemSchema;
  }
  if (!SEQUENCES.has(formatOf(mediaType))) return undefined;
  const { allowed } = schemaTypes(document, schema);
  return allowed.has("object") && !allowed.has("array") ? schema : undefined;
}
