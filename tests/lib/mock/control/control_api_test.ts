import assert from "node:assert/strict";
import { readDescription } from "../../../../lib/api/description.ts";
import { descriptionAt } from "../../../../lib/mock/control/description.ts";
import { CONTROL_OPERATIONS } from "../../../../lib/mock/control/operations.ts";
import { listOperations, nameOf } from "../../../../lib/openapi/operation.ts";
import { listParameters } from "../../../../lib/openapi/parameter.ts";
import { createMock } from "../../../../lib/mock/mock.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { createControlled, PETS } from "./controlled.ts";

Deno.test("the operations and their parameters agree with the OpenAPI description", async () => {
  const { document } = await readDescription(descriptionAt("/_gw/"));
  assert.deepEqual(document.unlocatedDiagnostics, []);
  const described = listOperations(document).map((operation) => {
    const query = listParameters(operation).filter((parameter) => parameter.in === "query").map(({ name }) => name)
      .flatMap((name) => name === "conditions" ? ["query.", "header.", "body."] : name === "session" ? [] : [name]);
    return `${nameOf(operation)}: ${operation.method} ${operation.path} ${query.sort()}`;
  });
  const handled = CONTROL_OPERATIONS.all.map(({ operationId, method, path, query }) =>
    `${operationId}: ${method} ${path} ${[...query].sort()}`
  );
  assert.deepEqual(["getHealth: GET /health ", ...handled].sort(), described.sort());
});

