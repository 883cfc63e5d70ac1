import assert from "node:assert/strict";
import { createManagementApi } from "../../../lib/management/api.ts";
import { createMemoryStore } from "../../../lib/management/memory_store.ts";
import { createMock } from "../../../lib/mock/mock.ts";
import type { BodyLimits } from "../../../lib/http/limits/body_limits.ts";
import { MemoryBudget } from "../../../lib/http/limits/memory_budget.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";
import { ask, plan } from "../gateway/embedded/fleet.ts";

const OPERATION = `
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"201": {description: Created, content: {application/json: {example: {id: 1}}}}}
`;
const PETS = `openapi: 3.1.0
info: {title: Pets, version: "1"}
paths:
  /pets:
    get: {responses: {"200": {description: OK}}}
    post:${OPERATION}`;
const PET = "{type: object, properties: {id: {type: integer}, name: {type: string}}}";
const STATEFUL = `openapi: 3.1.0
info: {title: Pets, version: "1"}
x-svc: {mocking: {enabled: true, stateful: true}}
paths:
  /pets:
    get: {responses: {"200": {description: OK, content: {application/json: {schema: {type: array, items: ${PET}}}}}}}
    post:
      requestBody: {content: {application/json: {schema: ${PET}}}}
      responses: {"201": {description: Created, content: {application/json: {schema: ${PET}}}}}
  /pets/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {responses: {"200": {description: OK, content: {application/json: {schema: ${PET}}}}}}
`;
const CHECKED = PETS.replace(
  "paths:",
  "x-svc: {upstream: {host: {hostname: 127.0.0.1}}, validation: {request: {enabled: true}}}\npaths:",
);

const NONE: BodyLimits = { memory: new MemoryBudget(0) };
/** Gives every body up at once. */
const SILENT: BodyLimits = {
  memory: new MemoryBudget(1e6),
  watch(giveUp) {
    queueMicrotask(giveUp);
    return { progress: () => {}, stop: () => {} };
  },
};

function post(url: string): Request {
  const headers = { "content-type": "application/json" };
  // A body that never ends.
  return new Request(
    url,
    { method: "POST", headers, body: new ReadableStream({ start() {} }), duplex: "half" } as RequestInit,
  );
}

const document = await parseDocument(PETS);
type Handler = (bodies: BodyLimits) => Promise<Response>;

const handlers: Record<string, Handler> = {
  "createMock() that warns": async (bodies) =>
    await createMock(document, { validate: "warn", bodies })(post("http://localhost/pets")),
  "createMock() that refuses": async (bodies) =>
    await createMock(document, { validate: "error", bodies })(post("http://localhost/pets")),
  "a stateful mock": async (bodies) =>
    await createMock(await parseDocument(STATEFUL), { stateful: true, bodies })(post("http://localhost/pets")),
  "the control API": async (bodies) => {
    const handler = createMock(document, { control: true, clientOf: () => "127.0.0.1", bodies });
    return await handler(post("http://localhost/_gw/rules"));
  },
  "the check of the embedded gateway": async (bodies) =>
    (await ask([await plan(CHECKED)], "http://h/pets", post("http://h/pets"), { bodies })).response,
  "a stateful operation of the embedded gateway": async (bodies) =>
    (await ask([await plan(STATEFUL)], "http://h/pets", post("http://h/pets"), { bodies })).response,
  "the management API": async (bodies) => {
    const gateway = { plansOf: () => [], apply: () => Promise.resolve() };
    const services = { status: () => "unavailable" as const };
    const api = createManagementApi(createMemoryStore(() => 0), { gateway, services, bodies, bodyTimeout: 1 });
    return await api(post("http://localhost/apis"));
  },
};

for (const [name, answer] of Object.entries(handlers)) {
  Deno.test(`${name} answers 503 with Retry-After when too many bodies are read`, async () => {
    const response = await answer(NONE);
    assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "5"]);
    assert.match((await response.json()).detail, /^The bodies of too many requests are being read/);
  });
  Deno.test(`${name} gives a silent body up`, async () => {
    const response = await answer(SILENT);
    // The management API has its own message, for the time of the whole body.
    assert.equal(response.status, name === "the management API" ? 400 : 408);
    assert.equal(response.headers.get("connection"), "close");
    await response.body?.cancel();
  });
}
