import assert from "node:assert/strict";
import { inferResources } from "../../../../lib/mock/infer/infer_resources.ts";
import { createHandlerContext } from "../../../../lib/mock/operation_handler.ts";
import { loadState, readState, writeState } from "../../../../lib/mock/state/saved_state.ts";
import { createInitialStates } from "../../../../lib/mock/state/initial_states.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { createStateClient, type StateClient } from "./state_client.ts";

/** A definition whose orders have a path of their own, and a path below their user. */
const SHOP = `
openapi: 3.1.0
info: {title: Shop, version: 1.0.0}
paths:
  /users:
    get: {responses: {"200": {$ref: "#/components/responses/Users"}}}
  /users/{userId}:
    get: {responses: {"200": {$ref: "#/components/responses/User"}}}
    delete: {responses: {"204": {description: Deleted}}}
  /orders:
    get:
      parameters: [{name: userId, in: query, schema: {type: integer}}]
      responses: {"200": {$ref: "#/components/responses/Orders"}}
    post:
      requestBody: {$ref: "#/components/requestBodies/Order"}
      responses: {"201": {$ref: "#/components/responses/Order"}}
  /orders/{orderId}:
    get: {responses: {"200": {$ref: "#/components/responses/Order"}}}
    put:
      requestBody: {$ref: "#/components/requestBodies/Order"}
      responses: {"200": {$ref: "#/components/responses/Order"}}
    patch:
      requestBody: {$ref: "#/components/requestBodies/Order"}
      responses: {"200": {$ref: "#/components/responses/Order"}}
    delete: {responses: {"204": {description: Deleted}}}
  /orders/{orderId}/lines:
    get: {responses: {"200": {$ref: "#/components/responses/Lines"}}}
  /orders/{orderId}/lines/{lineId}:
    get: {responses: {"200": {$ref: "#/components/responses/Line"}}}
  /users/{userId}/orders:
    get: {responses: {"200": {$ref: "#/components/responses/Orders"}}}
    post:
      requestBody: {$ref: "#/components/requestBodies/Order"}
      responses: {"201": {$ref: "#/components/responses/Order"}}
  /users/{userId}/orders/{orderId}:
    get: {responses: {"200": {$ref: "#/components/responses/Order"}}}
    put:
      requestBody: {$ref: "#/components/requestBodies/Order"}
      responses: {"200": {$ref: "#/components/responses/Order"}}
    patch:
      requestBody: {$ref: "#/components/requestBodies/Order"}
      responses: {"200": {$ref: "#/components/responses/Order"}}
    delete: {responses: {"204": {description: Deleted}}}
  /payments:
    get: {responses: {"200": {$ref: "#/components/responses/Payments"}}}
  /payments/{paymentId}:
    get: {responses: {"200": {$ref: "#/components/responses/Payment"}}}
components:
  requestBodies:
    Order: {content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
  responses:
    User: {description: User, content: {application/json: {schema: {$ref: "#/components/schemas/User"}}}}
    Users: {description: Users, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/User"}}}}}
    Order: {description: Order, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
    Orders: {description: Orders, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Order"}}}}}
    Line: {description: Line, content: {application/json: {schema: {$ref: "#/components/schemas/Line"}}}}
    Lines: {description: Lines, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Line"}}}}}
    Payment: {description: Payment, content: {application/json: {schema: {$ref: "#/components/schemas/Payment"}}}}
    Payments: {description: Payments, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Payment"}}}}}
  schemas:
    User: {type: object, required: [id, name], properties: {id: {type: integer}, name: {type: string}}}
    Order:
      type: object
      required: [id, userId]
      properties: {id: {type: integer}, userId: {type: integer}, note: {type: string}}
    Line: {type: object, required: [id, text], properties: {id: {type: integer}, text: {type: string}}}
    Payment: {type: object, required: [id, orderId], properties: {id: {type: integer}, orderId: {type: integer}}}
`;

/** A client of the shop with the initial items that a server would have. */
async function createClient(definition = SHOP): Promise<StateClient> {
  const document = await parseDocument(definition);
  const handlers = createHandlerContext();
  const initial = createInitialStates(inferResources([document]), handlers)(0);
  return await createStateClient(definition, { initial, handlers });
}

async function idsAt(client: StateClient, path: string): Promise<number[]> {
  const { body } = await client.ask(`GET ${path}`);
  return (body as { id: number }[]).map(({ id }) => id);
}

async function statusesOf(client: StateClient, lines: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const line of lines) statuses.push((await client.ask(line)).status);
  return statuses;
}

