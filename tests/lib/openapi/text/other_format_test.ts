import assert from "node:assert/strict";
import { parseDocument } from "../../../../lib/openapi/document.ts";

const POSTMAN = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

const CASES: { text: unknown; says: string }[] = [
  { text: { info: { name: "Shop", schema: POSTMAN }, item: [] }, says: "it is a Postman collection." },
  { text: { info: { _postman_id: "1", name: "Shop" }, item: [] }, says: "it is a Postman collection." },
  { text: { collection: { info: { schema: POSTMAN } } }, says: "it is a Postman collection." },
  { text: { id: "1", requests: [], order: [] }, says: "it is a Postman collection." },
  { text: { values: [], _postman_variable_scope: "environment" }, says: "it is a Postman environment." },
  { text: { log: { version: "1.2", entries: [] } }, says: "it is an HTTP Archive (HAR)." },
  {
    text: { asyncapi: "3.0.0", info: { title: "A", version: "1" }, channels: {} },
    says: "it is an AsyncAPI document.",
  },
  { text: { _type: "export", __export_format: 4, resources: [] }, says: "it is an export of Insomnia." },
  { text: { type: "collection.insomnia.rest/5.0", name: "Shop" }, says: "it is an export of Insomnia." },
  { text: { lastMigration: 32, routes: [] }, says: "it is an environment file of Mockoon. gw convert FILE" },
  { text: { overlay: "1.0.0", info: {}, actions: [] }, says: "it is an overlay. Name it with --overlay" },
  { text: { arazzo: "1.0.0", workflows: [] }, says: "it is an Arazzo document." },
  { text: { kind: "discovery#restDescription" }, says: "it is a Google API Discovery document." },
  { text: { data: { __schema: {} } }, says: "it is a GraphQL schema." },
  { text: { name: "shop", scripts: {} }, says: "it is a package.json." },
  { text: { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" }, says: "it is a JSON Schema." },
  { text: { "x-svc": { upstream: {} } }, says: "--static-route deploys it." },
  {
    text: { info: { title: "A", version: "1" }, paths: {} },
    says: "the field `openapi`, such as `openapi: 3.1.0`, is",
  },
  { text: { a: 1 }, says: "the field `openapi`, such as `openapi: 3.1.0`, is missing." },
];

for (const { text, says } of CASES) {
  Deno.test(`a text that is no definition: ${JSON.stringify(text).slice(0, 70)}`, async () => {
    const { diagnostics: [first, ...others] } = await parseDocument(JSON.stringify(text));
    assert.deepEqual(others, []);
    assert.equal(first?.code, "not-openapi");
    assert.ok(first?.message.startsWith(`This is not an OpenAPI definition: ${says}`) || first?.message.includes(says));
  });
}

Deno.test("a definition with the keys of another format stays a definition", async () => {
  const text = { openapi: "3.1.0", info: { title: "A", version: "1", _postman_id: "1" }, paths: {}, asyncapi: "3.0.0" };
  assert.deepEqual((await parseDocument(JSON.stringify(text))).diagnostics.map(({ code }) => code), []);
});
