import assert from "node:assert/strict";
import { createBodyGenerator } from "../../../../../lib/mock/generate/generate.ts";
import { inferResources } from "../../../../../lib/mock/infer/infer_resources.ts";
import type { Resource } from "../../../../../lib/mock/infer/resource.ts";
import { createInitialStates, type InitialStates } from "../../../../../lib/mock/state/store/initial_states.ts";
import type { Item } from "../../../../../lib/mock/state/item/item.ts";
import { StateBudget } from "../../../../../lib/mock/state/store/limits.ts";
import { State } from "../../../../../lib/mock/state/store/store.ts";
import { parseDocument } from "../../../../../lib/openapi/document.ts";
import { createDocumentValidator } from "../../../../../lib/schema/document_validator.ts";

const SHOP = `
openapi: 3.1.0
info: {title: Shop, version: 1.0.0}
paths:
  /users:
    get: {responses: {"200": {description: Users, content: {application/json: {
      schema: {type: array, items: {$ref: "#/components/schemas/User"}},
      example: [{id: 7, name: Ann}, {id: 8, name: Bob}, {id: x}]}}}}}
  /users/{userId}:
    get: {responses: {"200": {description: A user, content: {application/json: {
      schema: {$ref: "#/components/schemas/User"}, example: {id: 8, name: Bob, town: Bonn}}}}}}
  /users/{userId}/orders:
    get: {responses: {"200": {description: Orders, content: {application/json: {
      schema: {type: array, items: {$ref: "#/components/schemas/Order"}}}}}}}
  /users/{userId}/orders/{id}:
    get: {responses: {"200": {description: An order, content: {application/json: {
      schema: {$ref: "#/components/schemas/Order"}}}}}}
  /shops/{shop}/tags:
    get: {parameters: [{name: state, in: query, schema: {type: string, enum: [open, closed], default: open}}], responses: {"200": {description: Tags, content: {application/json: {
      schema: {type: array, items: {$ref: "#/components/schemas/Tag"}}}}}}}
  /shops/{shop}/tags/{id}:
    get: {responses: {"200": {description: A tag, content: {application/json: {
      schema: {$ref: "#/components/schemas/Tag"}}}}}}
  /books:
    get: {responses: {"200": {description: Books, content: {application/json: {
      schema: {type: array, items: {$ref: "#/components/schemas/Book"}}}}}}}
  /books/{id}:
    get: {responses: {"200": {description: A book, content: {application/json: {
      schema: {$ref: "#/components/schemas/Book"}}}}}}
  /odds:
    get: {responses: {"200": {description: Odd, content: {application/json: {
      schema: {type: array, items: {$ref: "#/components/schemas/Odd"}}}}}}}
  /odds/{id}:
    get: {responses: {"200": {description: Odd, content: {application/json: {
      schema: {$ref: "#/components/schemas/Odd"}}}}}}
components:
  schemas:
    User: {type: object, required: [id, name], properties: {id: {type: integer}, name: {type: string}, town: {type: string}}}
    Order: {type: object, required: [id, userId], properties: {id: {type: string, format: uuid}, userId: {type: integer}}}
    Book: {type: object, required: [id, text], properties: {id: {type: integer}, text: {type: string, minLength: 200000}}}
    Odd: {type: object, required: [id], properties: {id: {type: integer, const: 5}}}
    Tag: {type: object, required: [id], properties: {id: {type: integer}, shop: {type: string}, state: {type: string}}}
`;

/** The initial states of the shop's resources. The orders are in the scope of users. */
async function shop(items?: number): Promise<InitialStates> {
  const document = await parseDocument(SHOP);
  const { all } = inferResources([document]);
  const users = all.find(({ name }) => name === "users");
  const related = all.map((resource): Resource =>
    resource.name === "users.orders" && users !== undefined
      ? { ...resource, scope: [{ parameter: "userId", property: ["userId"], parent: users }] }
      : resource.name === "shops.tags"
      ? { ...resource, scope: [{ parameter: "shop", property: ["shop"] }] }
      : resource
  );
  const generator = createBodyGenerator(document);
  const validator = createDocumentValidator(document);
  const states = createInitialStates({ all: related }, {
    items,
    generatorOf: () => generator,
    validatorOf: () => validator,
  });
  for (const { name } of related) await states(0).prepare(name);
  return states;
}

