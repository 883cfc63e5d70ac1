import assert from "node:assert/strict";
import { createAnswer } from "../../../../lib/mock/answer/answer.ts";
import { type CacheUse, PageAnswers, type ShownPage } from "../../../../lib/mock/state/answer_cache.ts";
import { createItem } from "../../../../lib/mock/state/item/item.ts";
import { EMPTY_STATE } from "../../../../lib/mock/state/store/initial_state.ts";
import { StateBudget } from "../../../../lib/mock/state/store/limits.ts";
import { State } from "../../../../lib/mock/state/store/store.ts";
import { createStateClient, type StateClient } from "./state_client.ts";

/** Orders that embed a product, in an envelope with a total, as JSON or XML, with a header that has a generated value. */
const ORDERS = `
openapi: 3.1.0
info: {title: Orders, version: 1.0.0}
paths:
  /orders:
    get:
      parameters:
        - {name: limit, in: query, schema: {type: integer}}
        - {name: offset, in: query, schema: {type: integer}}
        - {name: sort, in: query, schema: {type: string}}
      responses:
        "200":
          description: Orders
          headers: {X-Region: {schema: {type: string, enum: [a, b, c, d, e, f, g, h]}}}
          content:
            application/json: {schema: {$ref: "#/components/schemas/Page"}}
            application/xml: {schema: {$ref: "#/components/schemas/Page"}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
      responses:
        "201": {description: The order, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
  /orders/{orderId}:
    parameters: [{name: orderId, in: path, required: true, schema: {type: integer}}]
    put:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
      responses:
        "200": {description: The order, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
    delete: {responses: {"204": {description: Gone}}}
  /products:
    get:
      responses:
        "200":
          description: Products
          headers: {Link: {schema: {type: string}}}
          content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Product"}}}}
      parameters:
        - {name: limit, in: query, schema: {type: integer}}
        - {name: page, in: query, schema: {type: integer}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Product"}}}}
      responses:
        "201": {description: Product, content: {application/json: {schema: {$ref: "#/components/schemas/Product"}}}}
  /products/{sku}:
    parameters: [{name: sku, in: path, required: true, schema: {type: string}}]
    put:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Product"}}}}
      responses:
        "200": {description: Product, content: {application/json: {schema: {$ref: "#/components/schemas/Product"}}}}
components:
  schemas:
    Page:
      type: object
      required: [data, total]
      properties:
        data: {type: array, items: {$ref: "#/components/schemas/Order"}}
        total: {type: integer}
    Order:
      type: object
      required: [id]
      properties:
        id: {type: integer}
        note: {type: string}
        product: {$ref: "#/components/schemas/Product"}
    Product:
      type: object
      required: [sku, price]
      properties: {sku: {type: string}, price: {type: integer}}
`;

/** A client of a server with three orders. The first two embed the product `a`. */
async function createOrders(): Promise<StateClient> {
  const client = await createStateClient(ORDERS);
  for (const sku of ["a", "b"]) await client.ask("POST /products", { sku, price: 1 });
  for (const [id, sku] of [[1, "a"], [2, "a"], [3, "b"]]) {
    await client.ask("POST /orders", { id, note: "", product: { sku, price: 1 } });
  }
  return client;
}

const LIST = "GET /orders?limit=2";

Deno.test("an answer that shows a page is found again by another URL", async () => {
  const client = await createOrders();
  const { answer } = await client.ask(LIST);
  assert.equal((await client.ask(`${LIST}&request=2`)).answer, answer);
  assert.equal((await client.ask("GET /orders?offset=0&limit=2")).answer, answer);
  const nothing = await client.ask("GET /orders?offset=7");
  assert.equal((await client.ask("GET /orders?offset=8")).answer, nothing.answer);
});

/** Writes to the items of `createOrders()`, and whether the answer of the list is found again after them. */
const WRITES: readonly [name: string, line: string, body: unknown, isFound: boolean][] = [
  ["an item of another page is written", "PUT /orders/3", { id: 3, note: "new" }, true],
  ["an item that no item of the page embeds is written", "PUT /products/b", { sku: "b", price: 2 }, true],
  ["an item of the page is written", "PUT /orders/2", { id: 2, note: "new" }, false],
  ["an item of the page is deleted", "DELETE /orders/1", undefined, false],
  ["an item that the page embeds is written", "PUT /products/a", { sku: "a", price: 2 }, false],
  ["an item is created, which changes the total", "POST /orders", { id: 4 }, false],
];

for (const [name, line, body, isFound] of WRITES) {
  Deno.test(`the answer that shows a page is ${isFound ? "found again" : "made anew"} after ${name}`, async () => {
    const client = await createOrders();
    const before = await client.ask(LIST);
    await client.ask(line, body);
    const after = await client.ask(LIST);
    assert.equal(after.answer === before.answer, isFound);
    // A server that wasn't asked for the list before gives the same body.
    const fresh = await createOrders();
    await fresh.ask(line, body);
    assert.deepEqual(after.body, (await fresh.ask(LIST)).body);
  });
}

Deno.test("each media type has its own answer", async () => {
  const client = await createOrders();
  const json = await client.ask(LIST, undefined, { accept: "application/json" });
  const xml = await client.ask(LIST, undefined, { accept: "application/xml" });
  assert.deepEqual(json.body.data.map(({ id }: { id: number }) => id), [1, 2]);
  assert.match(xml.body, /^<\?xml/);
  assert.equal((await client.ask(LIST, undefined, { accept: "application/json" })).answer, json.answer);
  assert.equal((await client.ask(LIST, undefined, { accept: "image/png" })).status, 406);
});

