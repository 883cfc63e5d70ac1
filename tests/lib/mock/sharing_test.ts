import assert from "node:assert/strict";
import fc from "fast-check";
import { createBodyGenerator } from "../../../lib/mock/generate/generate.ts";
import { createMock } from "../../../lib/mock/mock.ts";
import { validateDocument } from "../../../lib/mock/lint/validate_document.ts";
import { type Document, parseDocument } from "../../../lib/openapi/document.ts";
import { loadFormats } from "../../../lib/schema/format.ts";
import { createValidator } from "../../../lib/schema/validator.ts";
import { lookUp } from "../../../lib/schema/json/reference.ts";
import type { Node } from "../../../lib/schema/json/node.ts";
import { loadPatternReader } from "../../../lib/regexp/pattern.ts";
import { createAjvValidator } from "../schema/ajv_validator.ts";
import { createSchemaReader } from "../../../lib/schema/schema_reader.ts";
import { withinSteps } from "../../../lib/regexp/steps.ts";
import { runs } from "../../runs.ts";
import { SHARING_TEXTS } from "../openapi/sharing_texts.ts";
import { sharingSchemas, sharingValues } from "./sharing_schema.ts";

const LEVELS = 28;

Deno.test("schemas that share others are answered from, and check requests", async (t) => {
  const NO_BODY = /^500 .*No body of GET \/a (was found that fits|can fit) its schema: .*\(at \//;
  const cases: readonly (readonly [name: string, get: RegExp, post: RegExp])[] = [
    ["allOf of the same twice", /^200 "cedar"$/, /^422 .*Request body must be string/],
    ["allOf of the same twice, in OpenAPI 3.0", /^200 "cedar"$/, /^422 .*Request body must be string/],
    ["allOf in a cycle", /^200 \{\}$/, /^422 .*Request body/],
    ["anyOf of the same twice", /^200 "cedar"$/, /^422 .*Request body must be string/],
    ["anyOf of the same twice, that nothing fits", NO_BODY, /^422 .*Request body must be string/],
    ["not of allOf", /^200 "cedar"$/, /^(200|422) /],
    ["properties and patterns of their names", /^200 /, /^422 .*property a\.a\./],
    ["a chain of 5,000 schemas by allOf", NO_BODY, /^422 .*can't be checked: its schema \(\/paths/],
    ["YAML aliases of allOf", /^200 "cedar"$/, /^422 .*Request body must be string/],
  ];
  for (const [name, get, post] of cases) {
    await t.step(name, async () => {
      const hostile = SHARING_TEXTS.find((text) => text.name === name);
      assert.ok(hostile);
      const mock = createMock(await parseDocument(hostile.text()), { validate: "error" });
      const answer = await mock(new Request("http://localhost/a"));
      assert.match(`${answer.status} ${await answer.text()}`, get);
      const body = hostile.request?.body?.() ?? "1";
      const headers = { "content-type": "application/json" };
      const checked = await mock(new Request("http://localhost/a", { method: "POST", headers, body }));
      assert.match(`${checked.status} ${await checked.text()}`, post);
    });
  }
});

Deno.test("a generation beyond the step budget is reported with its schema, deterministically", async () => {
  const text = SHARING_TEXTS.find(({ name }) => name === "anyOf of the same twice, that nothing fits")?.text() ?? "";
  const document = await parseDocument(text);
  const found = await validateDocument(document);
  assert.match(found.find(({ code }) => code === "impossible-body")?.message ?? "", /too many ways.*\(\/paths\//);
  const generator = await createBodyGenerator(document);
  const fresh = await createBodyGenerator(document);
  const top = schemaAt(document, LEVELS);
  const other = schemaAt(document, LEVELS / 2);
  generator.generate(other);
  assert.deepEqual(generator.generate(top), fresh.generate(top));
  assert.deepEqual(generator.generate(top), fresh.generate(top));
});

Deno.test("a value is validated against a schema once, however many references lead to it", async () => {
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const schemas = Object.fromEntries(Array.from({ length: LEVELS + 1 }, (_, level) => {
      const below = { $ref: `#/components/schemas/S${level - 1}` };
      return [`S${level}`, level === 0 ? { type: "string" } : { [keyword]: [below, below] }];
    }));
    const document = await documentOf(schemas);
    const schema = createSchemaReader(document, "response").read(schemaAt(document, LEVELS));
    const steps = { left: 10_000 };
    const { isValid } = createValidator(await loadFormats(), await loadPatternReader(), steps);
    assert.equal(isValid("a", schema), keyword !== "oneOf");
    assert.equal(isValid(1, schema), false);
  }
});

Deno.test("a memoising validator agrees with one that doesn't memoise, and with Ajv", async () => {
  const [formats, readPattern] = [await loadFormats(), await loadPatternReader()];
  await fc.assert(
    fc.asyncProperty(sharingSchemas(5), sharingValues, async (schemas, value) => {
      const document = await documentOf(schemas);
      const node = schemaAt(document, 5);
      const steps = { left: 200_000 };
      const { read } = createSchemaReader(document, "response");
      const plain = createValidator(formats, readPattern, steps, Infinity);
      const expected = withinSteps<boolean | "unknown">(() => plain.isValid(value, read(node)), () => "unknown");
      fc.pre(expected !== "unknown");
      assert.equal(createValidator(formats, readPattern, undefined, 0).isValid(value, read(node)), expected);
      if (ajvIsWrong(schemas)) return;
      const found = (await createAjvValidator(document)).checkOf(node, "response")(value);
      assert.equal(found.length === 0, expected, JSON.stringify(found));
    }),
    runs(75),
  );
});

Deno.test("a body of any schema that shares others fits it, or there is none", async () => {
  const [formats, readPattern] = [await loadFormats(), await loadPatternReader()];
  await fc.assert(
    fc.asyncProperty(sharingSchemas(LEVELS), async (schemas) => {
      const document = await documentOf(schemas);
      const node = schemaAt(document, LEVELS);
      const body = (await createBodyGenerator(document)).generate(node);
      if (body.kind === "impossible") return;
      const { isValid } = createValidator(formats, readPattern);
      assert.ok(isValid(body.value, createSchemaReader(document, "response").read(node)));
      if (ajvIsWrong(schemas)) return;
      assert.deepEqual((await createAjvValidator(document)).checkOf(node, "response")(body.value), []);
    }),
    runs(25),
  );
});

/** Ajv has a bug: it forgets which items were evaluated by a subschema that contains references. */
function ajvIsWrong(schemas: Record<string, unknown>): boolean {
  return JSON.stringify(schemas).includes("unevaluated");
}

function documentOf(schemas: Record<string, unknown>): Promise<Document> {
  return parseDocument(JSON.stringify({ openapi: "3.1.0", paths: {}, components: { schemas } }));
}

function schemaAt(document: Document, level: number): Node {
  const schema = lookUp(document, `${document.uri}#/components/schemas/S${level}`);
  assert.ok(schema);
  return schema;
}
