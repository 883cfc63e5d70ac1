/** What the journal records of a request besides its messages: durations, what was decided, samples; and the filters. */
import assert from "node:assert/strict";
import { createMockServer } from "../../../../lib/mock/server/create_mock_server.ts";
import { writeHar } from "../../../../lib/mock/journal/har.ts";
import { createJournals } from "../../../../lib/mock/journal/journals.ts";
import type { RequestFilter } from "../../../../lib/mock/journal/filter.ts";
import type { MockOptions } from "../../../../lib/mock/mock_options.ts";
import type { MockServer } from "../../../../lib/mock/server/open_mock_server.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { createControlled } from "../control/controlled.ts";

const SHOP = `
openapi: 3.1.1
info: {title: Shop, version: "1.0"}
paths:
  /orders:
    get: {operationId: listOrders, responses: {"200": {description: Orders, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Order"}}}}}}}
    post:
      operationId: createOrder
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
      responses: {"201": {description: Order, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}}
  /orders/{orderId}:
    get:
      operationId: getOrder
      parameters: [{name: orderId, in: path, required: true, schema: {type: integer}}]
      responses: {"200": {description: Order, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}}
  /random: {get: {responses: {"200": {description: Random, content: {application/json: {schema: {type: string}}}}}}}
  /example: {get: {responses: {"200": {description: An example, content: {application/json: {examples: {one: {value: 1}}}}}}}}
components:
  schemas:
    Order: {type: object, required: [id, item], properties: {id: {type: integer, readOnly: true}, item: {type: string}}}
`;

async function shop(options: MockOptions = {}): Promise<MockServer> {
  return await createMockServer(await parseDocument(SHOP), { validate: "warn", ...options });
}

Deno.test("an entry has the milliseconds until the answer was ready, by the stopwatch", async () => {
  let time = 0;
  const server = await shop({ stopwatch: () => time += 7, now: () => 1_000_000 });
  await server.fetch("http://localhost/orders");
  await server.fetch("http://localhost/other");
  await server.fetch("http://localhost/orders", { headers: { "x-gw-session": "a" } });
  const recorded = [...await server.requests.list(), ...await server.session("a").requests.list()];
  assert.deepEqual(recorded.map(({ duration }) => duration), [7, 7, 7]);
});

Deno.test("an entry has no duration without a stopwatch", async () => {
  const server = await shop();
  await server.fetch("http://localhost/orders");
  assert.equal((await server.requests.list())[0]?.duration, undefined);
});

Deno.test("an HTTP Archive has the durations of requests, and the times when they began", () => {
  const journal = createJournals({ now: () => 1_000_000, stopwatch: () => 250 }).open("");
  const reply = { response: new Response(null, { status: 204 }), mediaType: "", source: "status" };
  journal.record(new Request("http://localhost/"), reply, {}, 50);
  journal.record(new Request("http://localhost/"), { ...reply, delay: 500 }, {}, 50)?.(700);
  const { log: { entries } } = JSON.parse([...writeHar(journal.entries())].join(""));
  assert.deepEqual(
    entries.map(({ startedDateTime, time, timings }: Record<string, unknown>) => [startedDateTime, time, timings]),
    [200, 700].map((time) => ["1970-01-01T00:16:39.800Z", time, { send: 0, wait: time, receive: 0 }]),
  );
});

Deno.test("an entry has the facts of what was decided", async () => {
  const server = await shop({ dynamic: true });
  await server.rules.add({ operation: "GET /example", delay: 0, status: 503, force: true, times: 1 });
  const factsOf = async (path: string, init?: RequestInit): Promise<unknown> => {
    await server.fetch(`http://localhost${path}`, init);
    const { response: { source, rules, seed, resource } } = (await server.requests.list()).at(-1) ?? { response: {} };
    return { source, rules, seed, resource };
  };
  const none = { rules: undefined, seed: undefined, resource: undefined };
  assert.deepEqual(await factsOf("/example"), { ...none, source: "rule", rules: ["r1"] });
  assert.deepEqual(await factsOf("/example"), { ...none, source: "examples.one" });
  assert.deepEqual(await factsOf("/random"), { ...none, source: "generated", seed: 1 });
  assert.deepEqual(await factsOf("/random"), { ...none, source: "generated", seed: 2 });
  assert.deepEqual(await factsOf("/orders"), { ...none, source: "state", resource: "orders" });
  assert.deepEqual(await factsOf("/orders/999"), { ...none, source: "problem", resource: "orders" });
  assert.deepEqual(await factsOf("/other"), { ...none, source: "problem" });
});

