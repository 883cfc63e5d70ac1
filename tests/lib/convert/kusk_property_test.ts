import assert from "node:assert/strict";
import fc from "fast-check";
import { stringify } from "yaml";
import { convertKusk } from "../../../lib/convert/kusk/kusk.ts";
import { readSource } from "../../../lib/openapi/text/source.ts";

/** Random settings of `x-kusk`: known keys with valid and invalid values. */
const SETTINGS = fc.dictionary(
  fc.constantFrom(
    "hosts",
    "upstream",
    "upstreams",
    "redirect",
    "cors",
    "auth",
    "rate_limit",
    "openapi-path",
    "path",
    "x",
  ),
  fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.dictionary(
      fc.constantFrom(
        "service",
        "host",
        "rewrite",
        "origins",
        "credentials",
        "path_redirect",
        "strip_query",
        "oauth2",
        "jwt",
      ),
      fc.jsonValue({ maxDepth: 2 }),
      { maxKeys: 3 },
    ),
  ),
  { maxKeys: 4 },
);

const DEFINITION = fc.record({ openapi: fc.constant("3.0.0"), "x-kusk": SETTINGS, info: fc.jsonValue({ maxDepth: 1 }) })
  .chain((root) =>
    SETTINGS.map((inner) => ({ ...root, paths: { "/a": { "x-kusk": inner, get: { responses: {} } } } }))
  );

/** A value as it is after it was written to JSON and read: without -0, for example. */
function asJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

async function convertedValue(text: string): Promise<{ value: unknown; left: string[] }> {
  const { source } = await readSource("kusk.yaml", text);
  const { text: converted, leftovers } = await convertKusk(source);
  const { source: { value }, diagnostics } = await readSource("api.yaml", converted);
  assert.deepEqual(diagnostics, []);
  return { value, left: leftovers.map(({ pointer }) => pointer) };
}

Deno.test("convertKusk() makes the same of JSON, block YAML and flow YAML, and leaves the rest alone", async () => {
  await fc.assert(
    fc.asyncProperty(DEFINITION.map(asJson), async (definition) => {
      const json = await convertedValue(JSON.stringify(definition));
      assert.deepEqual(await convertedValue(stringify(definition, { aliasDuplicateObjects: false })), json);
      assert.deepEqual(await convertedValue(stringify(definition, { collectionStyle: "flow" })), json);
      assert.deepEqual((json.value as { info: unknown }).info, definition.info);
      assert.ok(!JSON.stringify(json.value).includes('"x-kusk":'));
    }),
    { numRuns: 150, seed: 1 },
  );
});
