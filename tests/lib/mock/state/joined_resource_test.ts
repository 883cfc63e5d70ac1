import assert from "node:assert/strict";
import type { StateLimits } from "../../../../lib/mock/state/store/limits.ts";
import { createShopClient, idsAt, SHOP } from "./joined_shop.ts";
import { createStateClient } from "./state_client.ts";

/**
 * A request, its body if it has one, and the answer that is wanted: its status (a number), the ids of its list (an
 * array), or its body.
 */
type Step = readonly [line: string, want: unknown] | readonly [line: string, body: unknown, want: unknown];

interface Case {
  readonly name: string;
  readonly definition?: string;
  readonly steps: readonly Step[];
}

/** The shop, whose lines are below the user, too. */
const SHOP_OF_USERS = SHOP.replaceAll("/orders/{orderId}/lines", "/users/{userId}/orders/{orderId}/lines");
/** The shop without POST. PUT creates items only there. */
const SHOP_WITHOUT_POST = SHOP.replaceAll(/^ +post: .*\n/gm, "");

/** The shop begins without items. */
const EMPTY: readonly Case[] = [
  {
    name: "an order that is created beside its user is there below the user",
    steps: [
      ["POST /orders", { userId: 3, note: "a" }, { id: 1, userId: 3, note: "a" }],
      ["GET /users/3/orders", [1]],
      ["GET /users/3/orders/1", { id: 1, userId: 3, note: "a" }],
      ["GET /users/4/orders/1", 404],
    ],
  },
  {
    name: "an order that is created below a user has the user's id, and is among all orders",
    steps: [
      ["POST /users/3/orders", { userId: 9, note: "a" }, { id: 1, userId: 3, note: "a" }],
      ["GET /orders", [1]],
      ["GET /orders?userId=3", [1]],
      ["GET /orders/1", { id: 1, userId: 3, note: "a" }],
    ],
  },
  {
    name: "ids are unique among the orders of all users",
    steps: [
      ["POST /users/3/orders", { id: 7 }, 201],
      ["POST /users/4/orders", { id: 7, note: "a" }, { id: 2, userId: 4, note: "a" }],
      ["POST /orders", { id: 7, userId: 4, note: "a" }, { id: 3, userId: 4, note: "a" }],
      ["GET /users/3/orders", [7]],
    ],
  },
  {
    name: "an order that is deleted by one path is gone from the other",
    steps: [
      ["POST /orders", { id: 1, userId: 3 }, 201],
      ["POST /orders", { id: 2, userId: 3 }, 201],
      ["DELETE /orders/1", 204],
      ["DELETE /users/3/orders/2", 204],
      ["GET /orders/1", 404],
      ["GET /users/3/orders/1", 404],
      ["GET /orders/2", 404],
      ["GET /users/3/orders/2", 404],
    ],
  },
  {
    name: "an order moves to another user with its userId",
    steps: [
      ["POST /orders", { id: 1, userId: 3, note: "a" }, 201],
      ["PATCH /orders/1", { userId: 4 }, { id: 1, userId: 4, note: "a" }],
      ["GET /orders", [1]],
      ["GET /users/3/orders", []],
      ["GET /users/4/orders", [1]],
      ["GET /users/3/orders/1", 404],
      ["GET /users/4/orders/1", 200],
      ["PUT /orders/1", { userId: 5, note: "b" }, { id: 1, userId: 5, note: "b" }],
      ["GET /users/4/orders", []],
      ["GET /users/5/orders", [1]],
    ],
  },
  {
    name: "an order stays with its user if the path names the user, or the new userId is invalid or missing",
    steps: [
      ["POST /orders", { id: 1, userId: 3, note: "a" }, 201],
      ["PATCH /users/3/orders/1", { userId: 4 }, { id: 1, userId: 3, note: "a" }],
      ["PATCH /orders/1", { userId: "none" }, { id: 1, userId: 3, note: "a" }],
      ["PATCH /orders/1", { userId: null }, { id: 1, userId: 3, note: "a" }],
      ["PUT /orders/1", { note: "b" }, { id: 1, userId: 3, note: "b" }],
      ["GET /users/3/orders", [1]],
    ],
  },
  {
    name: "PUT creates an order below the user that it names",
    definition: SHOP_WITHOUT_POST,
    steps: [
      ["PUT /orders/7", { userId: 3, note: "a" }, { id: 7, userId: 3, note: "a" }],
      ["GET /users/3/orders", [7]],
      ["PUT /users/4/orders/7", { note: "a" }, 404],
      ["PUT /users/4/orders/8", { note: "a" }, { id: 8, userId: 4, note: "a" }],
      ["GET /orders", [7, 8]],
    ],
  },
];

