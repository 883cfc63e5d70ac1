/**
 * Rendered objects in a real Envoy, for requests that several rules match: preflights, hosts, request validation. No
 * controller runs.
 *
 * @module
 */
import assert from "node:assert/strict";
import { type Fleet, renderFleet } from "../../../lib/cluster/translate/fleet.ts";
import { renderGatewayApi } from "../../../lib/cluster/translate/render.ts";
import type { RoutePlan } from "../../../lib/gateway/route.ts";
import type { JsonObject } from "../../../lib/schema/json/node.ts";
import { ask, type Question, type Reply } from "../support/ask.ts";
import { planOf } from "../support/render.ts";
import { type Stack, takeStack } from "../support/stack.ts";
import { until } from "../support/until.ts";
import { type Endpoint, serviceObjects, startUpstream } from "../support/upstream.ts";
import { freePort } from "../../free_port.ts";

const HOST = "settings.example.com";
const PAGE = "https://app.example.com";
const MOCKED = { mocking: { enabled: true } };

/** Applies definitions to a new fleet. Returns the port of the fleet. */
async function serve(
  { api, portOf }: Stack,
  definitions: Readonly<Record<string, string>>,
  services: Readonly<Record<"real" | "mocks" | "check" | "decider", Endpoint>>,
): Promise<number> {
  const namespace = await api.createNamespace();
  const fleet: Fleet = { namespace, name: "edge", spec: { service: { ports: [{ port: freePort() }] } } };
  const mocks = { name: "mocks", namespace, port: 80, checkPort: 81 };
  const plans: RoutePlan[] = [];
  for (const [name, text] of Object.entries(definitions)) plans.push(await planOf(namespace, name, text));
  const { mocks: answers, check } = services;
  await api.apply(
    ...serviceObjects({ namespace, name: "real", endpoints: [services.real] }),
    ...serviceObjects({ namespace, name: "mocks", endpoints: [answers] }),
    ...serviceObjects({ namespace, name: "check", endpoints: [check] }),
    ...serviceObjects({ namespace, name: "decider", endpoints: [services.decider] }),
    ...renderFleet(fleet, { mocks: { ...mocks, name: "check", checkPort: 80 }, plans }),
  );
  for (const plan of plans) {
    const gateway = { name: "edge", namespace };
    const { objects, diagnostics } = renderGatewayApi(plan, {
      gateway,
      profile: "envoy-gateway",
      mocks,
      neighbours: plans,
    });
    assert.deepEqual(diagnostics, []);
    await api.apply(...objects);
  }
  return await portOf(fleet);
}

function definitionOf(root: JsonObject, operations: Readonly<Record<string, JsonObject>>): string {
  const paths: Record<string, JsonObject> = {};
  for (const [operation, settings] of Object.entries(operations)) {
    const [method = "", path = ""] = operation.split(" ");
    const parameters = [{ name: "X-Tenant", in: "header", schema: { type: "string" } }];
    const node = { "x-svc": settings, parameters, responses: { 200: { description: "Fine." } } };
    paths[path] = { ...paths[path], [method.toLowerCase()]: node };
  }
  return JSON.stringify({ openapi: "3.1.0", info: { title: "Settings", version: "1" }, "x-svc": root, paths });
}