Deno.test("an order that is created beside its user is there below the user", async () => {
  const client = await createStateClient(SHOP);
  const { body } = await client.ask("POST /orders", { userId: 3, note: "a" });
  assert.deepEqual(body, { id: 1, userId: 3, note: "a" });
  assert.deepEqual((await client.ask("GET /users/3/orders")).body, [body]);
  assert.deepEqual((await client.ask("GET /users/3/orders/1")).body, body);
  assert.equal((await client.ask("GET /users/4/orders/1")).status, 404);
});

Deno.test("an order that is created below a user has the user's id, and is among all orders", async () => {
  const client = await createStateClient(SHOP);
  const { body } = await client.ask("POST /users/3/orders", { userId: 9, note: "a" });
  assert.deepEqual(body, { id: 1, userId: 3, note: "a" });
  assert.deepEqual((await client.ask("GET /orders")).body, [body]);
  assert.deepEqual((await client.ask("GET /orders?userId=3")).body, [body]);
  assert.deepEqual((await client.ask("GET /orders/1")).body, body);
});

Deno.test("ids are unique among the orders of all users", async () => {
  const client = await createStateClient(SHOP);
  await client.ask("POST /users/3/orders", { id: 7 });
  assert.equal((await client.ask("POST /users/4/orders", { id: 7 })).body.id, 2);
  assert.equal((await client.ask("POST /orders", { id: 7, userId: 4 })).body.id, 3);
  assert.equal((await client.ask("GET /orders/7")).body.userId, 3);
});

Deno.test("an order that is deleted by one path is gone from the other", async () => {
  const client = await createStateClient(SHOP);
  await client.ask("POST /orders", { id: 1, userId: 3 });
  await client.ask("POST /orders", { id: 2, userId: 3 });
  assert.deepEqual(await statusesOf(client, ["DELETE /orders/1", "DELETE /users/3/orders/2"]), [204, 204]);
  const lines = ["GET /orders/1", "GET /users/3/orders/1", "GET /orders/2", "GET /users/3/orders/2"];
  assert.deepEqual(await statusesOf(client, lines), [404, 404, 404, 404]);
});

Deno.test("the orders of a deleted user are gone from all paths", async () => {
  const client = await createClient();
  const [user] = await idsAt(client, "/users");
  const orders = await idsAt(client, `/users/${user}/orders`);
  assert.equal(orders.length, 3);
  await client.ask(`DELETE /users/${user}`);
  assert.equal((await client.ask(`GET /users/${user}/orders`)).status, 404);
  assert.equal((await client.ask(`GET /orders/${orders[0]}`)).status, 404);
  const rest = await idsAt(client, "/orders");
  assert.ok(rest.length > 0 && orders.every((id) => !rest.includes(id)));
});

Deno.test("the lines of a deleted user's orders are gone", async () => {
  const client = await createClient();
  const [user, other] = await idsAt(client, "/users");
  const [order] = await idsAt(client, `/users/${user}/orders`);
  const [kept] = await idsAt(client, `/users/${other}/orders`);
  const [line] = await idsAt(client, `/orders/${order}/lines`);
  const lines = [`GET /orders/${order}/lines`, `GET /orders/${order}/lines/${line}`, `GET /orders/${kept}/lines`];
  assert.deepEqual(await statusesOf(client, lines), [200, 200, 200]);
  await client.ask(`DELETE /users/${user}`);
  assert.deepEqual(await statusesOf(client, lines), [404, 404, 200]);
  // An order with the same id begins without lines.
  await client.ask("POST /orders", { id: order, userId: other });
  assert.deepEqual(await idsAt(client, `/orders/${order}/lines`), []);
});

Deno.test("an order moves to another user with its userId", async () => {
  const client = await createStateClient(SHOP);
  await client.ask("POST /orders", { id: 1, userId: 3, note: "a" });
  const { body } = await client.ask("PATCH /orders/1", { userId: 4 });
  assert.deepEqual(body, { id: 1, userId: 4, note: "a" });
  assert.deepEqual((await client.ask("GET /orders")).body, [body]);
  assert.deepEqual((await client.ask("GET /users/4/orders")).body, [body]);
  assert.deepEqual(await idsAt(client, "/users/3/orders"), []);
  const lines = ["GET /users/3/orders/1", "GET /users/4/orders/1", "GET /orders/1"];
  assert.deepEqual(await statusesOf(client, lines), [404, 200, 200]);
  await client.ask("PUT /orders/1", { userId: 5, note: "b" });
  assert.deepEqual(await idsAt(client, "/users/5/orders"), [1]);
  assert.deepEqual(await idsAt(client, "/users/4/orders"), []);
});

/** The shop, whose lines are below the user, too. */
const SHOP_OF_USERS = SHOP.replaceAll("/orders/{orderId}/lines", "/users/{userId}/orders/{orderId}/lines");

