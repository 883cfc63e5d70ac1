/**
 * Tests Stripe's official client for Node with `gw mock --stateful` of Stripe's definition.
 *
 * @module
 */
import assert from "node:assert/strict";
import { collect, importPackage, startStateful, statusOf } from "./flow.ts";

/** The properties of Stripe's objects that these tests read. */
interface StripeObject extends Record<string, unknown> {
  readonly id: string;
}

/** What a list call of the client returns: as a promise, the first page; as an iterable, all items. */
type StripeList = AsyncIterable<StripeObject> & Promise<{ data: StripeObject[]; has_more: boolean; object: string }>;

/** The client's methods for one kind of object. */
interface StripeCalls {
  create(fields: Record<string, unknown>): Promise<StripeObject>;
  retrieve(id: string): Promise<StripeObject>;
  update(id: string, fields: Record<string, unknown>): Promise<StripeObject>;
  del(id: string): Promise<StripeObject>;
  cancel(id: string): Promise<StripeObject>;
  list(filter?: Record<string, unknown>): StripeList;
}

type Stripe = Readonly<Record<"customers" | "products" | "prices" | "subscriptions", StripeCalls>>;

/** The number of items that a test creates. It is greater than the number of initial items. */
const MANY = 25;

const gw = await startStateful("stripe.com.json");
const { default: Client } = await importPackage("stripe", "23.1.0", "esm/stripe.esm.node.js") as {
  default: new (key: string, options: Record<string, unknown>) => Stripe;
};
const stripe = new Client("sk_test_flow", { host: "127.0.0.1", port: gw.port, protocol: "http", maxNetworkRetries: 0 });

Deno.test.afterAll(async () => await gw[Symbol.asyncDispose]());

Deno.test("customers: created, read, updated, deleted", async () => {
  const created = await stripe.customers.create({ name: "Ann", email: "ann@example.com", metadata: { color: "red" } });
  const read = await stripe.customers.retrieve(created.id);
  assert.deepEqual(read, created);
  assert.deepEqual([read["name"], read["email"], read["metadata"]], ["Ann", "ann@example.com", { color: "red" }]);

  const updated = await stripe.customers.update(created.id, { name: "Anna", metadata: { size: "L" } });
  assert.equal(updated.id, created.id);
  assert.deepEqual([updated["name"], updated["email"]], ["Anna", "ann@example.com"]);
  assert.deepEqual(updated["metadata"], { color: "red", size: "L" });
  assert.equal((await stripe.customers.retrieve(created.id))["name"], "Anna");

  const deleted = await stripe.customers.del(created.id);
  assert.deepEqual([deleted.id, deleted["deleted"]], [created.id, true]);
  assert.equal(await statusOf(stripe.customers.retrieve(created.id)), 404);
});

Deno.test("customers: a list is paged through by its client, and filtered", async () => {
  const emails = Array.from({ length: MANY }, (_, index) => `page${index}@example.com`);
  for (const email of emails) await stripe.customers.create({ email });
  const page = await stripe.customers.list({ limit: 3 });
  assert.deepEqual([page.object, page.data.length, page.has_more], ["list", 3, true]);
  assert.equal(page.data[0]?.["email"], emails.at(-1), "The newest comes first, as the definition says.");

  const all = await collect(stripe.customers.list({ limit: 7 }));
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  assert.ok(emails.every((email) => all.some((customer) => customer["email"] === email)));
  const [, second] = page.data;
  const before = await stripe.customers.list({ ending_before: second?.id });
  assert.deepEqual(before.data.map(({ id }) => id), [page.data[0]?.id]);

  const found = await stripe.customers.list({ email: "page3@example.com" });
  assert.deepEqual(found.data.map(({ email }) => email), ["page3@example.com"]);
  assert.equal(await statusOf(stripe.customers.list({ starting_after: "cus_unknown" })), 400);
});

Deno.test("products and their prices", async () => {
  const tea = await stripe.products.create({ name: "Tea" });
  const coffee = await stripe.products.create({ name: "Coffee", active: false });
  const fields = { product: tea.id, unit_amount: 500, currency: "eur", recurring: { interval: "month" } };
  const price = await stripe.prices.create(fields);
  assert.deepEqual([price["product"], price["unit_amount"], price["currency"]], [tea.id, 500, "eur"]);
  assert.equal((price["recurring"] as { interval: string }).interval, "month");
  await stripe.prices.create({ product: coffee.id, unit_amount: 700, currency: "eur" });

  const prices = await stripe.prices.list({ product: tea.id });
  assert.deepEqual(prices.data.map(({ id }) => id), [price.id]);
  assert.equal((await stripe.prices.update(price.id, { nickname: "monthly" }))["nickname"], "monthly");
  assert.equal((await stripe.prices.retrieve(price.id))["unit_amount"], 500);

  const inactive = await collect(stripe.products.list({ active: false }));
  assert.ok(inactive.some(({ id }) => id === coffee.id) && inactive.every(({ active }) => active === false));
  assert.equal((await stripe.products.update(tea.id, { name: "Green tea" }))["name"], "Green tea");
  assert.equal((await stripe.products.del(tea.id)).id, tea.id);
  assert.equal(await statusOf(stripe.products.retrieve(tea.id)), 404);
});

Deno.test("subscriptions of a customer", async () => {
  const customer = await stripe.customers.create({ name: "Sub" });
  const product = await stripe.products.create({ name: "Paper" });
  const price = await stripe.prices.create({ product: product.id, unit_amount: 900, currency: "eur" });
  const created = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  const read = await stripe.subscriptions.retrieve(created.id);
  assert.equal(typeof read["customer"] === "string" ? read["customer"] : undefined, customer.id);

  const listed = await stripe.subscriptions.list({ customer: customer.id });
  assert.deepEqual(listed.data.map(({ id }) => id), [created.id]);
  const updated = await stripe.subscriptions.update(created.id, { metadata: { order: "6735" } });
  assert.equal((updated["metadata"] as Record<string, string>)["order"], "6735");
  assert.equal((await stripe.subscriptions.cancel(created.id)).id, created.id);
  assert.deepEqual((await stripe.subscriptions.list({ customer: customer.id })).data, []);
});
