import assert from "node:assert/strict";
import { inferResources } from "../../../../lib/mock/infer/infer_resources.ts";
import { SessionItems } from "../../../../lib/mock/session/session_items.ts";
import { EMPTY_STATE } from "../../../../lib/mock/state/store/initial_state.ts";
import { StateBudget } from "../../../../lib/mock/state/store/limits.ts";
import { createHandlerContext } from "../../../../lib/mock/operation/operation_handler.ts";
import { State } from "../../../../lib/mock/state/store/store.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";

/** Orders with a path of their own and one below their user, where they have lines. */
function shop(): Record<string, unknown> {
  const integer = { type: "integer" };
  const order = { type: "object", required: ["id"], properties: { id: integer, userId: integer } };
  const line = { type: "object", required: ["id"], properties: { id: integer, text: { type: "string" } } };
  const user = { type: "object", required: ["id"], properties: { id: integer } };
  const ref = { $ref: "#/components/schemas/Order" };
  const get = (schema: unknown): unknown => ({
    get: { responses: { "200": { description: "Found", content: { "application/json": { schema } } } } },
  });
  const collection = (path: string, id: string, items: unknown): [string, unknown][] => [
    [path, get({ type: "array", items })],
    [`${path}/{${id}}`, get(items)],
  ];
  return {
    openapi: "3.1.0",
    info: { title: "Shop", version: "1" },
    paths: Object.fromEntries([
      ...collection("/users", "userId", user),
      ...collection("/orders", "orderId", ref),
      ...collection("/users/{userId}/orders", "orderId", ref),
      ...collection("/users/{userId}/orders/{orderId}/lines", "lineId", line),
    ]),
    components: { schemas: { Order: order } },
  };
}

Deno.test("put() with another parent moves an item, with the items below it", async () => {
  const resources = inferResources([await parseDocument(shop())]);
  const items = new SessionItems(
    new State(EMPTY_STATE, new StateBudget()),
    () => resources,
    createHandlerContext().validatorOf,
  );
  assert.deepEqual(items.resources.toSorted(), ["orders", "users", "users.orders.lines"]);
  await items.put("orders", { id: 1, userId: 3 });
  await items.put("users.orders.lines", { id: 1, text: "a" }, ["3", "1"]);
  await items.put("orders", { id: 1, userId: 4 });
  assert.deepEqual(await items.list("orders"), [{ id: 1, userId: 4 }]);
  assert.deepEqual(await items.list("users.orders.lines", ["3", "1"]), []);
  assert.deepEqual(await items.list("users.orders.lines", ["4", "1"]), [{ id: 1, text: "a" }]);
});
