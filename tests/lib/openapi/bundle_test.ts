import assert from "node:assert/strict";
import { bundle } from "../../../lib/openapi/bundle.ts";
import { type Document, parseDocument } from "../../../lib/openapi/document.ts";

const HEAD = 'openapi: 3.1.0\ninfo: {title: Pets, version: "1"}\n';

/** Parses the definition `main.yaml` with the texts that it refers to. */
function read(main: string, others: Record<string, string> = {}): Promise<Document> {
  return parseDocument(HEAD + main, {
    uri: "file:///api/main.yaml",
    load: (uri) => {
      const text = others[uri.replace("file:///api/", "")];
      return text === undefined
        ? Promise.reject(new Error("no such file"))
        : Promise.resolve(new TextEncoder().encode(text));
    },
  });
}

Deno.test("bundle() makes one text of several, and keeps the target of each reference", async () => {
  const document = await read(
    `components:
  schemas:
    Pet: {discriminator: {propertyName: kind, mapping: {cat: "more/cat.yaml", dog: Dog}}}
    Dog: {$ref: "more/cat.yaml#/properties/friend"}
    Note: {example: {$ref: "more/cat.yaml", a: 1}, properties: {example: {$ref: "more/cat.yaml"}}}
    Lost: {$ref: "nowhere.yaml"}
`,
    { "more/cat.yaml": 'properties: {friend: {$ref: "../main.yaml#/components/schemas/Pet"}, self: {$ref: "#"}}' },
  );
  const { text = "" } = bundle(document) ?? {};
  const { components: { schemas }, ...rest } = JSON.parse(text);
  assert.deepEqual(schemas, {
    Pet: { discriminator: { propertyName: "kind", mapping: { cat: "#/x-bundled/0", dog: "Dog" } } },
    Dog: { $ref: "#/x-bundled/0/properties/friend" },
    Note: { example: { $ref: "more/cat.yaml", a: 1 }, properties: { example: { $ref: "#/x-bundled/0" } } },
    Lost: { $ref: "nowhere.yaml" },
  });
  assert.deepEqual(rest["x-bundled"], [
    { properties: { friend: { $ref: "#/components/schemas/Pet" }, self: { $ref: "#/x-bundled/0" } } },
  ]);
});

Deno.test("bundle() gives the origin of a value", async () => {
  const document = await read('x-bundled: 1\npaths: {/pets: {$ref: "pets.yaml#/a~1b"}}', {
    "pets.yaml": "a/b: {get: {}}",
  });
  const bundled = bundle(document);
  const place = bundled?.originOf("/x-bundled-/0/a~1b/get");
  assert.equal(place?.source.uri, "file:///api/pets.yaml");
  assert.equal(place?.pointer, "/a~1b/get");
  assert.equal(bundled?.originOf("/paths/~1pets").pointer, "/paths/~1pets");
});

Deno.test("bundle() gives nothing for a definition of one text, or with $id or $anchor", async () => {
  assert.equal(bundle(await read("paths: {}")), undefined);
  const named = 'components: {schemas: {A: {$id: "https://a.example/a", $ref: "file:///api/b.yaml"}}}';
  assert.equal(bundle(await read(named, { "b.yaml": "type: string" })), undefined);
});