/** Consecutive requests to one server: the expected status, and a part of the expected JSON. */
const EXCHANGES: readonly [line: string, body: unknown, status: number, part?: unknown][] = [
  ["GET /_gw/health", undefined, 200, { status: "ok" }],
  ["GET /_gw/openapi.json", undefined, 200, { openapi: "3.1.0", servers: [{ url: "/_gw" }] }],
  ["GET /_gw/operations", undefined, 200, { total: 8 }],
  ["GET /_gw/operations?limit=1&offset=7", undefined, 200, {
    operations: [{
      operationId: "getStatus",
      method: "GET",
      path: "/status",
      definition: "Pets",
      answer: { source: "example", status: 200, mediaType: "application/json" },
    }],
  }],
  ["GET /_gw/operations?limit=0", undefined, 400, { detail: 'limit must be an integer from 1 to 1000, not "0".' }],
  ["GET /_gw/operations?limt=1", undefined, 400, {
    detail: 'This operation has no query parameter "limt". Did you mean limit?',
  }],
  ["GET /_gw/resources", undefined, 200, { resources: [{ name: "pets" }, { name: "pets.toys" }] }],
  // State.
  ["PUT /_gw/state/pets", [{ id: 7, name: "Tom" }, { id: 8, name: "Kit" }], 204],
  ["GET /_gw/state/pets", undefined, 200, [{ id: 7, name: "Tom" }, { id: 8, name: "Kit" }]],
  ["GET /pets/7", undefined, 200, { id: 7, name: "Tom" }],
  ["PATCH /_gw/state/pets", { "7": { name: "Ann" }, "8": null, "99": null }, 204],
  ["GET /_gw/state/pets", undefined, 200, [{ id: 7, name: "Ann" }]],
  ["PATCH /_gw/state/pets", { "7": { id: 9 } }, 422, { errors: [{ pointer: "/7" }] }],
  ["PUT /_gw/state/pets", [{ id: 7, name: "" }, { name: "Tom" }, { id: 7, name: "x" }], 422, {
    errors: [{ pointer: "/0/name" }, { pointer: "/1" }, { pointer: "/2" }],
  }],
  ["PUT /_gw/state/pets.toys", [{ scope: ["7"], items: [{ id: "a", kind: "ball" }] }], 204],
  ["GET /_gw/state/pets.toys", undefined, 200, [{ scope: ["7"], items: [{ id: "a", kind: "ball" }] }]],
  ["GET /pets/7/toys", undefined, 200, [{ id: "a", kind: "ball" }]],
  ["PUT /_gw/state/pets.toys", [{ id: "a", kind: "ball" }], 422, {
    detail: 'A list of {"scope": [petId], "items": […]} is meant here. (at /0/items)',
  }],
  ["GET /_gw/state", undefined, 200, { pets: [{ id: 7, name: "Ann" }] }],
  ["PUT /_gw/state", { pets: [] }, 204],
  ["GET /_gw/state", undefined, 200, { "pets": [], "pets.toys": [] }],
  ["PATCH /_gw/state", { pets: null }, 204],
  ["GET /pets/1", undefined, 200, { id: 1 }],
  ["PUT /_gw/state", { pets: [], dogs: [] }, 404, {
    detail: 'The definition has no resource "dogs". There is pets, pets.toys.',
  }],
  ["DELETE /_gw/state/pets.toys", undefined, 204],
  ["DELETE /_gw/state", undefined, 204],
  // Snapshots.
  ["PUT /_gw/snapshots/before", undefined, 204],
  ["DELETE /pets/1", undefined, 204],
  ["GET /pets/1", undefined, 404],
  ["GET /_gw/snapshots", undefined, 200, { snapshots: ["before"] }],
  ["POST /_gw/snapshots/before/restore", undefined, 204],
  ["GET /pets/1", undefined, 200, { id: 1 }],
  ["POST /_gw/snapshots/after/restore", undefined, 404, {
    detail: "The session has no snapshot after. It has before.",
  }],
  ["DELETE /_gw/snapshots/before", undefined, 204],
  // Rules.
  ["POST /_gw/rules", { operation: "GET /pets", status: 503, times: 1 }, 201, { id: "r1", applied: 0 }],
  ["GET /pets", undefined, 503],
  ["GET /pets", undefined, 200],
  ["GET /_gw/rules/r1", undefined, 200, { applied: 1 }],
  ["PUT /_gw/rules/r1", { operation: "GET /pets", status: 500, times: 1 }, 200, { id: "r1", applied: 0 }],
  ["GET /pets", undefined, 500],
  ["POST /_gw/rules", "GET /status: 418", 201, { id: "r2" }],
  ["GET /_gw/rules", undefined, 200, { rules: [{ id: "r2" }, { id: "r1" }] }],
  ["POST /_gw/rules", { operation: "GET /pets", status: 42 }, 422, { errors: [{ pointer: "/status" }] }],
  ["POST /_gw/rules", { operation: "GET /pts", status: 500 }, 422, { errors: [{ pointer: "/operation" }] }],
  ["DELETE /_gw/rules/r2", undefined, 204],
  ["DELETE /_gw/rules/r2", undefined, 404],
  ["PUT /_gw/rules/r9", { operation: "GET /pets", status: 500 }, 404],
  ["DELETE /_gw/rules", undefined, 204],
  ["GET /_gw/rules", undefined, 200, { rules: [] }],
  // Sessions.
  ["POST /_gw/sessions", { name: "a", seed: 3 }, 201, { name: "a", seed: 3 }],
  ["POST /_gw/sessions", { name: "../a" }, 422],
  ["GET /_gw/sessions", undefined, 200, { total: 2, sessions: [{ name: "" }, { name: "a" }] }],
  ["GET /_gw/sessions/a", undefined, 200, { name: "a" }],
  ["POST /_gw/sessions/a/reset", undefined, 204],
  ["DELETE /_gw/sessions/a", undefined, 204],
  ["DELETE /_gw/sessions/a", undefined, 404],
  ["GET /_gw/sessions/%2e%2e%2f", undefined, 400],
  // Clock.
  ["PUT /_gw/clock", { time: "2030-01-01T00:00:00Z", isStopped: true }, 200, { time: "2030-01-01T00:00:00.000Z" }],
  ["POST /_gw/clock/advance", { milliseconds: 1000 }, 200, { time: "2030-01-01T00:00:01.000Z", isStopped: true }],
  ["PUT /_gw/clock", { time: "9999-01-01T00:00:00Z" }, 200, { isStopped: true }],
  ["POST /_gw/clock/advance", { milliseconds: 31557600000000 }, 422, { errors: [{ pointer: "/milliseconds" }] }],
  ["PUT /_gw/clock", { time: "soon" }, 422, { errors: [{ pointer: "/time" }] }],
  ["GET /_gw/clock", undefined, 200, { isStopped: true }],
  ["DELETE /_gw/clock", undefined, 204],
  ["POST /_gw/reset", undefined, 204],
  // Requests.
  ["POST /pets", { name: "Tom" }, 201],
  ["GET /pets/4", undefined, 200, { name: "Tom" }],
  ["GET /_gw/requests", undefined, 200, { total: 2, requests: [{ operation: { operationId: "createPet" } }, {}] }],
  ["GET /_gw/requests?body./name=Tom", undefined, 200, { total: 1 }],
  ["GET /_gw/requests?status=2XX&method=GET", undefined, 200, { total: 1 }],
  ["GET /_gw/requests?status=20", undefined, 400],
  ["GET /_gw/requests?secrets=shown", undefined, 200, { total: 2 }],
  ["GET /_gw/requests?secrets=yes", undefined, 400],
  ["GET /_gw/requests?body.name=Tom", undefined, 400],
  ["GET /_gw/requests.har", undefined, 200, { log: { entries: [{}, {}] } }],
  ["POST /_gw/requests/verify", { operation: "createPet", body: { "/name": "Tom" }, count: 1 }, 200, { count: 1 }],
  ["POST /_gw/requests/verify", { operation: "createPet", count: 2 }, 417, { count: 1, nearest: [{ method: "GET" }] }],
  ["POST /_gw/requests/verify", { opration: "createPet" }, 422],
  ["POST /_gw/requests/verify", { operation: "creatPet", count: 0 }, 400, {
    detail: "The definition has no operation `creatPet`. Did you mean `createPet`?",
  }],
  ["POST /_gw/requests/verify", { inOrder: [{ operation: "creatPet" }] }, 400],
  ["GET /_gw/requests?operation=creatPet", undefined, 400],
  ["GET /_gw/requests.har?operation=creatPet", undefined, 400],
  ["POST /_gw/requests/verify", "createPet", 415],
  ["DELETE /_gw/requests", undefined, 204],
  ["GET /_gw/requests", undefined, 200, { total: 0, requests: [] }],
  ["PATCH /_gw/requests", {}, 405, { detail: "/_gw/requests has no PATCH; it has GET, DELETE, HEAD, OPTIONS." }],
  ["GET /_gw/request", undefined, 404],
  ["GET /_gw", undefined, 404, {
    detail: "There is nothing at /_gw. The mock server's own paths are below /_gw/, with the slash; " +
      "/_gw/openapi.json describes them.",
  }],
];

