import assert from "node:assert/strict";
import { readDescription } from "../../../lib/api/description.ts";
import { DESCRIPTION } from "../../../lib/management/description.ts";
import { MANAGEMENT_OPERATIONS } from "../../../lib/management/operations.ts";
import type { Store } from "../../../lib/management/store.ts";
import { StoreError, type StoreErrorReason } from "../../../lib/gateway/store_error.ts";
import { validateDocument } from "../../../lib/mock/lint/validate_document.ts";
import { listOperations, nameOf } from "../../../lib/openapi/operation.ts";
import { listParameters } from "../../../lib/openapi/parameter.ts";
import { testManagementApi } from "./api_contract.ts";
import { definition, memoryStore, serve } from "./server.ts";

testManagementApi("the management API", (test) => test(memoryStore()));

Deno.test("the handlers are those of the description", async () => {
  const { document } = await readDescription(DESCRIPTION);
  const described = listOperations(document).map((operation) => {
    const query = listParameters(operation).filter((parameter) => parameter.in === "query").map(({ name }) => name);
    return [nameOf(operation), operation.method, operation.path, ...query.sort()];
  });
  const bound = MANAGEMENT_OPERATIONS.all.map((
    { operationId, method, path, query },
  ) => [operationId, method, path, ...[...query].sort()]);
  assert.deepEqual(bound.sort(), described.sort());
});

Deno.test("gw finds nothing wrong with the description", async () => {
  const { document } = await readDescription(DESCRIPTION);
  assert.deepEqual(await validateDocument(document), []);
});

/** A store whose writes fail; with some reasons, its reads fail too. */
function failing(reason: StoreErrorReason, store = memoryStore()): Store {
  const fail = () => Promise.reject(new StoreError(reason, "The store has a problem.", { retryAfter: 7 }));
  return reason === "full"
    ? {
      ...store,
      get revision() {
        return store.revision;
      },
      apply: fail,
    }
    : {
      ...store,
      get revision() {
        return store.revision;
      },
      apply: fail,
      list: fail,
      get: fail,
      namespaces: fail,
    };
}

Deno.test("a store that can't be reached is a 503, and the process stays healthy", async () => {
  const { ask } = await serve({ store: failing("unavailable"), hasFleet: false });
  for (const line of ["GET /apis", "GET /apis/default/todo", "GET /fleets", "GET /services", "GET /readyz"]) {
    const reply = await ask(line);
    assert.equal(reply.status, 503, line);
    assert.equal(reply.headers.get("retry-after"), "7");
  }
  assert.equal((await ask("GET /healthz")).status, 200);
});

Deno.test("a store that is full is a 507", async () => {
  const store = memoryStore();
  await serve({ store });
  const { ask, plans } = await serve({ store: failing("full", store), hasFleet: false });
  const reply = await ask("POST /apis", { name: "todo", openapi: definition() });
  assert.equal(reply.status, 507);
  assert.deepEqual(plans(), []);
  assert.equal((await ask("GET /apis")).text, "[]");
});

Deno.test("a gateway that can't follow leaves the store as it was", async () => {
  const store = memoryStore();
  await (await serve({ store })).ask("POST /apis", { name: "todo", openapi: definition() });
  const before = await store.get("api", "default", "todo");
  const apply = () => Promise.reject(new Error("Port 8080 is taken."));
  const { ask } = await serve({ store, hasFleet: false, gateway: { plansOf: () => [], apply } });
  for (
    const [line, content] of [
      ["POST /apis", { name: "b", openapi: definition() }],
      ["PUT /apis/default/todo", { openapi: definition({ version: "2" }) }],
      ["DELETE /apis/default/todo", undefined],
    ] as const
  ) {
    const reply = await ask(line, content);
    assert.equal(reply.status, 503, line);
    assert.match(reply.text, /Port 8080 is taken/);
  }
  const after = await store.get("api", "default", "todo");
  assert.deepEqual(after?.spec, before?.spec);
  assert.equal((await store.list("api")).items.length, 1);
});

Deno.test("a fleet whose port is taken is a 409, and isn't there afterwards", async () => {
  const reserve = () => "Port 80 is taken.";
  const gateway = { plansOf: () => [], apply: () => Promise.resolve(), reserve };
  const { ask } = await serve({ gateway });
  const content = { name: "edge", namespace: "default", serviceType: "ClusterIP", ports: [{ port: 80 }] };
  assert.equal((await ask("POST /fleets", content)).status, 409);
  assert.equal((await ask("GET /fleets/default/edge")).status, 404);
});

Deno.test("the resource of an API that isn't served says why", async () => {
  const state: { refusal?: string } = {};
  const gateway = { plansOf: () => [], apply: () => Promise.resolve(), refusalOf: () => state.refusal };
  const { ask } = await serve({ gateway });
  await ask("POST /apis", { name: "todo", openapi: definition() });
  const served = await ask("GET /apis/default/todo/crd");
  assert.equal(Object(served.body).status, undefined);
  state.refusal = "GET /todos is taken.";
  const { body, headers } = await ask("GET /apis/default/todo/crd", undefined, {
    "if-none-match": served.headers.get("etag") ?? "",
  });
  assert.deepEqual(Object(body).status.conditions, [
    { type: "Accepted", status: "False", reason: "NotServed", message: "GET /todos is taken." },
  ]);
  assert.notEqual(headers.get("etag"), served.headers.get("etag"));
});

Deno.test("a change is acknowledged when the gateway has it", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const applying = Promise.withResolvers<void>();
  const apply = (): Promise<void> => {
    applying.resolve();
    return promise;
  };
  const { ask } = await serve({ gateway: { plansOf: () => [], apply } });
  let isAcknowledged = false;
  const asked = ask("POST /apis", { name: "todo", openapi: definition() }).then(() => isAcknowledged = true);
  await applying.promise;
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(isAcknowledged, false);
  resolve();
  await asked;
});

Deno.test("changes by others are seen", async () => {
  const store = memoryStore();
  const [here, there] = [await serve({ store }), await serve({ store, hasFleet: false })];
  assert.equal((await there.ask("GET /apis")).text, "[]");
  await here.ask("POST /apis", { name: "todo", openapi: definition() });
  assert.equal((await there.ask("GET /apis/default/todo")).status, 200);
});
