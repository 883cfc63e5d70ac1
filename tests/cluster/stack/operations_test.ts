/**
 * The effect of each setting of `x-svc` on the responses of a real Envoy.
 *
 * @module
 */
import assert from "node:assert/strict";
import { ask, type Question, type Reply } from "../support/ask.ts";
import { deployApi, deployFleet } from "../support/deploy.ts";
import { takeStack } from "../support/stack.ts";
import { startIssuer } from "../support/tokens.ts";
import { until } from "../support/until.ts";
import { type Echo, serviceObjects, startUpstream } from "../support/upstream.ts";

const HOST = "ops.example.com";

interface Case {
  name: string;
  question: Omit<Question, "host"> & { host?: string };
  status: number;
  headers?: Readonly<Record<string, string | RegExp | null>>;
  text?: string | RegExp;
  /** The parts that the request must have when the upstream gets it. */
  echo?: Partial<Echo>;
}

Deno.test("operations do through Envoy what their definition says", async (t) => {
  await using stack = await takeStack();
  await stack.installGw();
  await using a = startUpstream("a");
  await using b = startUpstream("b");
  await using slow = startUpstream("slow", () => new Promise((resolve) => setTimeout(resolve, 1500, new Response())));
  let failures = 0;
  await using flaky = startUpstream("flaky", () => new Response(null, { status: ++failures % 3 === 0 ? 200 : 503 }));
  await using issuer = await startIssuer();
  const namespace = await stack.api.createNamespace();
  for (const [name, upstream] of Object.entries({ todo: a, other: b, slow, flaky })) {
    await stack.api.apply(...serviceObjects({ namespace, name, endpoints: [upstream] }));
  }
  const { port } = await deployFleet(stack, namespace);
  await deployApi(stack.api, { namespace, name: "ops", definition: definition(issuer.jwksUri, issuer.issuer) }, 60_000);
  const token = await issuer.sign("todo");
  // Envoy fetches the token issuer's keys in the background, so try until it has them.
  await until(async () =>
    (await send({ path: "/secret", headers: { authorization: `Bearer ${token}` } })).status === 200
  );

  for (const { name, question, ...want } of [...CASES, ...tokenCases(token, await issuer.sign("others"))]) {
    await t.step(name, async () => check(await send(question), want));
  }

  await t.step("weights share the requests", async () => {
    const upstreams = await Promise.all(Array.from({ length: 200 }, async () => {
      const { json } = await send({ path: "/weighted" });
      return Object(json()).upstream;
    }));
    const ofB = upstreams.filter((name) => name === "b").length;
    assert(ofB > 15 && ofB < 75, `${ofB} of 200`);
  });

  await t.step("a rate limit refuses what is too much", async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 5; count++) statuses.push((await send({ path: "/limited" })).status);
    assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
  });

  await t.step("messages of a WebSocket go both ways", async () => {
    // The Host header of a WebSocket comes from its URL.
    const socket = new WebSocket(`ws://localhost:${port}/socket`);
    const message = await new Promise((resolve, reject) => {
      socket.onopen = () => socket.send("hello");
      socket.onmessage = ({ data }) => resolve(data);
      socket.onerror = (event) => reject(event);
    });
    socket.close();
    await new Promise((resolve) => socket.onclose = resolve);
    assert.equal(message, "hello");
  });

  await t.step("Envoy has taken every configuration", async () => {
    assert.doesNotMatch(await stack.logOfEnvoys(), /rejected/);
  });

  function send(question: Omit<Question, "host"> & { host?: string }): Promise<Reply> {
    return ask(port, { host: HOST, ...question });
  }
});

const JSON_BODY = { "content-type": "application/json" };