Deno.test("the items below an order move to another user with it", async () => {
  const client = await createClient(SHOP_OF_USERS);
  const [user, other] = await idsAt(client, "/users");
  const [order] = await idsAt(client, `/users/${user}/orders`);
  const [before, after] = [user, other].map((id) => `/users/${id}/orders/${order}/lines`);
  const { body: lines } = await client.ask(`GET ${before}`);
  assert.equal(lines.length, 3);
  await client.ask(`PATCH /orders/${order}`, { userId: other });
  assert.deepEqual((await client.ask(`GET ${after}`)).body, lines);
  // Another order in the old place begins without lines.
  await client.ask(`PATCH /orders/${order}`, { userId: 77 });
  await client.ask(`DELETE /orders/${order}`);
  await client.ask("POST /orders", { id: order, userId: user });
  assert.deepEqual(await idsAt(client, before ?? ""), []);
});

Deno.test("an order whose items below it exceed a limit doesn't move", async () => {
  const client = await createStateClient(
    SHOP_OF_USERS.replace(
      "  /users/{userId}/orders/{orderId}/lines:\n",
      `  /users/{userId}/orders/{orderId}/lines:
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Line"}}}}
      responses: {"201": {$ref: "#/components/responses/Line"}}
`,
    ),
    { limits: { items: 4 } },
  );
  await client.ask("POST /orders", { id: 1, userId: 3 });
  for (const text of ["a", "b"]) await client.ask("POST /users/3/orders/1/lines", { text });
  assert.equal((await client.ask("PATCH /orders/1", { userId: 4 })).status, 507);
  assert.deepEqual(await idsAt(client, "/users/3/orders"), [1]);
  assert.deepEqual(await idsAt(client, "/users/4/orders"), []);
  assert.deepEqual(await idsAt(client, "/users/3/orders/1/lines"), [1, 2]);
  assert.deepEqual(await idsAt(client, "/users/4/orders/1/lines"), []);
});

Deno.test("an order stays with its user if the path names the user, or the new userId is invalid or missing", async () => {
  const client = await createStateClient(SHOP);
  await client.ask("POST /orders", { id: 1, userId: 3 });
  const changes: [string, unknown][] = [
    ["PATCH /users/3/orders/1", { userId: 4 }],
    ["PATCH /orders/1", { userId: "none" }],
    ["PATCH /orders/1", { userId: null }],
    ["PUT /orders/1", { note: "b" }],
  ];
  for (const [line, body] of changes) {
    assert.equal((await client.ask(line, body)).body.userId, 3, `${line} ${JSON.stringify(body)}`);
    assert.deepEqual(await idsAt(client, "/users/3/orders"), [1]);
  }
});

Deno.test("PUT creates an order below the user that it names", async () => {
  // PUT creates items only where POST doesn't.
  const client = await createStateClient(SHOP.replaceAll(/ {4}post:\n.*\n.*\n/g, ""));
  const { body } = await client.ask("PUT /orders/7", { userId: 3 });
  assert.deepEqual((await client.ask("GET /users/3/orders")).body, [body]);
  assert.equal((await client.ask("PUT /users/4/orders/7", { note: "a" })).status, 404);
  assert.equal((await client.ask("PUT /users/4/orders/8", { note: "a" })).body.userId, 4);
  assert.deepEqual(await idsAt(client, "/orders"), [7, 8]);
});

Deno.test("an order without a user gets one that is there", async () => {
  const client = await createClient();
  const { body } = await client.ask("POST /orders", { note: "a" });
  assert.ok((await idsAt(client, "/users")).includes(body.userId));
  assert.ok((await idsAt(client, `/users/${body.userId}/orders`)).includes(body.id));
});

