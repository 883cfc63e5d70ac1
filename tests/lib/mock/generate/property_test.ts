import assert from "node:assert/strict";
import fc from "fast-check";
import { createBodyGenerator } from "../../../../lib/mock/generate/generate.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { child, type Node } from "../../../../lib/schema/json/node.ts";
import { runs } from "../../../runs.ts";
import { createAjvValidator } from "../../schema/ajv_validator.ts";
import { isParadoxical, schemaOf, SMALL_VALUES } from "../../schema/any_schema.ts";

/** The property: a generated body is valid. If there is none, no value satisfies the schema. */
function bodyProperty(
  openapi: "3.0.3" | "3.1.0",
): fc.IAsyncPropertyWithHooks<[unknown, unknown, unknown, number]> {
  const schema = schemaOf(openapi);
  return fc.asyncProperty(schema, schema, schema, fc.nat({ max: 3 }), async (Main, A, B, seed) => {
    fc.pre(!isParadoxical({ Main, A, B }));
    const text = JSON.stringify({ openapi, paths: {}, components: { schemas: { Main, A, B } } });
    const document = await parseDocument(text);
    const node = ["components", "schemas", "Main"].reduce<Node>((parent, key) => child(parent, key), document.root);
    const check = (await createAjvValidator(document)).checkOf(node, "response");
    const body = (await createBodyGenerator(document)).generate(node, { seed });
    if (body.kind === "body") {
      assert.deepEqual(check(body.value), [], JSON.stringify(body.value));
      assert.deepEqual(JSON.parse(JSON.stringify(body.value)), body.value);
    } else {
      const missed = SMALL_VALUES.find((value) => check(value).length === 0);
      assert.equal(missed, undefined, `${body.reason} (${body.pointer}), but ${JSON.stringify(missed)} is valid`);
    }
  });
}

Deno.test("generateBody() gives a valid body or fails, for random schemas", async (t) => {
  for (const openapi of ["3.0.3", "3.1.0"] as const) {
    await t.step(openapi, async () => await fc.assert(bodyProperty(openapi), runs(150)));
  }
});
