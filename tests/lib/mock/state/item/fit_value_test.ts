import assert from "node:assert/strict";
import { createHandlerContext } from "../../../../../lib/mock/operation/operation_handler.ts";
import { fitValue } from "../../../../../lib/mock/state/item/fit_value.ts";
import { planSchema, type SchemaPlan } from "../../../../../lib/mock/state/schema_plan.ts";
import { parseDocument } from "../../../../../lib/openapi/document.ts";
import { child } from "../../../../../lib/schema/json/node.ts";

async function planOf(schema: unknown): Promise<SchemaPlan> {
  const document = await parseDocument({
    openapi: "3.1.0",
    info: { title: "", version: "" },
    paths: {},
    components: { schemas: { Item: schema } },
  });
  const { generatorOf, validatorOf } = createHandlerContext();
  const [generator, validator] = await Promise.all([generatorOf(document), validatorOf(document)]);
  const node = child(child(child(document.root, "components"), "schemas"), "Item");
  return planSchema({ document, generator, validator }, node, 0);
}

const object = (properties: object, more: object = {}): object => ({ type: "object", properties, ...more });

/** A schema, a value, the nearest value that is valid, and the pointers of what was changed. */
const CASES: readonly [schema: object, wanted: unknown, want: unknown, changed: string[]][] = [
  [object({ a: { type: "string" } }), { a: "x" }, { a: "x" }, []],
  [object({ a: { type: "integer" } }), { a: "3" }, { a: 3 }, ["/a"]],
  [object({ a: { type: "boolean" } }), { a: "true" }, { a: true }, ["/a"]],
  [object({ a: { type: "string" } }), { a: 3 }, { a: "3" }, ["/a"]],
  [object({ a: { type: "string", maxLength: 2 } }), { a: "xyz" }, { a: "xy" }, ["/a"]],
  [object({ a: { type: "number", maximum: 5 } }), { a: 9 }, { a: 5 }, ["/a"]],
  [object({ a: { enum: ["Red"] } }), { a: "red" }, { a: "Red" }, ["/a"]],
  [
    object({ a: { type: "string", format: "date-time" } }),
    { a: "2026-01-02" },
    { a: "2026-01-02T00:00:00.000Z" },
    ["/a"],
  ],
  [object({ a: { type: "array", items: { type: "integer" } } }), { a: 1 }, { a: [1] }, ["/a"]],
  [object({ a: { type: "array", items: { type: "integer" }, maxItems: 1 } }), { a: [1, 2] }, { a: [1] }, ["/a"]],
  [object({ a: {} }, { additionalProperties: false }), { a: 1, b: 2 }, { a: 1 }, ["/b"]],
  [object({ a: { const: 1 }, b: {} }, { required: ["a"] }), { b: 2 }, { b: 2, a: 1 }, []],
  [object({ a: object({ b: { const: 1 } }, { required: ["b"] }) }), { a: {} }, { a: { b: 1 } }, []],
  [object(JSON.parse('{"__proto__":{"type":"integer"}}')), JSON.parse('{"__proto__":"3"}'), undefined, []],
  [
    {
      oneOf: [object({ kind: { const: "cat" } }, { required: ["kind"] }), object({ kind: { const: "dog" }, size: {} })],
    },
    { kind: "bird" },
    undefined,
    [],
  ],
];

for (const [schema, wanted, want, changed] of CASES) {
  Deno.test(`fitValue() fits ${JSON.stringify(wanted)} to ${JSON.stringify(schema)}`, async () => {
    const plan = await planOf(schema);
    const fitted = fitValue(wanted, (index) => plan.base(index), plan);
    assert.deepEqual(plan.check(fitted.value), []);
    assert.ok(fitted.isValid);
    if (want === undefined) return;
    assert.deepEqual(fitted.value, want);
    assert.deepEqual(fitted.changed, changed);
  });
}

Deno.test("fitValue() gives an invalid value only for an unsatisfiable schema", async () => {
  const plan = await planOf({ type: "string", minLength: 2, maxLength: 1 });
  assert.deepEqual(fitValue(1, (index) => plan.base(index), plan), { value: 1, changed: [], isValid: false });
});

Deno.test("fitValue() limits the number of validations", async () => {
  const names = Array.from({ length: 500 }, (_, index) => `p${index}`);
  const plan = await planOf({ type: "object", maxProperties: 3 });
  let checks = 0;
  const counted = { ...plan, check: (value: unknown) => (checks++, plan.check(value)) };
  const wanted = Object.fromEntries(names.map((name) => [name, 1]));
  const fitted = fitValue(wanted, (index) => plan.base(index), counted);
  assert.deepEqual(plan.check(fitted.value), []);
  assert.ok(checks < 300, String(checks));
});

Deno.test("fitValue() checks a large value a few times only", async () => {
  const plan = await planOf({
    type: "object",
    required: ["list"],
    properties: { list: { type: "array", items: { type: "integer", maximum: 1 }, maxItems: 2 } },
    maxProperties: 3,
  });
  let checks = 0;
  const counted = { ...plan, check: (value: unknown) => (checks++, plan.check(value)) };
  const wanted = {
    list: new Array(500_000).fill("x"),
    ...Object.fromEntries([..."abcdefgh"].map((name) => [name, 1])),
  };
  const fitted = fitValue(wanted, (index) => plan.base(index), counted);
  assert.deepEqual(plan.check(fitted.value), []);
  assert.ok(checks <= 10, String(checks));
});
