import assert from "node:assert/strict";
import fc from "fast-check";
import { parseDocument } from "../../../lib/openapi/document.ts";
import { createDocumentValidator } from "../../../lib/schema/document_validator.ts";
import { child, type Node } from "../../../lib/schema/json/node.ts";
import type { Violation } from "../../../lib/schema/violation.ts";
import { isParadoxical, schemaOf, SMALL_VALUES } from "./any_schema.ts";
import { runs } from "../../runs.ts";
import { createAjvValidator } from "./ajv_validator.ts";

/** Formats violations as texts, without duplicates. */
function tell(violations: readonly Violation[]): string[] {
  const texts = violations.map(({ path, keyword, message, schema }) => {
    // For the schema `false`, Ajv has another message, and no pointer.
    const isNever = message === "must NOT be valid" || message === "boolean schema is false";
    return isNever ? `/${path.join("/")} refused` : `/${path.join("/")} ${keyword}: ${message} (${schema})`;
  });
  return [...new Set(texts)].sort();
}

for (const openapi of ["3.0.3", "3.1.0"] as const) {
  Deno.test(`the violations of any value against any schema of ${openapi} are there where Ajv finds some`, async () => {
    const schema = schemaOf(openapi);
    const value = fc.oneof(fc.constantFrom(...SMALL_VALUES), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(schema, schema, schema, fc.array(value), async (Main, A, B, values) => {
        fc.pre(!isParadoxical({ Main, A, B }));
        const text = JSON.stringify({ openapi, paths: {}, components: { schemas: { Main, A, B } } });
        // Ajv forgets which properties were evaluated if a subschema is invalid, so skip schemas with `unevaluated…`.
        fc.pre(!text.includes("unevaluated"));
        const document = await parseDocument(text);
        const node = ["components", "schemas", "Main"].reduce<Node>((parent, key) => child(parent, key), document.root);
        const check = (await createDocumentValidator(document)).checkOf(node, "response");
        const checkWithAjv = (await createAjvValidator(document)).checkOf(node, "response");
        for (const value of values) {
          const found = check(value);
          const withAjv = checkWithAjv(value);
          const message = `${JSON.stringify(value)}: ${tell(found).join(", ")}`;
          assert.equal(found.length === 0, withAjv.length === 0, message);
          // Of several violations, Ajv and gw may report different ones. Ajv stops after a `not` that refuses all
          // values, and repeats violations of a schema that two references lead to. So compare only whether there are
          // any.
          if (withAjv.length > 0) assert.ok(tell(found).length > 0, message);
        }
      }),
      runs(150),
    );
  });
}
