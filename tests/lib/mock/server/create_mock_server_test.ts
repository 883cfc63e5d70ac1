import assert from "node:assert/strict";
import { createMockServer, type MockServer, parseDocument, StateFullError } from "../../../../mod.ts";
import type { MockOptions } from "../../../../mod.ts";

const SHOP = `
openapi: 3.1.0
info: {title: Shop, version: 1.0.0}
paths:
  /users:
    get: {responses: {"200": {description: Users, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/User"}}}}}}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/User"}}}}
      responses: {"201": {description: A user, content: {application/json: {schema: {$ref: "#/components/schemas/User"}}}}}
  /users/{userId}:
    parameters: [{name: userId, in: path, required: true, schema: {type: integer}}]
    get: {responses: {"200": {description: A user, content: {application/json: {schema: {$ref: "#/components/schemas/User"}}}}}}
  /users/{userId}/orders:
    parameters: [{name: userId, in: path, required: true, schema: {type: integer}}]
    get: {responses: {"200": {description: Orders, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Order"}}}}}}}
  /users/{userId}/orders/{orderId}:
    parameters:
      - {name: userId, in: path, required: true, schema: {type: integer}}
      - {name: orderId, in: path, required: true, schema: {type: integer}}
    get: {responses: {"200": {description: An order, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}}}
components:
  schemas:
    User:
      type: object
      required: [id, name]
      properties: {id: {type: integer, readOnly: true}, name: {type: string}, createdAt: {type: string, format: date-time, readOnly: true}}
    Order: {type: object, required: [id, userId], properties: {id: {type: integer, readOnly: true}, userId: {type: integer}}}
`;

async function start(options: MockOptions = {}): Promise<MockServer> {
  return await createMockServer(await parseDocument(SHOP), options);
}

function get(path: string, headers: Record<string, string> = {}): Request {
  return new Request(`http://localhost${path}`, { headers });
}

Deno.test("a mock server's state is what its operations answer", async () => {
  const { state, fetch } = await start();
  assert.deepEqual(state.resources, ["users", "users.orders"]);
  await state.replace("users", [{ id: 7, name: "Ann" }, { id: 8, name: "Bob" }]);
  assert.deepEqual(await (await fetch(get("/users"))).json(), [{ id: 7, name: "Ann" }, { id: 8, name: "Bob" }]);
  await state.put("users", { id: 7, name: "Anna" });
  assert.deepEqual(await state.get("users", 7), { id: 7, name: "Anna" });
  assert.equal(await state.delete("users", 8), true);
  assert.equal(await state.delete("users", 8), false);
  assert.equal((await fetch(get("/users/8"))).status, 404);
});

Deno.test("a mock server's fetch takes what fetch takes", async () => {
  const server = await start();
  const mockFetch: typeof fetch = server.fetch;
  const url = "http://localhost/users";
  for (const input of [url, new URL(url), new Request(url)]) assert.equal((await mockFetch(input)).status, 200);
  const init = { method: "POST", body: '{"name":"Ann"}', headers: { "content-type": "application/json" } };
  for (const input of [url, new URL(url), new Request(url)]) assert.equal((await mockFetch(input, init)).status, 201);
  await assert.rejects(mockFetch("/users"), TypeError);
});

Deno.test("a filter with an operation that the definition doesn't have is refused", async () => {
  const { requests } = await start();
  const unknown = {
    name: "RangeError",
    message: "The definition has no operation `GET /user`. Did you mean `GET /users`?",
  };
  await assert.rejects(requests.verify({ operation: "GET /user", count: 0 }), unknown);
  await assert.rejects(requests.list({ operation: "GET /user" }), unknown);
  await requests.verify({ operation: "GET /users", count: 0 });
});

Deno.test("items of a parent are found with its scope, and without", async () => {
  const { state, fetch } = await start();
  await state.replace("users", [{ id: 7, name: "Ann" }]);
  await state.replace("users.orders", [{ id: 1, userId: 7 }, { id: 2, userId: 9 }]);
  assert.deepEqual(await (await fetch(get("/users/7/orders"))).json(), [{ id: 1, userId: 7 }]);
  assert.deepEqual(await state.list("users.orders", ["9"]), [{ id: 2, userId: 9 }]);
  assert.deepEqual(await state.get("users.orders", 2), { id: 2, userId: 9 });
});