Deno.test("an answer has the remarks of its own request", async () => {
  const client = await createOrders();
  assert.deepEqual((await client.ask(LIST)).remarks, []);
  assert.equal((await client.ask(`${LIST}&sort=unknown`)).remarks.length, 1);
  assert.deepEqual((await client.ask(LIST)).remarks, []);
});

Deno.test("an answer has links with the URL of its own request", async () => {
  const client = await createOrders();
  const linkOf = async (line: string): Promise<string | null> => (await client.ask(line)).headers.get("link");
  assert.equal(
    await linkOf("GET /products?limit=1&a=1"),
    '<http://localhost/products?limit=1&a=1&page=2>; rel="next", ' +
      '<http://localhost/products?limit=1&a=1&page=2>; rel="last"',
  );
  assert.match(await linkOf("GET /products?limit=1&a=2") ?? "", /a=2&page=2>; rel="next"/);
});

Deno.test("sessions with the same item get the headers of their own seed", async () => {
  const region = "headers: {X-Region: {schema: {type: string, enum: [a, b, c, d, e, f, g, h]}}}";
  const definition = ORDERS.replace(
    "    put:\n",
    `    get:
      responses:
        "200":
          description: The order
          ${region}
          content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}
    put:
`,
  );
  const client = await createStateClient(definition);
  await client.ask("POST /orders", { id: 1 });
  const regions = await Promise.all([1, 2, 3, 4].map(async (seed) => {
    const fork = client.fork(seed);
    const { headers, answer } = await fork.ask("GET /orders/1");
    assert.equal((await fork.ask("GET /orders/1")).answer, answer);
    return headers.get("x-region");
  }));
  assert.ok(new Set(regions).size > 1, regions.join());
});

Deno.test("sessions with the same items get the headers of their own seed, and the embedded items of their own", async () => {
  const client = await createOrders();
  const { answer, headers } = await client.ask(LIST);
  assert.equal((await client.fork(0).ask(LIST)).answer, answer);
  const regions = await Promise.all([1, 2, 3, 4, 5].map(async (seed) => {
    const [fork, fresh] = [client.fork(seed), (await createOrders()).fork(seed)];
    const region = (await fork.ask(LIST)).headers.get("x-region");
    assert.equal(region, (await fresh.ask(LIST)).headers.get("x-region"));
    return region;
  }));
  assert.ok(regions.some((region) => region !== headers.get("x-region")));

  const fork = client.fork(0);
  await fork.ask("PUT /products/a", { sku: "a", price: 9 });
  assert.equal((await fork.ask(LIST)).body.data[0].product.price, 9);
  assert.equal((await client.ask(LIST)).body.data[0].product.price, 1);
});

const MiB = 1024 * 1024;
const answerOf = (bytes: number) =>
  createAnswer({ status: 200, headers: [], body: new Uint8Array(bytes), mediaType: "text/plain", source: "state" });
const itemOf = (text = "") => createItem({ key: "1", scope: [], value: { text } }, 1, 1);
const pageOf = (item: ReturnType<typeof itemOf>, total = 0): ShownPage => ({
  items: [item],
  values: [{ path: TOTAL, value: total }],
  headers: [],
  fields: undefined,
  remarks: [],
  media: undefined,
  seed: 0,
});
const TOTAL = ["total"];

Deno.test("PageAnswers limits the memory of all answers, and of the items that they show", () => {
  const state = new State(EMPTY_STATE, new StateBudget());
  const use: CacheUse = { bytes: 0, caches: new Set() };
  const pages = new PageAnswers(use);
  const shown = Array.from({ length: 12 }, () => pageOf(itemOf()));
  for (const page of shown) {
    pages.set(page, answerOf(2 * MiB), []);
    assert.ok(use.bytes <= 32 * MiB);
  }
  assert.deepEqual(shown.map((page) => pages.get(page, state) !== undefined), [
    ...Array(7).fill(false),
    ...Array(5).fill(true),
  ]);
  // An answer that takes more than a quarter of the limit isn't cached.
  for (const [text, bytes] of [["a".repeat(5 * MiB), 0], ["", 5 * MiB]] as const) {
    const page = pageOf(itemOf(text));
    pages.set(page, answerOf(bytes), []);
    assert.equal(pages.get(page, state), undefined);
  }
});

Deno.test("PageAnswers of several operations are freed together", () => {
  const state = new State(EMPTY_STATE, new StateBudget());
  const use: CacheUse = { bytes: 0, caches: new Set() };
  const [one, other] = [new PageAnswers(use), new PageAnswers(use)];
  const page = pageOf(itemOf());
  one.set(page, answerOf(MiB), []);
  assert.ok(one.get(page, state) !== undefined);
  // The answers of the other operation exceed the limit.
  for (let count = 0; count < 8; count++) other.set(pageOf(itemOf()), answerOf(2 * MiB), []);
  assert.equal(one.get(page, state), undefined);
  assert.deepEqual([...use.caches], [other]);
});

Deno.test("PageAnswers keeps the latest four answers that begin with the same item", () => {
  const state = new State(EMPTY_STATE, new StateBudget());
  const pages = new PageAnswers({ bytes: 0, caches: new Set() });
  const item = itemOf();
  const totals = [1, 2, 3, 4, 5, 6];
  for (const total of totals) pages.set(pageOf(item, total), answerOf(10), []);
  assert.deepEqual(totals.filter((total) => pages.get(pageOf(item, total), state) !== undefined), [3, 4, 5, 6]);
});
