import assert from "node:assert/strict";
import { createBodyGenerator } from "../../../../lib/mock/generate/generate.ts";
import { createValidator } from "../../../../lib/schema/validator.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { loadFormats } from "../../../../lib/schema/format.ts";
import { child } from "../../../../lib/schema/node.ts";
import { loadPatternReader } from "../../../../lib/regexp/pattern.ts";
import { createAjvValidator } from "../../schema/ajv_validator.ts";
import { createSchemaReader } from "../../../../lib/schema/schema_reader.ts";

/** A schema of the suite, and values that it allows or refuses. */
interface Case {
  description: string;
  schema: unknown;
  tests: { description: string; data: unknown; valid: boolean }[];
}

const SUITE = new URL("../../../data/json_schema_test_suite/", import.meta.url);

/** What our validator decides otherwise than the suite, by file, case and value. */
const JUDGE_DIFFERS = [
  /^optional\/format\/email\.json: .*(quoted string|address-literal)/,
  /^optional\/format\/idn-hostname\.json: /,
  /^optional\/format\/iri\.json: .*invalid IRI based on IPv6/,
  /^optional\/float-overflow\.json: /,
  /^optional\/unknownKeyword\.json: /,
];

/** What Ajv decides otherwise besides. */
const AJV_DIFFERS = [
  /^multipleOf\.json: float division = inf/,
  /^(required|properties)\.json: .*__proto__/,
  /^unevaluatedItems\.json: unevaluatedItems with nested items/,
  /^unevaluatedItems\.json: unevaluatedItems depends on /,
  /^unevaluatedItems\.json: unevaluatedItems and contains interact/,
];

function* listFiles(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(new URL(folder, SUITE))) {
    if (isDirectory) yield* listFiles(`${folder}${name}/`);
    else if (name.endsWith(".json")) yield `${folder}${name}`;
  }
}

for (const file of [...listFiles("")].sort()) {
  Deno.test(`JSON Schema Test Suite, ${file}`, async () => {
    const cases: Case[] = JSON.parse(Deno.readTextFileSync(new URL(file, SUITE)));
    for (const one of cases) await examine(file, one);
  });
}

/** Asks both validators for each value of a case, and makes bodies for its schema. */
async function examine(file: string, { description, schema, tests }: Case): Promise<void> {
  const isNamed = typeof schema !== "object" || schema === null || "$id" in schema;
  const Main = isNamed ? schema : { $id: "https://example.com/main", ...schema };
  const document = await parseDocument(
    JSON.stringify({ openapi: "3.1.0", paths: {}, components: { schemas: { Main } } }),
  );
  // Some cases need other servers.
  if (document.missing.length > 0) return;
  const node = child(child(child(document.root, "components"), "schemas"), "Main");
  const read = createSchemaReader(document, "response").read(node);
  const { isValid } = createValidator(await loadFormats(), await loadPatternReader());
  const remembering = createValidator(await loadFormats(), await loadPatternReader(), {
    left: Infinity,
  }, 0);
  const check = (await createAjvValidator(document)).checkOf(node, "response");
  for (const test of tests) {
    const name = `${file}: ${description}: ${test.description}`;
    if (JUDGE_DIFFERS.some((pattern) => pattern.test(name))) continue;
    assert.equal(isValid(test.data, read), test.valid, name);
    assert.equal(remembering.isValid(test.data, read), test.valid, name);
    if (!AJV_DIFFERS.some((pattern) => pattern.test(name))) {
      assert.equal(check(test.data).length === 0, test.valid, name);
    }
  }

  const generator = await createBodyGenerator(document);
  for (const seed of [0, 1, 2, 3]) {
    const name = `${file}: ${description}: seed ${seed}`;
    const body = generator.generate(node, { seed });
    if (body.kind === "impossible") {
      assert.ok(tests.every(({ valid }) => !valid), `${name}: ${body.reason}`);
      assert.ok(body.proven, `${name}: ${body.reason}`);
      continue;
    }
    assert.deepEqual(JSON.parse(JSON.stringify(body.value)), body.value, name);
    assert.ok(isValid(body.value, read), name);
    if (!AJV_DIFFERS.some((pattern) => pattern.test(name))) assert.deepEqual(check(body.value), [], name);
  }
}