Deno.test("the control API's answers are valid against its OpenAPI description", async () => {
  const ask = await createControlled();
  for (const [line, body, status, part] of EXCHANGES) {
    const response = await ask(line, body);
    const text = await response.text();
    assert.equal(response.status, status, `${line}: ${text}`);
    if (part !== undefined) assertPart(JSON.parse(text), part, `${line}: ${text}`);
  }
});

const FORM = "application/x-www-form-urlencoded";

const UNNAMED: [line: string, type: string, body: string, status: number][] = [
  // As curl -d, urllib and fetch send a text without a type.
  ["POST /_gw/rules", FORM, "GET /pets: 503 x2", 201],
  ["POST /_gw/rules", FORM, '{"operation": "GET /pets", "status": 503}', 201],
  ["POST /_gw/rules", "text/plain;charset=UTF-8", '{"operation": "GET /pets", "status": 503}', 201],
  ["PUT /_gw/rules/r1", FORM, "GET /pets: 429", 200],
  ["POST /_gw/rules", FORM, "operation=GET+%2Fpets&status=503", 422],
  ["PUT /_gw/state/pets", FORM, '[{"id": 7, "name": "Tom"}]', 204],
  ["PATCH /_gw/state/pets", FORM, "{}", 204],
  ["POST /_gw/requests/verify", FORM, '{"count": 0}', 200],
  ["POST /_gw/requests/verify", FORM, "count=0", 415],
  ["PUT /_gw/clock", FORM, '{"isStopped": true}', 200],
  ["POST /_gw/rules", "application/xml", "GET /pets: 503", 415],
  ["POST /_gw/rules", "multipart/form-data; boundary=a", "GET /pets: 503", 415],
];

for (const [line, type, body, status] of UNNAMED) {
  Deno.test(`the control API answers ${line} with ${body} as ${type} by ${status}`, async () => {
    const ask = await createControlled();
    await ask("POST /_gw/rules", "GET /pets: 500");
    const response = await ask(line, body, { "content-type": type });
    assert.equal(response.status, status, await response.text());
  });
}

Deno.test("a page of another site can't add a rule, whatever the type of its body", async () => {
  const ask = await createControlled();
  for (const type of [FORM, "text/plain", "application/json"]) {
    const headers = { "content-type": type, origin: "http://evil.test", "sec-fetch-site": "cross-site" };
    assert.equal((await ask("POST /_gw/rules", "GET /pets: 503", headers)).status, 403);
  }
});