Deno.test("rules that bear on the same requests", async (test) => {
  await using stack = await takeStack();
  // gw's controller would delete these objects, as no API owns them.
  await stack.removeGw();
  await using real = startUpstream("real");
  await using mocks = startUpstream("mocks");
  const asked: { method: string; url: string; tenant: string | null; host: string | null; bytes: number }[] = [];
  await using check = startUpstream("check", async (request) => {
    const { pathname, search } = new URL(request.url);
    const bytes = (await request.arrayBuffer()).byteLength;
    const { method, headers } = request;
    asked.push({ method, url: pathname + search, tenant: headers.get("x-tenant"), host: headers.get("host"), bytes });
    return search.includes("bad")
      ? Response.json({ title: "Bad Request" }, {
        status: 400,
        headers: { "content-type": "application/problem+json" },
      })
      : new Response();
  });
  await using decider = startUpstream("decider", ({ url, headers }) => {
    if (headers.get("authorization") === null) return new Response("who?", { status: 401 });
    const given = headers.get("authorization") === "tom" ? { "x-user": "tom", "x-group": "a", "x-other": "no" } : {};
    return new Response(null, { headers: { ...given, "x-path": new URL(url).pathname } });
  });
  const custom = { service: { name: "decider" }, path: "/decide", response_headers: ["X-User", "x-group", "x-path"] };
  const upstream = { upstream: { service: { name: "real" } } };
  const port = await serve(stack, {
    settings: definitionOf({ ...upstream, hosts: [HOST] }, {
      "PUT /all": { cors: { origins: ["*"], credentials: true, headers: ["*"] } },
      "GET /some": { cors: { origins: ["https://*.example.com"], methods: ["GET"], headers: ["x-a"], max_age: 60 } },
      "GET /mixed": { cors: { origins: [PAGE], expose_headers: ["x-b"] } },
      "DELETE /mixed": { cors: { origins: ["https://other.example.com"] } },
      "PATCH /mixed": {},
      "POST /checked": { validation: { request: { enabled: true } } },
      "GET /mocked": MOCKED,
      "GET /guarded": { auth: { custom } },
      "POST /guarded": { auth: { custom }, cors: { origins: [PAGE], headers: ["x-user"] } },
      "GET /guarded/{id}": { auth: { custom } },
    }),
    anywhere: definitionOf({ ...upstream }, { "GET /anywhere": {}, "GET /elsewhere": MOCKED }),
  }, { real, mocks, check, decider });
  const send = (question: Partial<Question>): Promise<Reply> => ask(port, { host: HOST, ...question });
  const preflight = (path: string, method: string, origin = PAGE, more: Record<string, string> = {}): Promise<Reply> =>
    send({ method: "OPTIONS", path, headers: { origin, "access-control-request-method": method, ...more } });
  await until(async () => (await send({ path: "/mocked" })).status === 200);
  await until(async () => (await send({ path: "/anywhere", host: "any.example.com" })).status === 200);

  await test.step("any page may ask by each method and with each header, and none with credentials", async () => {
    const { status, headers } = await preflight("/all", "PUT", PAGE, { "access-control-request-headers": "x-any" });
    assert.equal(status, 200);
    assert.equal(headers.get("access-control-allow-origin"), PAGE);
    assert.equal(headers.get("access-control-allow-credentials"), null);
    const answer = await send({ method: "PUT", path: "/all", headers: { origin: "https://evil.example" } });
    assert.equal(answer.headers.get("access-control-allow-credentials"), null);
    assert.equal(headers.get("access-control-allow-methods"), "PUT");
    assert.equal(headers.get("access-control-allow-headers"), "x-any");
  });
  await test.step("only some pages may ask", async () => {
    const { headers } = await preflight("/some", "GET");
    assert.equal(headers.get("access-control-allow-origin"), PAGE);
    assert.equal(headers.get("access-control-allow-methods"), "GET");
    assert.equal(headers.get("access-control-allow-headers"), "x-a");
    assert.equal(headers.get("access-control-max-age"), "60");
    assert.equal(
      (await preflight("/some", "GET", "https://example.org")).headers.get("access-control-allow-origin"),
      null,
    );
  });
  await test.step("operations of one path answer each for itself", async () => {
    assert.equal((await preflight("/mixed", "GET")).headers.get("access-control-allow-origin"), PAGE);
    assert.equal((await preflight("/mixed", "DELETE")).headers.get("access-control-allow-origin"), null);
    const { headers } = await preflight("/mixed", "DELETE", "https://other.example.com");
    assert.equal(headers.get("access-control-allow-origin"), "https://other.example.com");
    const answer = await send({ path: "/mixed", headers: { origin: PAGE } });
    assert.equal(answer.headers.get("access-control-allow-origin"), PAGE);
    assert.equal(answer.headers.get("access-control-expose-headers"), "x-b");
  });
  await test.step("a request is asked about with its method, host, path, query, parameters and body", async () => {
    const body = "x".repeat(3_000_000);
    const fine = await send({ method: "POST", path: "/checked?a=b", headers: { "x-tenant": "acme" }, body });
    assert.equal(fine.status, 200);
    assert.equal(Object(fine.json()).body.length, body.length);
    const { url, ...rest } = asked.at(-1) ?? { url: "" };
    assert.match(url, /^\/check\/[^/]+\/edge\/checked\?a=b$/);
    assert.deepEqual(rest, { method: "POST", tenant: "acme", host: HOST, bytes: body.length });
  });
  await test.step("a refusal reaches the client as it is", async () => {
    const { status, headers, text } = await send({ method: "POST", path: "/checked?bad" });
    assert.equal(status, 400);
    assert.equal(headers.get("content-type"), "application/problem+json");
    assert.equal(text, '{"title":"Bad Request"}');
  });
  await test.step("a body that is too large isn't asked about", async () => {
    const before = asked.length;
    const { status } = await send({ method: "POST", path: "/checked", body: "x".repeat(11_000_000) });
    assert.equal(status, 413);
    assert.equal(asked.length, before);
  });
  await test.step("the upstream gets headers of the server that decides, and no client's own copies of them", async () => {
    const cases: [name: string, method: string, path: string, headers: Record<string, string>, want: unknown[]][] = [
      ["none of the client's", "GET", "/guarded", { authorization: "tom" }, ["tom", "a", "/decide", undefined]],
      ["a template", "GET", "/guarded/7", { authorization: "tom" }, ["tom", "a", "/decide", undefined]],
      // The authorization server sets these headers. Envoy can't tell them from headers that the client forged, so it
      // removes all.
      ["a forged one", "GET", "/guarded", { authorization: "tom", "x-user": "admin" }, [, , , undefined]],
      ["the server gives none", "GET", "/guarded", { authorization: "ann" }, [, , "/decide", undefined]],
      ["it gives none, one is forged", "GET", "/guarded", { authorization: "ann", "X-User": "admin" }, [
        ,
        ,
        ,
        undefined,
      ]],
      ["forged on a template", "GET", "/guarded/7", { authorization: "ann", "x-group": "admins" }, [, , , undefined]],
      ["forged by another method", "POST", "/guarded", { authorization: "ann", "x-user": "admin" }, [, , , undefined]],
      ["two are forged", "GET", "/guarded", { authorization: "ann", "x-user": "a", "x-group": "b" }, [, , , undefined]],
      ["an empty one", "GET", "/guarded", { authorization: "ann", "x-user": "" }, [, , , undefined]],
    ];
    for (const [name, method, path, headers, want] of cases) {
      const reply = await send({ method, path, headers });
      assert.equal(reply.status, 200, name);
      const { headers: got } = Object(reply.json());
      assert.deepEqual([got["x-user"], got["x-group"], got["x-path"], got["x-other"]], [...want], name);
    }
    assert.equal((await send({ path: "/guarded", headers: { "x-user": "admin" } })).status, 401);
  });
  await test.step("the most specific host decides alone: what is for any host isn't asked about it", async () => {
    assert.equal((await send({ path: "/anywhere", host: "any.example.com" })).status, 200);
    assert.equal((await send({ path: "/anywhere" })).status, 404);
  });
  assert.doesNotMatch(await stack.logOfEnvoys(), /rejected/);
});