/** The shop begins with the users 1 to 3. Each has three orders, and each order has three lines. */
const INITIAL: readonly Case[] = [
  {
    name: "the initial orders are the same in all paths",
    steps: [
      ["GET /users", [1, 2, 3]],
      ["GET /orders", [1, 2, 3, 4, 5, 6, 7, 8, 9]],
      ["GET /users/1/orders", [1, 2, 3]],
      ["GET /users/2/orders", [4, 5, 6]],
      ["GET /users/3/orders", [7, 8, 9]],
      ["GET /orders?userId=2", [4, 5, 6]],
    ],
  },
  {
    name: "the orders of a deleted user are gone from all paths",
    steps: [
      ["DELETE /users/1", 204],
      ["GET /users/1/orders", 404],
      ["GET /orders/1", 404],
      ["GET /orders", [4, 5, 6, 7, 8, 9]],
    ],
  },
  {
    name: "the lines of a deleted user's orders are gone",
    steps: [
      ["GET /orders/1/lines", [1, 2, 3]],
      ["GET /orders/1/lines/1", 200],
      ["DELETE /users/1", 204],
      ["GET /orders/1/lines", 404],
      ["GET /orders/1/lines/1", 404],
      ["GET /orders/4/lines", [1, 2, 3]],
      // An order with the same id begins without lines.
      ["POST /orders", { id: 1, userId: 2 }, 201],
      ["GET /orders/1/lines", []],
    ],
  },
  {
    name: "items below an order are found by the order's id alone",
    steps: [
      ["GET /orders/1/lines", [1, 2, 3]],
      ["GET /orders/12345/lines", []],
      ["DELETE /orders/1", 204],
      ["GET /orders/1/lines", 404],
      ["PATCH /orders/2", { userId: 3 }, 200],
      ["GET /orders/2/lines", [1, 2, 3]],
    ],
  },
  {
    name: "the place that an order has left has no lines for the next order with its id",
    definition: SHOP_OF_USERS,
    steps: [
      ["GET /users/1/orders/1/lines", [1, 2, 3]],
      ["PATCH /orders/1", { userId: 2 }, 200],
      ["GET /users/2/orders/1/lines", [1, 2, 3]],
      ["DELETE /orders/1", 204],
      ["POST /orders", { id: 1, userId: 1 }, 201],
      ["GET /users/1/orders/1/lines", []],
    ],
  },
];

for (const [cases, createClient] of [[EMPTY, createStateClient], [INITIAL, createShopClient]] as const) {
  for (const { name, definition = SHOP, steps } of cases) {
    Deno.test(name, async () => {
      const client = await createClient(definition);
      for (const [line, ...rest] of steps) {
        const want = rest.at(-1);
        const { status, body } = await client.ask(line, rest.length === 2 ? rest[0] : undefined);
        const found = typeof want === "number" ? status : Array.isArray(body) ? body.map(({ id }) => id) : body;
        assert.deepEqual(found, want, `${line} ${JSON.stringify(rest[0])}: ${status} ${JSON.stringify(body)}`);
      }
    });
  }
}

Deno.test("the items below an order move to another user with it", async () => {
  const client = await createShopClient(SHOP_OF_USERS);
  const { body: lines } = await client.ask("GET /users/1/orders/1/lines");
  assert.equal(lines.length, 3);
  await client.ask("PATCH /orders/1", { userId: 2 });
  assert.deepEqual((await client.ask("GET /users/2/orders/1/lines")).body, lines);
});

Deno.test("an order whose items below it exceed a limit doesn't move", async () => {
  const client = await createStateClient(SHOP_OF_USERS, { limits: { items: 4 } });
  await client.ask("POST /orders", { id: 1, userId: 3 });
  for (const text of ["a", "b"]) await client.ask("POST /users/3/orders/1/lines", { text });
  assert.equal((await client.ask("PATCH /orders/1", { userId: 4 })).status, 507);
  assert.deepEqual(await idsAt(client, "/users/3/orders"), [1]);
  assert.deepEqual(await idsAt(client, "/users/4/orders"), []);
  assert.deepEqual(await idsAt(client, "/users/3/orders/1/lines"), [1, 2]);
  assert.deepEqual(await idsAt(client, "/users/4/orders/1/lines"), []);
});

Deno.test("a user whose orders can't be deleted within a limit isn't deleted", async () => {
  const limits: Partial<StateLimits>[] = [{ items: 3 }, { bytes: 1_500 }];
  for (const limit of limits) {
    const client = await createShopClient(SHOP, { limits: limit });
    const before = client.state.used;
    assert.equal((await client.ask("DELETE /users/1")).status, 507, JSON.stringify(limit));
    assert.deepEqual(client.state.used, before);
    assert.deepEqual(await idsAt(client, "/users"), [1, 2, 3]);
    assert.deepEqual(await idsAt(client, "/users/1/orders"), [1, 2, 3]);
    assert.deepEqual(await idsAt(client, "/orders/1/lines"), [1, 2, 3]);
  }
});

Deno.test("an order without a user gets one that is there", async () => {
  const client = await createShopClient();
  const { body } = await client.ask("POST /orders", { note: "a" });
  assert.ok([1, 2, 3].includes(body.userId));
  assert.ok((await idsAt(client, `/users/${body.userId}/orders`)).includes(body.id));
});

Deno.test("an example of an order is below the user that it names, if the user is there", async () => {
  const withExample = (definition: string, name: string, list: unknown[]): string =>
    definition.replace(`items: {$ref: "#/components/schemas/${name}"}}`, `$&, example: ${JSON.stringify(list)}`);
  const users = [{ id: 7, name: "Ann" }, { id: 8, name: "Bob" }];
  // 2 would be the id of a generated order.
  const orders = [{ id: 2, userId: 8 }, { id: 51, userId: 99 }];
  const client = await createShopClient(withExample(withExample(SHOP, "User", users), "Order", orders));
  assert.deepEqual((await client.ask("GET /orders/2")).body, { id: 2, userId: 8 });
  assert.deepEqual((await client.ask("GET /orders/51")).body, { id: 51, userId: 7 });
  assert.ok((await idsAt(client, "/users/8/orders")).includes(2));
  assert.ok((await idsAt(client, "/users/7/orders")).includes(51));
  assert.equal(new Set(await idsAt(client, "/orders")).size, 9);
});

Deno.test("references lead to orders of any user", async () => {
  const client = await createShopClient();
  const orders = await idsAt(client, "/orders");
  const { body } = await client.ask("GET /payments");
  assert.ok(body.length > 0);
  for (const { orderId } of body) assert.ok(orders.includes(orderId));
});