Deno.test("a request for the control API names its session by header, query or base path", async () => {
  const ask = await createControlled();
  await ask("GET /pets", undefined, { "x-gw-session": "a" });
  await ask("GET /_gw/s/a/pets");
  assert.equal(await totalOf(ask("GET /_gw/requests", undefined, { "x-gw-session": "a" })), 2);
  assert.equal(await totalOf(ask("GET /_gw/requests?session=a")), 2);
  assert.equal(await totalOf(ask("GET /_gw/s/a/_gw/requests")), 2);
  assert.equal(await totalOf(ask("GET /_gw/requests")), 0);
  assert.equal((await ask("GET /_gw/requests?session=b", undefined, { "x-gw-session": "a" })).status, 400);
  assert.equal((await ask("GET /_gw/requests?session=%2F")).status, 400);
});

Deno.test("the journal is read in pages, the latest first", async () => {
  const ask = await createControlled();
  for (let number = 1; number <= 5; number++) await ask(`GET /pets/${number}`);
  const ids = async (line: string) => {
    const response = await ask(line);
    const { requests } = await response.json();
    return [requests.map(({ id }: { id: number }) => id), response.headers.get("link")];
  };
  assert.deepEqual(await ids("GET /_gw/requests?limit=2"), [[4, 5], '<?limit=2&before=4>; rel="prev"']);
  assert.deepEqual(await ids("GET /_gw/requests?limit=2&before=4"), [
    [2, 3],
    '<?limit=2&before=2>; rel="prev", <?limit=2&after=3>; rel="next"',
  ]);
  assert.deepEqual(await ids("GET /_gw/requests?limit=2&after=0"), [[1, 2], '<?limit=2&after=2>; rel="next"']);
  assert.deepEqual(await ids("GET /_gw/requests?limit=2&after=3"), [[4, 5], '<?limit=2&before=4>; rel="prev"']);
});

Deno.test("requests are streamed as server-sent events", async () => {
  const ask = await createControlled();
  const response = await ask("GET /_gw/requests?method=POST", undefined, { accept: "text/event-stream" });
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.ok(reader !== undefined);
  assert.match((await reader.read()).value ?? "", /^: /);
  await ask("GET /pets");
  await ask("POST /pets", { name: "Tom" });
  const event = (await reader.read()).value ?? "";
  assert.match(event, /^id: 2\nevent: request\ndata: \{.*"body":\{"name":"Tom"\}.*\}\n\n$/);
  await reader.cancel();
});

Deno.test("a session has at most 16 event streams, which end with the session", async () => {
  const ask = await createControlled();
  const accept = { accept: "text/event-stream" };
  const streams = await Promise.all(
    Array.from({ length: 16 }, () => ask("GET /_gw/requests?session=a", undefined, accept)),
  );
  const refused = await ask("GET /_gw/requests?session=a", undefined, accept);
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "5"]);
  await ask("DELETE /_gw/sessions/a");
  for (const stream of streams) assert.match(await stream.text(), /^: /);
});

