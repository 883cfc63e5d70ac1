/**
 * Path keys with conditions, through a real Envoy: queries and headers distinguish operations of the same path.
 *
 * @module
 */
import assert from "node:assert/strict";
import { ask, type Question } from "../support/ask.ts";
import { deployApi, deployFleet } from "../support/deploy.ts";
import { takeStack } from "../support/stack.ts";
import { startIssuer } from "../support/tokens.ts";
import { until } from "../support/until.ts";
import { serviceObjects, startUpstream } from "../support/upstream.ts";

const HOST = "actions.example.com";

const TEXT = { schema: { type: "string" }, example: "mocked" };
const OK = { responses: { 200: { description: "Fine.", content: { "text/plain": TEXT } } } };
const KIND = [{ name: "kind", in: "path", required: true, schema: { type: "string" } }];

/** An Operation Object whose upstream is a Service. */
function to(name: string): unknown {
  return { ...OK, "x-svc": { upstream: { service: { name } } } };
}

const PATHS = {
  "/?Action=A": { post: to("first") },
  "/?Action=B": { post: { ...OK, "x-svc": { mocking: { enabled: true } } } },
  "/?Action=A&Version=2": { post: to("second") },
  "/x#X-Target=T": { post: to("first") },
  "/items": { get: to("first") },
  "/items?beta": { get: to("second") },
  "/items?name=a%20b/c": { post: to("second") },
  "/kinds/{kind}": { parameters: KIND, get: to("first") },
  "/kinds/{kind}?wide=yes": { parameters: KIND, get: to("second") },
  "/hidden": { get: to("first") },
  "/hidden?old=1": { get: { ...OK, "x-svc": { disabled: true } } },
};

/** Requests, with the name of the upstream that must answer, `mocked`, or the expected status. */
const REQUESTS: readonly [want: string | number, request: string, headers?: Record<string, string>][] = [
  ["first", "POST /?Action=A"],
  ["first", "POST /?Other=1&Action=A"],
  ["second", "POST /?Version=2&Action=A"],
  ["first", "POST /?Version=3&Action=A"],
  ["mocked", "POST /?Action=B"],
  [404, "POST /?Action=C"],
  [404, "POST /"],
  [404, "POST /?action=A"],
  ["first", "POST /x", { "x-target": "T" }],
  ["first", "POST /x?Action=C", { "X-Target": "T" }],
  [404, "POST /x", { "x-target": "U" }],
  [404, "POST /x"],
  ["first", "GET /items"],
  ["second", "GET /items?beta"],
  ["second", "GET /items?beta="],
  ["second", "GET /items?a=1&beta=true"],
  ["second", "POST /items?name=a%20b/c"],
  ["second", "POST /items?name=a+b%2fc"],
  [405, "POST /items?name=a"],
  ["first", "GET /kinds/cat"],
  ["second", "GET /kinds/cat?wide=yes"],
  ["first", "GET /hidden?old=2"],
  [404, "GET /hidden?old=1"],
  // Envoy compares queries without decoding them, and reads only the first of several with one name. So gw lets no
  // authentication depend on a query.
  [404, "POST /?%41ction=A"],
  [404, "POST /?Action=C&Action=A"],
];

Deno.test("operations of one path are told apart through Envoy by queries and headers", async (t) => {
  await using stack = await takeStack();
  await stack.installGw();
  await using first = startUpstream("first");
  await using second = startUpstream("second");
  const namespace = await stack.api.createNamespace();
  for (const upstream of [first, second]) {
    await stack.api.apply(...serviceObjects({ namespace, name: upstream.name, endpoints: [upstream] }));
  }
  const { port } = await deployFleet(stack, namespace);
  await using issuer = await startIssuer();
  const jwt = { providers: [{ name: "id", issuer: issuer.issuer, audiences: ["x"], jwks_uri: issuer.jwksUri }] };
  const secret = { ...OK, "x-svc": { upstream: { service: { name: "second" } }, auth: { jwt } } };
  const definition = {
    openapi: "3.1.0",
    info: { title: "Actions", version: "1.0" },
    "x-svc": { hosts: [HOST] },
    paths: { ...PATHS, "/x#X-Target=Secret": { post: secret } },
  };
  await deployApi(stack.api, { namespace, name: "actions", definition }, 60_000);
  await until(async () => await answerTo({ method: "POST", path: "/?Action=A" }) === "first");
  for (const [want, request, headers = {}] of REQUESTS) {
    await t.step(`${request} ${JSON.stringify(headers)}: ${want}`, async () => {
      const [method = "", path = ""] = request.split(" ");
      assert.equal(await answerTo({ method, path, headers }), want);
    });
  }
  await t.step("an operation behind authentication is told apart by the value of a header", async () => {
    const authorization = `Bearer ${await issuer.sign("x")}`;
    const question = { method: "POST", path: "/x", headers: { "x-target": "Secret" } };
    assert.equal(await answerTo(question), 401);
    // Envoy fetches the token issuer's keys in the background, so try until it has them.
    const authorized = { ...question, headers: { ...question.headers, authorization } };
    await until(async () => await answerTo(authorized) === "second");
    assert.equal(await answerTo({ ...question, headers: { "x-target": "T" } }), "first");
  });
  await t.step("Envoy has taken every configuration", async () => {
    assert.doesNotMatch(await stack.logOfEnvoys(), /rejected/);
  });

  async function answerTo(question: Omit<Question, "host">): Promise<string | number> {
    const { status, text, headers, json } = await ask(port, { host: HOST, ...question });
    if (status !== 200) return status;
    return headers.get("x-svc-mocked") === null ? String(Object(json()).upstream) : text;
  }
});
