import assert from "node:assert/strict";
import { parseMediaType } from "../../../lib/http/media_type.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";
import { child } from "../../../lib/schema/json/node.ts";
import { readHints } from "../../../lib/schema/hints.ts";
import { itemSchemaOf } from "../../../lib/wire/sequences.ts";

const DEFINITION = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths: {}
components: {mediaTypes: {Pets: {schema: {type: object}}}}
`;

Deno.test("itemSchemaOf() uses the hints only for a sequence", async () => {
  const document = await parseDocument(DEFINITION);
  const mediaTypeObject = child(child(child(document.root, "components"), "mediaTypes"), "Pets");
  const hints = readHints(document, child(mediaTypeObject, "schema"), "request");
  const unread = Object.create(hints, { alternatives: { get: () => assert.fail("The schema is read.") } });
  const [json, lines] = ["application/json", "application/x-ndjson"].map(parseMediaType);
  assert.ok(json && lines);
  assert.equal(itemSchemaOf(json, unread, mediaTypeObject), undefined);
  assert.equal(itemSchemaOf(lines, hints, mediaTypeObject)?.pointer, "/components/mediaTypes/Pets/schema");
});