const MOVABLE = `
openapi: 3.1.0
info: {title: Tasks, version: 1.0.0}
paths:
  /users/{userId}/tasks:
    parameters: [{name: userId, in: path, required: true, schema: {type: integer}}]
    get: {responses: {"200": {description: Tasks, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Task"}}}}}}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Task"}}}}
      responses: {"201": {description: A task, content: {application/json: {schema: {$ref: "#/components/schemas/Task"}}}}}
  /tasks/{taskId}:
    parameters: [{name: taskId, in: path, required: true, schema: {type: integer}}]
    get: {responses: {"200": {description: A task, content: {application/json: {schema: {$ref: "#/components/schemas/Task"}}}}}}
    delete: {responses: {"204": {description: Deleted}}}
components:
  schemas:
    Task: {type: object, required: [id, title], properties: {id: {type: integer, readOnly: true}, userId: {type: integer}, title: {type: string}}}
`;

Deno.test("items that are found by their id alone have different ids under different parents", async () => {
  const { fetch } = await createMockServer(await parseDocument(MOVABLE), { items: 0 });
  const create = async (user: number): Promise<{ id: number }> => {
    const init = { method: "POST", body: '{"title":"Wash"}', headers: { "content-type": "application/json" } };
    return await (await fetch(new Request(`http://localhost/users/${user}/tasks`, init))).json();
  };
  const tasks = [await create(1), await create(2), await create(2)];
  assert.deepEqual(tasks.map(({ id }) => id), [1, 2, 3]);
  for (const task of tasks) assert.deepEqual(await (await fetch(get(`/tasks/${task.id}`))).json(), task);
});

Deno.test("new items have the same ids after a reset and a restore, and never that of a deleted item", async () => {
  const server = await start();
  const create = async (): Promise<number> => {
    const init = { method: "POST", body: '{"name":"Ann"}', headers: { "content-type": "application/json" } };
    return (await (await server.fetch(new Request("http://localhost/users", init))).json()).id;
  };
  assert.equal(await create(), 4);
  await server.state.delete("users", 4);
  assert.equal(await create(), 5);
  server.snapshot("five");
  assert.equal(await create(), 6);
  server.restore("five");
  assert.equal(await create(), 6);
  server.reset();
  assert.equal(await create(), 4);
});

Deno.test("methods of state refuse unknown resources, wrong scopes, and items without an id", async () => {
  const { state } = await start();
  const cases: [attempt: () => Promise<unknown>, want: RegExp][] = [
    [() => state.list("user"), /no resource "user"\. Did you mean users\?/],
    [() => state.list("users", ["7"]), /no scope, and not 1/],
    [() => state.list("users.orders", []), /scope of 1: userId, and not 0/],
    [() => state.put("users", { name: "Ann" }), /id in id, and this one has none/],
    [() => state.put("users.orders", { id: 1 }), /Which userId/],
  ];
  for (const [attempt, want] of cases) {
    await assert.rejects(attempt, (error) => error instanceof RangeError && want.test(error.message));
  }
});

Deno.test("state refuses wrong values and undeclared properties, unless they are to be fitted", async () => {
  const { state } = await start();
  const cases: [item: Record<string, unknown>, want: RegExp][] = [
    [{ id: 7, nope: 1 }, /^The item \{"id":7,"nope":1\} of users .*"nope" is no property of it\. With \{fit: true\}/],
    [{ id: 7, nam: "Ann" }, /"nam" is no property of it; did you mean "name"\?/],
    [{ id: 7, name: 12 }, /`name` must be string/],
  ];
  for (const [item, want] of cases) {
    const before = await state.list("users");
    for (const attempt of [() => state.put("users", item), () => state.replace("users", [{ id: 8 }, item])]) {
      await assert.rejects(attempt, (error) => error instanceof RangeError && want.test(error.message));
    }
    assert.deepEqual(await state.list("users"), before);
    await state.put("users", item, { fit: true });
    assert.deepEqual(await state.get("users", 7), item);
  }
  await state.replace("users", [{ id: 9 }]);
  assert.deepEqual(await state.list("users"), [{ id: 9 }]);
  await state.replace("users.orders", [{ id: 1, userId: 9 }], { scope: ["9"] });
  assert.equal((await state.list("users.orders", ["9"])).length, 1);
});

Deno.test("values of the state are copies", async () => {
  const { state } = await start();
  const user = { id: 7, name: "Ann" };
  await state.put("users", user);
  user.name = "changed";
  const read = await state.get("users", 7);
  assert.deepEqual(read, { id: 7, name: "Ann" });
  Object.assign(read ?? {}, { name: "changed" });
  assert.deepEqual(await state.get("users", 7), { id: 7, name: "Ann" });
});

