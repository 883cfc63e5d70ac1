/**
 * Stateful operations behind a real Envoy: with one replica of the mocks, and with two replicas and consistent hashing
 * by session, as docs/sessions.md advises.
 *
 * @module
 */
import assert from "node:assert/strict";
import { ask, type Reply } from "../support/ask.ts";
import { deployApi, deployFleet } from "../support/deploy.ts";
import { scaleMocks, takeStack } from "../support/stack.ts";
import { until } from "../support/until.ts";

const HOST = "pets.example.com";

Deno.test("operations with state keep what clients create, by session", async (t) => {
  await using stack = await takeStack();
  await stack.installGw();
  const namespace = await stack.api.createNamespace();
  const { port } = await deployFleet(stack, namespace);
  const api = await deployApi(stack.api, { namespace, name: "pets", definition: DEFINITION }, 60_000);
  await until(async () => (await list(port, "first")).status === 200, { within: 15_000, what: "the mocks" });

  await t.step("the status of the API warns that replicas don't share state", () => {
    assert.match(JSON.stringify(api["status"]), /Each replica of the mocks keeps the state/);
  });

  await t.step("there is no control API", async () => {
    for (const path of ["/_gw/health", "/_gw/requests", "/_gw/state", "/_gw/s/a/pets"]) {
      assert.equal((await ask(port, { host: HOST, path })).status, 404, path);
    }
  });

  await t.step("one replica", async () => {
    await scaleMocks(stack, 1);
    await untilOneAnswers(port);
    await isKeptBySession(port, ["a", "b"]);
    await scaleMocks(stack, 2);
  });

  await t.step("two replicas, with consistent hashing by session", async () => {
    await stack.installGw();
    await stack.api.apply({
      apiVersion: "gateway.envoyproxy.io/v1alpha1",
      kind: "BackendTrafficPolicy",
      metadata: { namespace, name: "sessions" },
      spec: {
        targetRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "edge" }],
        loadBalancer: { type: "ConsistentHash", consistentHash: { type: "Header", header: { name: "X-Gw-Session" } } },
      },
    });
    const names = Array.from({ length: 20 }, (_, index) => `session-${index}`);
    // Until Envoy has the policy, requests of one session may reach both replicas. So each attempt uses new sessions.
    let attempt = 0;
    await until(async () => {
      attempt++;
      return await isKeptBySession(port, names.map((name) => `${name}-${attempt}`)).then(() => true, () => false);
    }, { within: 30_000, what: "consistent hashing" });
  });
});

/** Creates a pet in each session, then reads five times that the session has this pet only. */
async function isKeptBySession(port: number, sessions: readonly string[]): Promise<void> {
  for (const session of sessions) {
    const created = await ask(port, {
      host: HOST,
      path: "/pets",
      method: "POST",
      headers: { "x-gw-session": session, "content-type": "application/json" },
      body: JSON.stringify({ name: `pet of ${session}` }),
    });
    assert.equal(created.status, 201, created.text);
  }
  for (const session of sessions) {
    for (let time = 0; time < 5; time++) assert.deepEqual(namesOf(await list(port, session)), [`pet of ${session}`]);
  }
}

/** Waits until Envoy sends no more requests to the removed replica: new sessions keep what they create. */
async function untilOneAnswers(port: number): Promise<void> {
  let attempt = 0;
  await until(async () => {
    attempt++;
    return await isKeptBySession(port, [`alone-${attempt}`]).then(() => true, () => false);
  }, { within: 20_000, what: "one replica" });
}

function list(port: number, session: string): Promise<Reply> {
  return ask(port, { host: HOST, path: "/pets", headers: { "x-gw-session": session } });
}

/** The names of the pets in a response. */
function namesOf({ status, text }: Reply): string[] {
  assert.equal(status, 200, text);
  const pets: { name: string }[] = JSON.parse(text);
  return pets.map(({ name }) => name).filter((name) => name.startsWith("pet of "));
}

const PET = {
  type: "object",
  required: ["id", "name"],
  properties: { id: { type: "integer", readOnly: true }, name: { type: "string" } },
};
const json = (schema: object) => ({ description: "", content: { "application/json": { schema } } });
const DEFINITION = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1.0.0" },
  "x-svc": { hosts: [HOST], mocking: { enabled: true, stateful: true, generate: true } },
  paths: {
    "/pets": {
      get: { responses: { 200: json({ type: "array", items: PET }) } },
      post: {
        requestBody: { content: { "application/json": { schema: PET } } },
        responses: { 201: json(PET) },
      },
    },
    "/pets/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
      get: { responses: { 200: json(PET) } },
    },
  },
};