const CASES: readonly Case[] = [
  {
    name: "a mocked operation is answered by gw",
    question: { path: "/v1/todos" },
    status: 200,
    headers: { "x-svc-mocked": "true", "content-type": "application/json" },
    text: '[{"id":1}]',
  },
  { name: "HEAD of a mocked operation", question: { method: "HEAD", path: "/v1/todos" }, status: 200, text: "" },
  {
    name: "a mocked operation answers as Accept wants",
    question: { path: "/v1/todos", headers: { accept: "text/plain" } },
    status: 200,
    headers: { "content-type": "text/plain" },
    text: "one todo",
  },
  { name: "nothing that Accept wants", question: { path: "/v1/todos", headers: { accept: "image/png" } }, status: 406 },
  {
    name: "a proxied operation gets to its Service",
    question: { method: "POST", path: "/v1/todos?a=b", body: '{"title":"x"}', headers: JSON_BODY },
    status: 200,
    headers: { "x-svc-mocked": null },
    echo: { upstream: "a", method: "POST", url: "/v1/todos?a=b", body: '{"title":"x"}' },
  },
  {
    name: "a header that only the gateway may set doesn't open anything",
    question: { path: "/v1/proxied", headers: { "x-svc-api": "other/api" } },
    status: 200,
    echo: { upstream: "a" },
  },
  {
    name: "a template, mocked",
    question: { path: "/v1/todos/42" },
    status: 200,
    headers: { "x-svc-mocked": "true" },
    text: '{"id":42}',
  },
  {
    name: "a template, proxied",
    question: { method: "PUT", path: "/v1/todos/42" },
    status: 200,
    echo: { url: "/v1/todos/42" },
  },
  {
    name: "an encoded slash is part of a segment",
    question: { method: "PUT", path: "/v1/todos/4%2F2" },
    status: 200,
    echo: { url: "/v1/todos/4%2F2" },
  },
  {
    name: "a concrete path beats a template",
    question: { path: "/v1/todos/mine" },
    status: 200,
    echo: { url: "/v1/todos/mine" },
  },
  {
    name: "a template that is part of a segment",
    question: { path: "/v1/report.csv" },
    status: 200,
    echo: { url: "/v1/report.csv" },
  },
  { name: "a disabled operation isn't there", question: { method: "DELETE", path: "/v1/todos/42" }, status: 404 },
  { name: "a disabled operation under a template isn't there", question: { path: "/v1/todos/hidden" }, status: 404 },
  { name: "a path that isn't in the definition", question: { path: "/v1/nothing" }, status: 404 },
  { name: "a path without its prefix", question: { path: "/todos" }, status: 404 },
  { name: "another host", question: { host: "other.example.com", path: "/v1/todos" }, status: 404 },
  {
    name: "the port in the Host header is nothing",
    question: { host: `${HOST}:8080`, path: "/v1/todos" },
    status: 200,
  },
  {
    name: "a redirect",
    question: { path: "/old" },
    status: 308,
    headers: { location: "https://new.example.com/new" },
  },
  {
    name: "a rewritten path",
    question: { path: "/service/foo/v1" },
    status: 200,
    echo: { url: "/v1/instance/foo" },
  },
  { name: "an upstream that is too slow", question: { path: "/slow" }, status: 504 },
  { name: "retries", question: { path: "/flaky" }, status: 200 },
  {
    name: "what may be cached",
    question: { path: "/cached" },
    status: 200,
    headers: { "cache-control": /max-age=60/ },
  },
  {
    name: "a preflight of an origin that may",
    question: { method: "OPTIONS", path: "/shared", headers: preflight("https://app.example.com") },
    status: 200,
    headers: { "access-control-allow-origin": "https://app.example.com", "access-control-allow-methods": /GET/ },
  },
  {
    name: "a preflight of another origin",
    question: { method: "OPTIONS", path: "/shared", headers: preflight("https://evil.example.com") },
    status: 200,
    headers: { "access-control-allow-origin": null },
  },
  {
    name: "an origin that may gets the answer",
    question: { path: "/shared", headers: { origin: "https://app.example.com" } },
    status: 200,
    headers: { "access-control-allow-origin": "https://app.example.com", "access-control-expose-headers": /x-total/i },
    echo: { upstream: "a" },
  },
  {
    name: "a request that is as its definition wants it",
    question: { method: "POST", path: "/checked", headers: JSON_BODY, body: '{"title":"x"}' },
    status: 200,
    echo: { upstream: "a", body: '{"title":"x"}' },
  },
  {
    name: "a request that isn't",
    question: { method: "POST", path: "/checked", headers: JSON_BODY, body: '{"title":1}' },
    status: 400,
    headers: { "content-type": "application/problem+json" },
    text: /"validation"/,
  },
  { name: "no token", question: { path: "/secret" }, status: 401 },
  {
    name: "a token that is none",
    question: { path: "/secret", headers: { authorization: "Bearer x.y.z" } },
    status: 401,
  },
  { name: "the definition itself", question: { path: "/openapi.json" }, status: 200, text: /^(?!.*x-svc).*"\/todos"/s },
];