Deno.test("a session has state, rules, requests and time of its own", async () => {
  const server = await start();
  const session = server.session("a");
  await session.state.put("users", { id: 70, name: "Ann" });
  await session.rules.add("GET /users: 503");
  session.time = Date.UTC(2030, 0, 1);
  const body = JSON.stringify({ name: "Eve" });
  const post = (): Request =>
    new Request("http://localhost/users", { method: "POST", body, headers: { "content-type": "application/json" } });
  assert.equal((await (await session.fetch(post())).json()).createdAt, "2030-01-01T00:00:00Z");
  assert.equal((await (await server.fetch(post())).json()).createdAt, "2026-01-01T00:00:00Z");
  assert.equal((await session.fetch(get("/users"))).status, 503);
  assert.equal((await server.fetch(get("/users"))).status, 200);
  assert.equal((await server.fetch(get("/users", { "x-gw-session": "a" }))).status, 503);
  assert.equal(await server.state.get("users", 70), undefined);
  await session.requests.verify({ operation: "GET /users", count: 2 });
  await server.requests.verify({ operation: "GET /users", count: 1 });
  session.reset();
  assert.equal((await session.fetch(get("/users"))).status, 200);
  assert.equal(await session.state.get("users", 70), undefined);
  assert.throws(() => server.session("no name"), RangeError);
});

Deno.test("a session refuses a time that dates can't have", async () => {
  const server = await start();
  for (const time of [NaN, Infinity, 1e20, -1e20]) assert.throws(() => server.time = time, RangeError);
});

Deno.test("restore() returns a session to a snapshot", async () => {
  const server = await start();
  await server.state.put("users", { id: 70, name: "Ann" });
  server.snapshot("before");
  await server.state.delete("users", 70);
  server.restore("before");
  assert.deepEqual(await server.state.get("users", 70), { id: 70, name: "Ann" });
  assert.throws(() => server.restore("other"), /There are before\./);
});

Deno.test("fetch() fails for faults of rules as for a broken connection", async () => {
  const { fetch, rules } = await start();
  for (const fault of ["reset", "empty"]) {
    const id = await rules.add(`GET /users: ${fault}`);
    await assert.rejects(fetch(get("/users")), TypeError);
    rules.remove(id);
  }
  const id = await rules.add("GET /users: truncated 1");
  const truncated = await fetch(get("/users"));
  await assert.rejects(truncated.text(), TypeError);
  // A response without a body can't be truncated.
  await assert.rejects(fetch(new Request(get("/users"), { method: "HEAD" })), { fault: "empty" });
  rules.remove(id);
  await rules.add("GET /users: time-out");
  const aborting = new AbortController();
  const late = fetch(new Request(get("/users"), { signal: aborting.signal }));
  aborting.abort(new DOMException("Enough.", "TimeoutError"));
  await assert.rejects(late, { name: "TimeoutError" });
});

Deno.test("rules that can't apply are refused", async () => {
  const { rules } = await start();
  const cases: [rule: string, want: RegExp][] = [
    ["GET /user: 503", /no operation `GET \/user`\. Did you mean `GET \/users`/],
    ["GET /users: 5000", /./],
    ["GET /users", /OPERATION: WHAT/],
    ['GET /users: body {"a": 1}', /./],
  ];
  for (const [rule, want] of cases) {
    await assert.rejects(rules.add(rule), (error) => error instanceof RangeError && want.test(error.message), rule);
  }
  assert.deepEqual(rules.list(), []);
});

Deno.test("the same options give the same answers", async () => {
  const answers = await Promise.all([1, 2].map(async () => {
    const { fetch } = await start({ seed: 5 });
    return await (await fetch(get("/users"))).text();
  }));
  assert.equal(answers[0], answers[1]);
});

Deno.test("state.put() beyond a limit throws a StateFullError", async () => {
  const { state } = await start({ stateLimits: { items: 4 } });
  await state.put("users", { id: 70, name: "Ann" });
  await assert.rejects(state.put("users", { id: 71, name: "Bob" }), StateFullError);
});

Deno.test("createMockServer() takes a definition as an object", async () => {
  const { fetch } = await createMockServer({
    openapi: "3.1.0",
    info: { title: "Users", version: "1" },
    paths: { "/users": { get: { responses: { "204": { description: "No users." } } } } },
  });
  assert.equal((await fetch(get("/users"))).status, 204);
});

Deno.test("requests can name a session of a server without state and journal", async () => {
  const server = await start({ stateful: false, journal: 0 });
  await server.session("a").rules.add("GET /users: 503");
  assert.equal((await server.fetch(new Request(get("/users"), { headers: { "x-gw-session": "a" } }))).status, 503);
  assert.equal((await server.fetch(get("/users"))).status, 200);
});
