import { parseDocument } from "../../../lib/openapi/document.ts";
import { child } from "../../../lib/schema/json/node.ts";
import type { BodyContext } from "../../../lib/wire/body.ts";

/** The context of encoding or decoding a body with the schema `Body`, in a document with all given schemas. */
export async function contextOf(
  schemas: { Body?: unknown; [name: string]: unknown },
  { version = "3.1.1", mediaTypeObject = {} }: { version?: string; mediaTypeObject?: object } = {},
): Promise<BodyContext> {
  const reference = "Body" in schemas ? { schema: { $ref: "#/components/schemas/Body" } } : {};
  const text = JSON.stringify({
    openapi: version,
    info: { title: "Bodies", version: "1.0.0" },
    paths: {},
    components: { schemas, responses: { OK: { content: { "*/*": { ...reference, ...mediaTypeObject } } } } },
  });
  const document = await parseDocument(text);
  const responses = child(child(document.root, "components"), "responses");
  const media = child(child(child(responses, "OK"), "content"), "*/*");
  const schema = child(media, "schema");
  return { document, schema: schema.value === undefined ? undefined : schema, mediaTypeObject: media };
}