function tokenCases(token: string, tokenForOthers: string): Case[] {
  return [
    {
      name: "a good token",
      question: { path: "/secret", headers: { authorization: `Bearer ${token}` } },
      status: 200,
      echo: { upstream: "a" },
    },
    {
      name: "a token for others",
      question: { path: "/secret", headers: { authorization: `Bearer ${tokenForOthers}` } },
      status: 403,
    },
  ];
}

function preflight(origin: string): Record<string, string> {
  return { origin, "access-control-request-method": "GET" };
}

function check(reply: Reply, { status, headers = {}, text, echo }: Omit<Case, "name" | "question">): void {
  assert.equal(reply.status, status, reply.text);
  for (const [name, want] of Object.entries(headers)) {
    const value = reply.headers.get(name);
    if (want instanceof RegExp) assert.match(value ?? "", want);
    else assert.equal(value, want, name);
  }
  if (text instanceof RegExp) assert.match(reply.text, text);
  else if (text !== undefined) assert.equal(reply.text, text);
  if (echo !== undefined) {
    const got = Object(reply.json());
    for (const [key, want] of Object.entries(echo)) assert.deepEqual(got[key], want, key);
  }
}

/** A definition with an operation for each setting. */
function definition(jwksUri: string, issuer: string): unknown {
  const mocking = { enabled: true };
  const proxied = (settings: object = {}): object => ({ "x-svc": settings, responses: { 200: { description: "" } } });
  const mocked = (content: object): object => ({
    "x-svc": { mocking },
    responses: { 200: { description: "", content } },
  });
  const id = [{ name: "id", in: "path", required: true, schema: { type: "string" } }];
  const service = (name: string): object => ({ upstream: { service: { name } } });
  return {
    openapi: "3.1.0",
    info: { title: "ops", version: "1.0.0" },
    "x-svc": { hosts: [HOST, "localhost"], public_api_path: "/openapi.json", ...service("todo") },
    paths: {
      "/todos": {
        "x-svc": { path: { prefix: "/v1" } },
        get: mocked({
          "application/json": { schema: { type: "array" }, example: [{ id: 1 }] },
          "text/plain": { schema: { type: "string" }, example: "one todo" },
        }),
        post: proxied(),
      },
      "/todos/{id}": {
        "x-svc": { path: { prefix: "/v1" } },
        parameters: id,
        get: mocked({ "application/json": { schema: { type: "object" }, example: { id: 42 } } }),
        put: proxied(),
        delete: proxied({ disabled: true }),
      },
      "/todos/mine": { "x-svc": { path: { prefix: "/v1" } }, get: proxied() },
      "/todos/hidden": { "x-svc": { path: { prefix: "/v1" } }, get: proxied({ disabled: true }) },
      "/proxied": { "x-svc": { path: { prefix: "/v1" } }, get: proxied() },
      "/report.{format}": {
        "x-svc": { path: { prefix: "/v1" } },
        get: {
          ...proxied(),
          parameters: [{ name: "format", in: "path", required: true, schema: { type: "string" } }],
        },
      },
      "/old": {
        get: proxied({ redirect: { scheme: "https", host: "new.example.com", path: "/new", response_code: 308 } }),
      },
      "/service/{id}/v1": {
        parameters: id,
        get: proxied({
          upstream: {
            service: { name: "todo" },
            rewrite: { pattern: "^/service/([^/]+)(/.*)$", substitution: "\\2/instance/\\1" },
          },
        }),
      },
      "/weighted": {
        get: proxied({
          upstreams: [{ weight: 80, service: { name: "todo" } }, { weight: 20, service: { name: "other" } }],
        }),
      },
      "/slow": { get: proxied({ ...service("slow"), qos: { request_timeout: 0.3 } }) },
      "/flaky": { get: proxied({ ...service("flaky"), qos: { retries: 3 } }) },
      "/cached": { get: proxied({ cache: { enabled: true, max_age: 60 } }) },
      "/limited": { get: proxied({ rate_limit: { requests_per_unit: 3, unit: "minute" } }) },
      "/shared": {
        get: proxied({
          cors: { origins: ["https://app.example.com"], methods: ["GET"], expose_headers: ["x-total"], max_age: 60 },
        }),
      },
      "/socket": { get: proxied({ websocket: true }) },
      "/secret": {
        get: proxied({ auth: { jwt: { providers: [{ name: "p", issuer, audiences: ["todo"], jwks_uri: jwksUri }] } } }),
      },
      "/checked": {
        post: {
          ...proxied({ validation: { request: { enabled: true } } }),
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
              },
            },
          },
        },
      },
    },
  };
}