Deno.test("beyond the most of a second, one request in 64 is recorded with its details", () => {
  const journal = createJournals({ detailsPerSecond: 10, now: () => 10_000 }).open("a");
  const reply = { response: new Response(null, { status: 204 }), mediaType: "", source: "status" };
  for (let count = 0; count < 10 + 3 * 64; count++) journal.record(new Request("http://localhost/"), reply, {});
  const detailed = [...journal.entries()].filter(({ request }) => request.lacksDetails !== true);
  assert.equal(detailed.length, 13);
});

Deno.test("a journal's memory is bounded by the option journalMemory, and grows with journal", async () => {
  const recordedWith = async (options: MockOptions): Promise<number> => {
    const server = await shop(options);
    const headers = { "x-long": "x".repeat(2_000) };
    for (let count = 0; count < 300; count++) await server.fetch("http://localhost/example", { headers });
    return (await server.requests.list()).length;
  };
  assert.equal(await recordedWith({ journal: 1_000 }), 300);
  assert.ok(await recordedWith({ journal: 1_000, journalMemory: 200_000 }) < 100);
});

Deno.test("requests are filtered by text, source, rule, operation at all, and violations", async () => {
  const server = await shop();
  await server.rules.add({ operation: "GET /random", status: 503, force: true });
  const json = { "content-type": "application/json" };
  await server.fetch("http://localhost/orders?q=Chair");
  await server.fetch("http://localhost/orders", { method: "POST", headers: json, body: '{"item":"TABLE"}' });
  await server.fetch("http://localhost/orders", { method: "POST", headers: json, body: '{"item":7}' });
  await server.fetch("http://localhost/example", { headers: { "x-tenant": "Acme" } });
  await server.fetch("http://localhost/random");
  await server.fetch("http://localhost/orderz");
  const cases: readonly [filter: RequestFilter, ids: readonly number[]][] = [
    [{ text: "chair" }, [1]],
    [{ text: "table" }, [2]],
    [{ text: "acme" }, [4]],
    [{ text: "X-TENANT" }, [4]],
    [{ text: "no path of the definition" }, [6]],
    [{ text: "must be string" }, [3]],
    [{ text: "" }, [1, 2, 3, 4, 5, 6]],
    [{ text: "nowhere" }, []],
    [{ source: "state" }, [1, 2, 3]],
    [{ source: "examples" }, [4]],
    [{ source: "examples.one" }, [4]],
    [{ source: "example" }, []],
    [{ source: "problem" }, [6]],
    [{ rule: "r1" }, [5]],
    [{ rule: "r2" }, []],
    [{ matched: false }, [6]],
    [{ matched: true, method: "GET" }, [1, 4, 5]],
    [{ violations: true }, [3]],
    [{ violations: false, source: "state" }, [1, 2]],
  ];
  for (const [filter, ids] of cases) {
    assert.deepEqual((await server.requests.list(filter)).map(({ id }) => id), ids, JSON.stringify(filter));
  }
  await server.requests.verify({ matched: false, count: 1 });
});

Deno.test("GET requests takes the filters by text, source, rule, operation at all, and violations", async () => {
  const ask = await createControlled({ journal: 10, validate: "warn" });
  await ask("GET /pets");
  await ask("GET /petz");
  const idsOf = async (query: string): Promise<number[]> => {
    const { requests } = await (await ask(`GET /_gw/requests?${query}`)).json();
    return requests.map(({ id }: { id: number }) => id);
  };
  assert.deepEqual(await idsOf("text=PETZ"), [2]);
  assert.deepEqual(await idsOf("matched=false"), [2]);
  assert.deepEqual(await idsOf("matched=true&source=state"), [1]);
  assert.deepEqual(await idsOf("violations=true"), []);
  assert.deepEqual(await idsOf("rule=r1"), []);
  assert.equal((await ask("GET /_gw/requests?matched=maybe")).status, 400);
});
