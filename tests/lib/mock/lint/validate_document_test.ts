import assert from "node:assert/strict";
import fc from "fast-check";
import { validateDocument } from "../../../../lib/mock/lint/validate_document.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { isObject } from "../../../../lib/schema/json/node.ts";
import { runs } from "../../../runs.ts";

const TODO = await Deno.readTextFile(new URL("../../../data/todo.yaml", import.meta.url));

Deno.test("validateDocument() reports nothing for the sample", async () => {
  assert.deepEqual(await validateDocument(await parseDocument(TODO)), []);
});

Deno.test("validateDocument() reports each diagnostic once, in the order of the text, the root file first", async () => {
  const texts: Record<string, string> = {
    "file:///main.yaml": `
paths:
  /b: { $ref: part.yaml }
  /a: { gett: {}, x-svc: { mokcing: {} } }
openapi: 3.1.0
`,
    "file:///part.yaml": "gett: {}\n",
  };
  const load = (uri: string): Promise<Uint8Array> => Promise.resolve(new TextEncoder().encode(texts[uri] ?? ""));
  const uri = "file:///main.yaml";
  const document = await parseDocument(texts[uri] ?? "", { uri, load });
  const told = (await validateDocument([document, document])).map(({ uri, line, code }) => `${uri}:${line} ${code}`);
  assert.deepEqual(told, [
    "file:///main.yaml:2 missing-field",
    "file:///main.yaml:4 unknown-field",
    "file:///main.yaml:4 unknown-extension-key",
    "file:///part.yaml:1 unknown-field",
  ]);
});

Deno.test("validateDocument() reports only syntax errors for a text that has any", async () => {
  const diagnostics = await validateDocument(await parseDocument("openapi: 3.1.0\ninfo: {title: Pets\npaths: []\n"));
  assert.ok(diagnostics.length > 0);
  assert.ok(diagnostics.every(({ code }) => code === "syntax"));
});

Deno.test("validateDocument() doesn't report unsatisfiable schemas in a text with a stray bracket", async () => {
  for (
    const broken of [
      "enum: [] ]",
      "enum: [] } ]",
      "minimum: 1, maximum: 0 ]",
      "type: integer } ], minimum: 1, maximum: 0",
    ]
  ) {
    const diagnostics = await validateDocument(
      await parseDocument(`
openapi: 3.1.0
info: { title: Pets, version: "1" }
paths:
  /pets:
    x-svc: { mocking: { enabled: true } }
    get:
      responses:
        "200":
          description: Pets.
          content: { application/json: { schema: { $ref: "#/components/schemas/Pet" } } }
components:
  schemas:
    Pet:
      required: [id]
      properties:
        id: { type: integer, ${broken} }
`),
    );
    assert.deepEqual([...new Set(diagnostics.map(({ code }) => code))], ["syntax"], broken);
  }
});

/** Values of various types. Each is put in the place of every value of a definition, where most are of a wrong type. */
const JUNK = [
  null,
  0,
  -1.5,
  "",
  "x",
  true,
  [],
  [null],
  {},
  { "": 1 },
  { $ref: "#" },
  { $ref: "#/paths" },
  { $ref: 1 },
  { "x-svc": { mocking: 1, path: [], upstreams: [{}] } },
  { oneOf: 1, discriminator: { mapping: { a: 1 } } },
  { allOf: [{ $ref: "#/components/schemas/Todo" }], properties: [] },
];

Deno.test("validateDocument() reports well-formed messages for randomly damaged definitions", async () => {
  const { written } = await parseDocument(TODO);
  const places = placesIn(written.value);
  const edit = fc.record({
    place: fc.constantFrom(...places),
    by: fc.constantFrom("delete", "rename", "replace"),
    junk: fc.constantFrom(...JUNK),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), async (edits) => {
      const definition: unknown = structuredClone(written.value);
      for (const { place, by, junk } of edits) change(definition, place, by, junk);
      const diagnostics = await validateDocument(await parseDocument(JSON.stringify(definition)));
      for (const { message, line, column } of diagnostics) {
        assert.match(message, /^[A-Z`].*[.?]$/s);
        assert.doesNotMatch(message, /undefined|\[object|NaN/);
        assert.ok(line >= 1 && column >= 1);
      }
    }),
    runs(60),
  );
});

/** The paths to all values inside a value, as lists of keys. */
function placesIn(value: unknown, place: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [[...place, key], ...placesIn(part, [...place, key])]);
}

function change(root: unknown, place: readonly string[], by: string, junk: unknown): void {
  const [last = "", ...parents] = place.toReversed();
  let parent = root;
  for (const key of parents.reverse()) {
    parent = isObject(parent) || Array.isArray(parent) ? Reflect.get(parent, key) : undefined;
  }
  if (!isObject(parent) || !Object.hasOwn(parent, last)) return;
  const value = parent[last];
  if (by !== "replace") delete parent[last];
  if (by === "rename") parent[`${last}x`] = value;
  if (by === "replace") parent[last] = junk;
}
