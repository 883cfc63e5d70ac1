import assert from "node:assert/strict";
import { loadState, readState, writeState } from "../../../../lib/mock/state/store/saved_state.ts";
import { createShopClient, idsAt } from "./joined_shop.ts";

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
  const client = await createShopClient();
  const text = separateState([{ id: 21, userId: 3 }, { id: 22, userId: 4 }]);
  assert.deepEqual(await loadState(client.state, readState(text)), []);
  assert.deepEqual(await idsAt(client, "/users/3/orders"), [21, 20]);
  assert.deepEqual(await idsAt(client, "/users/4/orders"), [22]);
  assert.deepEqual(await idsAt(client, "/orders"), [21, 20, 22]);
  assert.equal((await client.ask("POST /users/3/orders", {})).body.id, 4);
  const again = await createShopClient();
  const saved = [...writeState(client.state.snapshot(), client.state.revision)].join("");
  assert.deepEqual(await loadState(again.state, readState(saved)), []);
  assert.deepEqual(await idsAt(again, "/orders"), await idsAt(client, "/orders"));
});

Deno.test("a saved order that is moved replaces the initial order with its id", async () => {
  const client = await createShopClient();
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
  const client = await createShopClient();
  const text = separateState([{ id: 20, userId: 4 }]);
  assert.deepEqual(await loadState(client.state, readState(text)), [{ resource: "users.orders", items: 1 }]);
  assert.deepEqual(await idsAt(client, "/orders"), [20]);
  assert.equal((await client.ask("GET /orders/20")).body.userId, 4);
  const saved = JSON.parse([...writeState(client.state.snapshot(), client.state.revision)].join(""));
  assert.deepEqual(saved.resources["users.orders"].collections[0].items[0].value, { id: 20, userId: 3 });
});
