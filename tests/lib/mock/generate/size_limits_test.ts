import assert from "node:assert/strict";
import { validBodyOf } from "./generated.ts";

Deno.test("generateBody() prefers a smaller body to null in place of a large value", async () => {
  const list = { type: "array", items: { $ref: "#/components/schemas/Item" } };
  const names = Array.from({ length: 700 }, (_, index) => `p${index}`);
  const Item = { required: names, additionalProperties: { type: "integer" } };
  const body = await validBodyOf({
    Main: { type: ["object", "null"], required: ["list"], properties: { list } },
    Item,
  });
  assert.ok(Array.isArray(Object(body).list), JSON.stringify(body));
});

Deno.test("generateBody() includes each part of the schema in a body that would be too large", async () => {
  const part = {
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`p${index}`, { type: "integer" }])),
  };
  const names = Array.from({ length: 20 }, (_, index) => `part${index}`);
  const Item = { type: "object", properties: Object.fromEntries(names.map((name) => [name, part])) };
  const body = await validBodyOf({ Main: { type: "array", items: Item } }) as Record<string, object>[];
  assert.equal(body.length, 2);
  for (const item of body) {
    assert.deepEqual(Object.keys(item), names);
    for (const name of names) assert.ok(Object.keys(item[name] ?? {}).length > 5, JSON.stringify(item[name]));
  }
  assert.ok(JSON.stringify(body).length < 20_000);
});

Deno.test("generateBody() bounds the size of a body", async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`p${index}`, { $ref: `#/components/schemas/L${index % 5}` }]),
  );
  const levels = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`L${index}`, {
    type: "object",
    properties: Object.fromEntries(
      Array.from(
        { length: 30 },
        (_, other) => [`q${other}`, { $ref: `#/components/schemas/L${(index + 1 + other) % 5}` }],
      ),
    ),
  }]));
  const body = await validBodyOf({ Main: { type: "object", properties }, ...levels });
  assert.ok(JSON.stringify(body).length < 100_000, `${JSON.stringify(body).length}`);
});
