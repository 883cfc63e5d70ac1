import assert from "node:assert/strict";
import { createHandlerContext } from "../../../../../lib/mock/operation/operation_handler.ts";
import { inferResources } from "../../../../../lib/mock/infer/infer_resources.ts";
import { createInitialStates } from "../../../../../lib/mock/state/store/initial_states.ts";
import { References } from "../../../../../lib/mock/state/item/references.ts";
import { parseDocument } from "../../../../../lib/openapi/document.ts";
import { SHOP } from "../shop.ts";
import { createStateClient } from "../state_client.ts";

Deno.test("a nested list has the parent's items only, and deleting the parent deletes them", async () => {
  const client = await createStateClient(SHOP);
  const [ann, bob] = [
    (await client.ask("POST /customers", { name: "Ann" })).body.id,
    (await client.ask("POST /customers", { name: "Bob" })).body.id,
  ];
  const order = (await client.ask(`POST /customers/${ann}/orders`, { quantity: 2 })).body;
  assert.equal(order.customerId, ann);
  assert.deepEqual((await client.ask(`GET /customers/${ann}/orders`)).body, [order]);
  assert.deepEqual((await client.ask(`GET /customers/${bob}/orders`)).body, []);
  assert.equal((await client.ask(`DELETE /customers/${ann}`)).body.name, "Ann");
  assert.equal((await client.ask(`GET /customers/${ann}/orders/${order.id}`)).status, 404);
});

Deno.test("an embedded object has the current fields of the item that it represents", async () => {
  const client = await createStateClient(SHOP);
  const ann = (await client.ask("POST /customers", { name: "Ann" })).body.id;
  await client.ask("POST /products", { sku: "a-1", price: 12 });
  const order = (await client.ask(`POST /customers/${ann}/orders`, {})).body;
  assert.deepEqual(order.product, { sku: "a-1", price: 12 });
  const path = `/customers/${ann}/orders/${order.id}`;
  assert.deepEqual((await client.ask(`GET ${path}`)).body.product, { sku: "a-1", price: 12 });
  await client.ask("PUT /products/a-1", { sku: "a-1", price: 14 });
  assert.deepEqual((await client.ask(`GET ${path}`)).body.product, { sku: "a-1", price: 14 });
  assert.deepEqual((await client.ask(`GET /customers/${ann}/orders`)).body[0].product, { sku: "a-1", price: 14 });
});

Deno.test("an embedded object shows an item that is created after the object was shown", async () => {
  const client = await createStateClient(SHOP);
  const ann = (await client.ask("POST /customers", { name: "Ann" })).body.id;
  await client.ask("POST /products", { sku: "a-1", price: 12 });
  const { id } = (await client.ask(`POST /customers/${ann}/orders`, {})).body;
  const [item, list] = [`GET /customers/${ann}/orders/${id}`, `GET /customers/${ann}/orders`];
  client.state.delete("products", [], "a-1");
  const deleted = [(await client.ask(item)).body.product, (await client.ask(list)).body[0].product];
  assert.deepEqual(deleted, Array(2).fill({ sku: "a-1", price: 12 }));
  await client.ask("POST /products", { sku: "a-1", price: 20 });
  const created = [(await client.ask(item)).body.product, (await client.ask(list)).body[0].product];
  assert.deepEqual(created, Array(2).fill({ sku: "a-1", price: 20 }));
});

Deno.test("initial items refer to existing items", async () => {
  const { generatorOf, validatorOf } = createHandlerContext();
  const resources = inferResources([await parseDocument(SHOP)]);
  const state = createInitialStates(resources, { generatorOf, validatorOf })(0);
  await state.prepare("customers.orders");
  const skus = [...state.collection("products", [])].map(({ key }) => key);
  const [customer] = state.collection("customers", []);
  const orders = [...state.collection("customers.orders", [customer?.key ?? ""])];
  assert.equal(orders.length, 3);
  for (const { value } of orders) {
    assert.equal(value["customerId"], customer?.key);
    const { product } = value;
    assert.ok(
      typeof product === "object" && product !== null && "sku" in product && skus.includes(String(product.sku)),
    );
  }
});

/** Schemas of properties of an order, and the resource that each refers to, if any. */
const CASES: readonly [name: string, schema: unknown, want: string | undefined][] = [
  ["customerId", { type: "string" }, "customers id"],
  ["customer_id", { type: "string" }, "customers id"],
  ["billingCustomerId", { type: "string" }, "customers id"],
  ["customerIds", { type: "array", items: { type: "string" } }, "customers id list"],
  ["customerId", { type: "integer" }, undefined],
  ["customer", { $ref: "#/components/schemas/Customer" }, "customers object"],
  ["buyer", { $ref: "#/components/schemas/Customer" }, "customers object"],
  ["customers", { type: "array", items: { $ref: "#/components/schemas/Customer" } }, "customers object list"],
  ["customer", { type: "object", properties: { id: { type: "string" } } }, "customers object"],
  ["customer", { type: "string" }, undefined],
  ["customer", { anyOf: [{ type: "string" }, { $ref: "#/components/schemas/Customer" }] }, "customers id"],
  ["couponId", { type: "string" }, undefined],
];

for (const [name, schema, want] of CASES) {
  Deno.test(`a property ${name}: ${JSON.stringify(schema)} refers to ${want ?? "nothing"}`, async () => {
    const Customer = { type: "object", properties: { id: { type: "string" }, name: { type: "string" } } };
    const Order = { type: "object", properties: { id: { type: "string" }, [name]: schema } };
    const show = (schema: unknown) => ({
      get: { responses: { 200: { description: "", content: { "application/json": { schema } } } } },
    });
    const item = (path: string, schema: string) => ({
      [path]: show({ type: "array", items: { $ref: `#/components/schemas/${schema}` } }),
      [`${path}/{id}`]: {
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        ...show({ $ref: `#/components/schemas/${schema}` }),
      },
    });
    const document = await parseDocument({
      openapi: "3.1.0",
      info: { title: "Shop", version: "1.0.0" },
      paths: { ...item("/customers", "Customer"), ...item("/orders", "Order") },
      components: { schemas: { Customer, Order } },
    });
    const resources = inferResources([document]);
    const orders = resources.all.find((resource) => resource.name === "orders");
    assert.ok(orders);
    const found = new References(resources).of(orders).map(({ target, kind, isList }) =>
      `${target.name} ${kind}${isList ? " list" : ""}`
    );
    assert.deepEqual(found, want === undefined ? [] : [want]);
  });
}

Deno.test("requests below a deleted item get 404 until the item is created again", async () => {
  const client = await createStateClient(SHOP);
  const { body: { id } } = await client.ask("POST /customers", { name: "Ada", email: "ada@example.com" });
  assert.equal((await client.ask(`GET /customers/${id}/orders`)).status, 200);
  assert.equal((await client.ask(`DELETE /customers/${id}`)).status, 200);
  const list = await client.ask(`GET /customers/${id}/orders`);
  assert.deepEqual([list.status, list.body.detail], [404, `There is no customer "${id}".`]);
  assert.equal((await client.ask(`POST /customers/${id}/orders`, {})).status, 404);
});
