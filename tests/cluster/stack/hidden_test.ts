/**
 * Requests that must not reach a static route through a real Envoy, however they are spelt: for disabled paths,
 * undeclared methods and undeclared trailing slashes. Most cases hold for the embedded gateway too.
 *
 * @module
 */
import assert from "node:assert/strict";
import { API_VERSION } from "../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { deployApi, deployFleet, untilTrue } from "../support/deploy.ts";
import { takeStack } from "../support/stack.ts";
import { startIssuer } from "../support/tokens.ts";
import { UNDECLARED_REQUESTS } from "../../undeclared_requests.ts";
import { until } from "../support/until.ts";
import { serviceObjects, startUpstream } from "../support/upstream.ts";

/** A host with the API and a static route, and a host with the API alone. */
const HOSTS = ["rest.example.com", "alone.example.com"] as const;

/**
 * The expected results with a static route and without one: the upstream that answers with the path that it gets, or a
 * status with `Allow`.
 */
const CASES: Readonly<Record<string, string | readonly [beside: string, alone: string]>> = {
  ...UNDECLARED_REQUESTS,
  // Declared operations.
  "GET /p%65ts": "api /pets",
  "GET /nothing": ["static /nothing", "404"],
  "DELETE /nothing/at/all": ["static /nothing/at/all", "404"],
  "GET /": ["static /", "404"],
  "GET /a/b/c": ["static /a/b/c", "404"],
  // A disabled path with one method that is enabled at operation level.
  "PURGE /admin": "404",
  // No route matches a declared path with a trailing slash added or removed.
  "GET /pets/": "404",
  "GET /mocked/": "404",
  "DELETE /mocked": "405 GET, HEAD, OPTIONS",
};

Deno.test("a static route takes through Envoy only what no API of the host declares", async (t) => {
  await using stack = await takeStack();
  await stack.installGw();
  await using api = startUpstream("api");
  await using others = startUpstream("static");
  await using issuer = await startIssuer();
  const namespace = await stack.api.createNamespace();
  for (const [name, upstream] of Object.entries({ api, static: others })) {
    await stack.api.apply(...serviceObjects({ namespace, name, endpoints: [upstream] }));
  }
  const { port } = await deployFleet(stack, namespace);
  const rest: KubernetesObject = {
    apiVersion: API_VERSION,
    kind: "StaticRoute",
    metadata: { namespace, name: "rest" },
    spec: { fleet: { name: "edge" }, hosts: [HOSTS[0], "*.wild.example"], upstream: { service: { name: "static" } } },
  };
  await stack.api.apply(rest);
  await Promise.all(
    HOSTS.map((host, index) =>
      deployApi(stack.api, { namespace, name: `api-${index}`, definition: definition(host, issuer.jwksUri) }, 90_000)
    ),
  );
  await untilTrue(stack.api, rest, "Programmed");
  for (const [index, host] of HOSTS.entries()) {
    await until(async () => await answerTo(port, `GET /secret HTTP/1.1\r\nHost: ${host}\r\n`) === "401");
    for (const [line, both] of Object.entries(CASES)) {
      const want = typeof both === "string" ? both : both[index];
      await t.step(`${host} ${line}: ${want}`, async () => {
        assert.equal(await answerTo(port, `${line} HTTP/1.1\r\nHost: ${host}\r\n`), want);
      });
    }
  }

  await t.step("lower-case methods and targets with a host reach no static route", async () => {
    for (const line of ["get /pets", "post /admin", `POST http://${HOSTS[0]}/admin`, "POST /admin?x#y"]) {
      assert.match(await answerTo(port, `${line} HTTP/1.1\r\nHost: ${HOSTS[0]}\r\n`), /^4/, line);
    }
  });
  await t.step("a mocked operation is still answered", async () => {
    assert.equal(await answerTo(port, `GET /mocked HTTP/1.1\r\nHost: ${HOSTS[0]}\r\n`), "200");
  });
  await t.step("a host that isn't well-formed is none of a wildcard", async () => {
    for (const host of ["evil.example#.wild.example", "evil.example/.wild.example"]) {
      assert.match(await answerTo(port, `GET / HTTP/1.1\r\nHost: ${host}\r\n`), /^4/, host);
    }
  });
  await t.step("a header of the gateway's own changes nothing", async () => {
    const head = `GET /pets HTTP/1.1\r\nHost: ${HOSTS[0]}\r\nx-svc-undeclared: true\r\n`;
    assert.equal(await answerTo(port, head), "api /pets");
  });
  await t.step("Envoy has taken every configuration", async () => {
    assert.doesNotMatch(await stack.logOfEnvoys(), /rejected/);
  });
});

function definition(host: string, jwksUri: string): unknown {
  const responses = { 200: { description: "Fine." } };
  const off = { "x-svc": { disabled: true } };
  const operation = { responses };
  const example = { "application/json": { schema: { type: "array" }, example: [] } };
  return {
    openapi: "3.1.0",
    info: { title: "Hidden", version: "1" },
    "x-svc": { hosts: [host], upstream: { service: { name: "api" } } },
    paths: {
      "/pets": { get: operation, post: operation },
      "/pets/{id}": { get: operation, put: operation, parameters: [parameter("id")] },
      "/pets/mine": { get: { ...operation, ...off }, post: operation },
      "/admin": { ...off, get: operation, patch: { ...operation, "x-svc": { disabled: false } } },
      "/admin/{x}": { ...off, get: operation, parameters: [parameter("x")] },
      "/empty": off,
      "/closed/": { ...off, get: operation },
      "/both": { ...off, get: operation },
      "/both/": { get: operation },
      "/secret": {
        get: { ...operation, "x-svc": { auth: { jwt: { providers: [{ name: "p", jwks_uri: jwksUri }] } } } },
      },
      "/a/b": { get: operation },
      "/mocked": {
        get: {
          "x-svc": { mocking: { enabled: true } },
          responses: { 200: { description: "Mocked.", content: example } },
        },
      },
    },
  };
}

function parameter(name: string): unknown {
  return { name, in: "path", required: true, schema: { type: "string" } };
}

/** The upstream that answered and the path that it got; if gw or Envoy answered, the status and `Allow`. */
async function answerTo(port: number, head: string): Promise<string> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(`${head}Connection: close\r\n\r\n`));
  const answer = await new Response(connection.readable).text();
  const [top = "", ...body] = answer.split(/\r\n\r\n/);
  const [, status = ""] = /^HTTP\/1\.1 (\d+)/.exec(top) ?? [];
  const [, upstream] = /"upstream":"([^"]*)"/.exec(body.join("")) ?? [];
  const [, path = ""] = /"url":"([^"]*)"/.exec(body.join("")) ?? [];
  if (status === "200") return upstream === undefined ? status : `${upstream} ${path}`;
  return [status, /^allow: (.*)$/im.exec(top)?.[1] ?? ""].join(" ").trim();
}