Deno.test("the initial orders are the same in all paths", async () => {
  const client = await createClient();
  const { body: all } = await client.ask("GET /orders");
  const below: unknown[] = [];
  for (const user of await idsAt(client, "/users")) {
    const { body } = await client.ask(`GET /users/${user}/orders`);
    assert.deepEqual(body.map(({ userId }: { userId: number }) => userId), [user, user, user]);
    below.push(...body);
  }
  assert.deepEqual(all, below);
  assert.deepEqual(await idsAt(client, "/orders"), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

Deno.test("an example of an order is below the user that it names, if the user is there", async () => {
  const examples = (definition: string, name: string, list: unknown[]): string =>
    definition.replace(
      new RegExp(`items: \\{\\s*\\$ref: "#/components/schemas/${name}"\\s*\\}\\s*\\}`),
      `$&, example: ${JSON.stringify(list)}`,
    );
  const users = [{ id: 7, name: "Ann" }, { id: 8, name: "Bob" }];
  // 2 would be the id of a generated order.
  const orders = [{ id: 2, userId: 8 }, { id: 51, userId: 99 }];
  const client = await createClient(examples(examples(SHOP, "User", users), "Order", orders));
  assert.deepEqual((await client.ask("GET /orders/2")).body, { id: 2, userId: 8 });
  assert.deepEqual((await client.ask("GET /orders/51")).body, { id: 51, userId: 7 });
  assert.ok((await idsAt(client, "/users/8/orders")).includes(2));
  assert.ok((await idsAt(client, "/users/7/orders")).includes(51));
  assert.equal(new Set(await idsAt(client, "/orders")).size, 9);
});

Deno.test("items below an order are found by the order's id alone", async () => {
  const client = await createClient();
  const [first, second] = await idsAt(client, "/orders");
  assert.equal((await idsAt(client, `/orders/${first}/lines`)).length, 3);
  assert.deepEqual(await idsAt(client, "/orders/12345/lines"), []);
  await client.ask(`DELETE /orders/${first}`);
  assert.equal((await client.ask(`GET /orders/${first}/lines`)).status, 404);
  const [, , user] = await idsAt(client, "/users");
  await client.ask(`PATCH /orders/${second}`, { userId: user });
  assert.equal((await idsAt(client, `/orders/${second}/lines`)).length, 3);
});

Deno.test("references lead to orders of any user", async () => {
  const client = await createClient();
  const orders = await idsAt(client, "/orders");
  const { body } = await client.ask("GET /payments");
  for (const { orderId } of body) assert.ok(orders.includes(orderId));
});

/** The state of a user's order and of an order beside them, saved when these were two resources. */
function separateState(orders: unknown[]): string {
  const item = (value: { id: number }): unknown => ({ key: String(value.id), revision: 1, created: 1, value });
  const resources = {
    orders: {
      cleared: [[]],
      collections: [{ scope: [], items: [{ key: "1" }, ...orders.map((value) => item(value as never))] }],
    },
    users: { cleared: [[]], collections: [{ scope: [], items: [item({ id: 3, name: "Ann" } as never)] }] },
    "users.orders": {
      cleared: [["4"]],
      collections: [{ scope: ["3"], items: [item({ id: 20, userId: 3 } as never)] }],
    },
  };
  return JSON.stringify({ version: 1, revision: 5, resources });
}

Deno.test("a state that was saved when the orders were two resources is loaded into one", async () => {
  const client = await createClient();
  const text = separateState([{ id: 21, userId: 3 }, { id: 22, userId: 4 }]);
  assert.deepEqual(await loadState(client.state, readState(text)), []);
  assert.deepEqual(await idsAt(client, "/users/3/orders"), [21, 20]);
  assert.deepEqual(await idsAt(client, "/users/4/orders"), [22]);
  assert.deepEqual(await idsAt(client, "/orders"), [21, 20, 22]);
  assert.equal((await client.ask("POST /users/3/orders", {})).body.id, 4);
  const again = await createClient();
  const saved = [...writeState(client.state.snapshot(), client.state.revision)].join("");
  assert.deepEqual(await loadState(again.state, readState(saved)), []);
  assert.deepEqual(await idsAt(again, "/orders"), await idsAt(client, "/orders"));
});

Deno.test("a saved order that is moved replaces the initial order with its id", async () => {
  const client = await createClient();
  const [user, other] = await idsAt(client, "/users");
  const [id = 0, second] = await idsAt(client, `/users/${user}/orders`);
  const before = await idsAt(client, "/orders");
  const saved = { id, userId: other, note: "saved" };
  const items = [{ key: String(id), revision: 1, created: 1, value: saved }];
  const resources = { "users.orders": { cleared: [], collections: [{ scope: [String(other)], items }] } };
  await loadState(client.state, readState(JSON.stringify({ version: 1, revision: 5, resources })));
  assert.deepEqual((await idsAt(client, "/orders")).sort(), before);
  assert.deepEqual((await client.ask(`GET /orders/${id}`)).body, saved);
  assert.equal((await idsAt(client, `/users/${user}/orders`))[0], second);
});

Deno.test("an order whose id is taken stays in the saved state, and is reported", async () => {
  const client = await createClient();
  const text = separateState([{ id: 20, userId: 4 }]);
  assert.deepEqual(await loadState(client.state, readState(text)), [{ resource: "users.orders", items: 1 }]);
  assert.deepEqual(await idsAt(client, "/orders"), [20]);
  assert.equal((await client.ask("GET /orders/20")).body.userId, 4);
  const saved = JSON.parse([...writeState(client.state.snapshot(), client.state.revision)].join(""));
  assert.deepEqual(saved.resources["users.orders"].collections[0].items[0].value, { id: 20, userId: 3 });
});