const keys = (items: Iterable<Item>): string[] => [...items].map(({ key }) => key);
const values = (items: Iterable<Item>): unknown[] => [...items].map(({ value }) => value);

Deno.test("an initial collection has the valid examples, then generated items with free ids", async () => {
  const users = (await shop(4))(0).collection("users", []);
  assert.deepEqual(keys(users), ["7", "8", "3", "4"]);
  assert.deepEqual(users.get("8")?.value, { id: 8, name: "Bob", town: "Bonn" });
});

Deno.test("the same seed gives the same items, another seed others", async () => {
  const [first, second] = [await shop(), await shop()];
  const orders = (states: InitialStates, seed: number) => values(states(seed).collection("users.orders", ["7"]));
  assert.deepEqual(orders(first, 0), orders(second, 0));
  assert.notDeepEqual(orders(first, 0), orders(first, 1));
});

Deno.test("only parents of the initial state have initial children, which contain the parent's id", async () => {
  const state = (await shop())(0);
  const orders = state.collection("users.orders", ["8"]);
  assert.equal(orders.size, 3);
  for (const { value } of orders) assert.equal(value["userId"], 8);
  assert.notDeepEqual(keys(orders), keys(state.collection("users.orders", ["7"])));
  assert.equal(state.collection("users.orders", ["99"]).size, 0);
  assert.deepEqual([...state.scopes("users.orders")], [["7"], ["8"], ["3"]]);
});

Deno.test("a scope parameter without a resource has initial items for each of its values", async () => {
  const state = (await shop())(0);
  for (const shop of ["a", "b"]) {
    const tags = state.collection("shops.tags", [shop]);
    assert.deepEqual([...tags].map(({ value }) => value["shop"]), [shop, shop, shop]);
  }
});

Deno.test("a list shows generated items without a query", async () => {
  const tags = (await shop())(0).collection("shops.tags", ["a"]);
  assert.deepEqual([...tags].map(({ value }) => value["state"]), ["open", "open", "open"]);
});

Deno.test("an initial collection ends if the schema allows no further id, and is empty with `items: 0`", async () => {
  assert.deepEqual(keys((await shop())(0).collection("odds", [])), ["5"]);
  const none = (await shop(0))(0);
  assert.equal(none.collection("users", []).size, 0);
  assert.equal(none.collection("unknown", []).size, 0);
});

Deno.test("an initial collection is limited to 16 MiB, and generated once", async () => {
  const state = (await shop(1_000))(0);
  const books = state.collection("books", []);
  assert.ok(books.size > 10 && books.size < 100, `${books.size} items`);
  assert.equal(state.collection("books", []), books);
});

Deno.test("views of initial items are dropped with the initial collections", async () => {
  const states = await shop(1_000);
  const state = new State(states(0), new StateBudget());
  const tags = state.list("shops.tags", [undefined]);
  assert.equal(state.list("shops.tags", [undefined]), tags);
  for (let seed = 0; seed < 4; seed++) states(seed).collection("books", []);
  assert.notEqual(state.list("shops.tags", [undefined]), tags);
});

Deno.test("scopes() lists only the scopes whose initial items a list of all parents may show", async () => {
  const states = await shop(200);
  const scopes = [...states(0).scopes("users.orders")];
  assert.equal(scopes.length, 50);
  assert.equal(states(0).collection("users.orders", scopes[0] ?? []).size, 200);
  const large = await shop(30);
  assert.equal([...large(0).scopes("users.orders")].length, 30);
});

Deno.test("collection() and scopes() throw for a resource that isn't prepared", async () => {
  const { all } = inferResources([await parseDocument(SHOP)]);
  const never = () => Promise.reject(new Error("unused"));
  const states = createInitialStates({ all }, { generatorOf: never, validatorOf: never });
  assert.throws(() => states(0).collection("users", []), /users isn't prepared/);
  assert.throws(() => states(0).scopes("users"), /users isn't prepared/);
});