Deno.test("an incomplete request body delays the journal for a limited time", async () => {
  const waits: number[] = [];
  const answer = createMock(await parseDocument(PETS), {
    control: true,
    journal: 10,
    clientOf: () => "127.0.0.1",
    timer: (milliseconds) => {
      waits.push(milliseconds);
      return { elapsed: Promise.resolve(), cancel: () => {} };
    },
  });
  const unfinished = new Request("http://localhost/pets", {
    method: "POST",
    headers: { "content-type": "application/json", "content-length": "10" },
    body: new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{"name')) }),
  });
  assert.equal((await answer(unfinished)).status, 201);
  const { requests } = await (await answer(new Request("http://localhost/_gw/requests"))).json();
  assert.deepEqual([requests.length, requests[0].request.body, waits], [1, undefined, [1000]]);
});

Deno.test("without a journal, requests for it get 404", async () => {
  const ask = await createControlled({ journal: 0 });
  assert.equal((await ask("GET /_gw/requests")).status, 404);
  assert.equal((await ask("POST /_gw/requests/verify", {})).status, 404);
});

Deno.test("state and rules beyond their limits are refused with 507, and nothing changes", async () => {
  const ask = await createControlled({ stateLimits: { items: 3, snapshots: 1, rules: 2, allRules: 3 } });
  await ask("PUT /_gw/state/pets", [{ id: 1, name: "Tom" }]);
  const four = Array.from({ length: 4 }, (_, index) => ({ id: index, name: "x" }));
  const full = await ask("PUT /_gw/state", { pets: four });
  assert.deepEqual([full.status, (await full.json()).limit], [507, "items"]);
  assert.deepEqual(await (await ask("GET /_gw/state/pets")).json(), [{ id: 1, name: "Tom" }]);
  await ask("PUT /_gw/snapshots/a");
  const second = await ask("PUT /_gw/snapshots/b");
  assert.deepEqual([second.status, (await second.json()).limit], [507, "snapshots"]);
  const addRule = (session: string): Promise<Response> =>
    ask("POST /_gw/rules", { operation: "GET /pets", status: 503 }, { "x-gw-session": session });
  for (const session of ["a", "a", "b"]) assert.equal((await addRule(session)).status, 201);
  for (const [session, limit] of [["a", "rules"], ["b", "allRules"]] as const) {
    const refused = await addRule(session);
    assert.deepEqual([refused.status, (await refused.json()).limit], [507, limit]);
  }
});

Deno.test("unreadable bodies are refused", async () => {
  const ask = await createControlled();
  const json = { "content-type": "application/json" };
  const cases: [body: string, status: number][] = [
    ["{", 400],
    [`${"[".repeat(10_000)}${"]".repeat(10_000)}`, 400],
    [`{"a":"${"x".repeat(17 * 1024 * 1024)}"}`, 413],
    [`[${"0,".repeat(1_000_000)}0]`, 413],
  ];
  for (const [body, status] of cases) {
    const response = await ask("PUT /_gw/state/pets", body, json);
    assert.equal(response.status, status, body.slice(0, 20));
  }
});

async function totalOf(asked: Promise<Response>): Promise<number> {
  return (await (await asked).json()).total;
}

/** Asserts that a value contains all members of another value, at every depth. Lists must have the same length. */
function assertPart(value: unknown, part: unknown, message: string): void {
  if (Array.isArray(part)) {
    assert.ok(Array.isArray(value) && value.length === part.length, message);
    for (const [index, item] of part.entries()) assertPart(value[index], item, message);
  } else if (typeof part === "object" && part !== null) {
    assert.ok(typeof value === "object" && value !== null, message);
    for (const [key, member] of Object.entries(part)) assertPart(Reflect.get(value, key), member, message);
  } else assert.deepEqual(value, part, message);
}

Deno.test("GET state is consistent if items change while the response is sent", async () => {
  const ask = await createControlled();
  const pets = Array.from({ length: 3_000 }, (_, id) => ({ id, name: "x".repeat(100) }));
  for (const target of ["/_gw/state", "/_gw/state/pets"]) {
    assert.equal((await ask("PUT /_gw/s/a/_gw/state", { pets })).status, 204);
    // The body isn't complete yet: it is generated while the client reads.
    const listing = await ask(`GET /_gw/s/a${target}`);
    assert.equal((await ask("DELETE /_gw/s/a/pets/2999")).status, 204);
    const shown = await listing.json();
    assert.equal((shown.pets ?? shown).length, pets.length, target);
  }
});

Deno.test("GET operations says why a stateful operation is bound to no resource", async () => {
  const ask = await createControlled();
  const { operations } = await (await ask("GET /_gw/operations")).json();
  const status = operations.find(({ path }: { path: string }) => path === "/status");
  assert.match(status.reason, /^The definition has an example\. It is bound to no resource: ./);
});

Deno.test("DELETE /_gw/rules says which rules of the command line stay, in every session", async () => {
  const ask = await createControlled({ rules: [{ operation: "GET /status", status: 503 }] });
  for (const session of ["", "a", "b"]) {
    const headers = session === "" ? {} : { "x-gw-session": session };
    assert.equal((await ask("POST /_gw/rules", "GET /status: 418", headers)).status, 201);
    assert.equal((await ask("GET /status", undefined, headers)).status, 418);
    const response = await ask("DELETE /_gw/rules", undefined, headers);
    assert.equal(response.status, 200);
    const { kept, detail } = await response.json();
    assert.equal(kept, 1);
    assert.match(detail, /^1 rule of the command line stays, for all sessions/);
    assert.equal((await ask("GET /status", undefined, headers)).status, 503);
  }
});
