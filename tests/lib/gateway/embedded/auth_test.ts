/** Which requests pass with which tokens (`auth.jwt`), and by the answers of authorization servers (`auth.custom`). */
import assert from "node:assert/strict";
import * as jose from "jose";
import { createGateway } from "../../../../lib/gateway/embedded/gateway.ts";
import type { RoutePlan } from "../../../../lib/gateway/route.ts";
import { ask, CLIENT, definition, plan, PLATFORM, serve, serveFleet, type TestServer, to } from "./fleet.ts";
import { freePort } from "../../../free_port.ts";

const NOW = Date.UTC(2026, 0, 1);
const SECONDS = NOW / 1000;

const MOCK = "mocking: {enabled: true}";
const PATHS = [
  '/pets: {get: {responses: {"200": {description: Pets.}}}}',
  '/pets/{id}: {get: {responses: {"200": {description: A pet.}}}}',
].join("\n  ");

interface Issuer extends TestServer {
  /** Makes a token, signed by the current key. */
  token(claims?: Record<string, unknown>, header?: { kid?: string | undefined }): Promise<string>;
  /** Replaces the signing key. */
  rotate(kid?: string): Promise<void>;
  /** The number of requests for the keys (JWKS). */
  asked: number;
  isDown: boolean;
}

async function startIssuer(alg = "ES256"): Promise<Issuer> {
  let current: { kid: string; privateKey: jose.CryptoKey; jwk: jose.JWK };
  const server = serve(() => {
    issuer.asked++;
    return issuer.isDown ? new Response("down", { status: 500 }) : Response.json({ keys: [current.jwk] });
  });
  const issuer: Issuer = {
    ...server,
    asked: 0,
    isDown: false,
    async rotate(kid = crypto.randomUUID()) {
      const { publicKey, privateKey } = await jose.generateKeyPair(alg, { extractable: true });
      current = { kid, privateKey, jwk: { ...await jose.exportJWK(publicKey), kid, alg } };
    },
    token: (claims = {}, header = {}) =>
      new jose.SignJWT({ iss: "https://id.example", aud: "pets", exp: SECONDS + 60, ...claims })
        .setProtectedHeader(JSON.parse(JSON.stringify({ alg, kid: current.kid, ...header }))).sign(current.privateKey),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  await issuer.rotate();
  return issuer;
}

function protectedBy(issuer: TestServer, more = "issuer: https://id.example, audiences: [pets, shop]"): string {
  return `{${MOCK}, auth: {jwt: {providers: [{name: id, jwks_uri: "${issuer.url}/keys", ${more}}]}}}`;
}

async function statusFor(plans: readonly RoutePlan[], token: string | undefined, path = "/pets"): Promise<number> {
  const headers: HeadersInit = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { response } = await ask(plans, `http://h${path}`, { headers }, { now: () => NOW });
  return response.status;
}

Deno.test("a token is asked for, on templated paths too", async (t) => {
  await using issuer = await startIssuer();
  const plans = [await plan(definition(protectedBy(issuer), PATHS))];
  const [head = "", , signature = ""] = (await issuer.token()).split(".");
  const forged = `${head}.${
    btoa(JSON.stringify({ iss: "https://id.example", aud: "pets" })).replace(/=+$/, "")
  }.${signature}`;
  const unsigned = new jose.UnsecuredJWT({ iss: "https://id.example", aud: "pets" }).encode();
  const secret = await new jose.SignJWT({ iss: "https://id.example", aud: "pets" })
    .setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode("x".repeat(32)));
  const cases: { name: string; token: string | undefined; want: number }[] = [
    { name: "none", token: undefined, want: 401 },
    { name: "a good one", token: await issuer.token(), want: 200 },
    { name: "one of the audiences", token: await issuer.token({ aud: ["x", "shop"] }), want: 200 },
    { name: "another audience", token: await issuer.token({ aud: "other" }), want: 401 },
    { name: "no audience", token: await issuer.token({ aud: undefined }), want: 401 },
    { name: "another issuer", token: await issuer.token({ iss: "https://evil.example" }), want: 401 },
    { name: "expired within the clock skew", token: await issuer.token({ exp: SECONDS - 59 }), want: 200 },
    { name: "expired", token: await issuer.token({ exp: SECONDS - 61 }), want: 401 },
    { name: "valid within the clock skew", token: await issuer.token({ nbf: SECONDS + 59 }), want: 200 },
    { name: "not valid yet", token: await issuer.token({ nbf: SECONDS + 61 }), want: 401 },
    { name: "not a token", token: "abc", want: 401 },
    { name: "forged", token: forged, want: 401 },
    { name: "not signed", token: unsigned, want: 401 },
    { name: "signed with a secret", token: secret, want: 401 },
  ];
  for (const path of ["/pets", "/pets/7"]) {
    for (const { name, token, want } of cases) {
      await t.step(`${path}: ${name}`, async () => assert.equal(await statusFor(plans, token, path), want));
    }
  }
  await t.step("a refusal is a problem with a challenge", async () => {
    const { response } = await ask(plans, "http://h/pets", { headers: { authorization: "Bearer abc" } });
    assert.equal(response.headers.get("content-type"), "application/problem+json");
    assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer error="invalid_token"/);
  });
});

Deno.test("keys are fetched once, and again when the issuer changes them", async () => {
  await using issuer = await startIssuer();
  let time = NOW;
  const gateway = createGateway([await plan(definition(protectedBy(issuer), PATHS))], { ...PLATFORM, now: () => time });
  const statusOf = async (token: string): Promise<number> => {
    const request = new Request("http://h/pets", { headers: { authorization: `Bearer ${token}` } });
    return (await gateway(request, CLIENT)).response.status;
  };
  const old = await issuer.token();
  assert.deepEqual(await Promise.all([statusOf(old), statusOf(old), statusOf(old)]), [200, 200, 200]);
  assert.equal(issuer.asked, 1);

  await issuer.rotate();
  assert.equal(await statusOf(await issuer.token()), 200);
  assert.equal(issuer.asked, 2);
  assert.equal(await statusOf(old), 401);

  for (let attempt = 0; attempt < 50; attempt++) await statusOf(await issuer.token({}, { kid: `made up ${attempt}` }));
  assert.ok(issuer.asked < 15, `the issuer was asked ${issuer.asked} times`);

  time += 11 * 60_000;
  const asked = issuer.asked;
  issuer.isDown = true;
  assert.equal(await statusOf(await issuer.token({ exp: time / 1000 + 60 })), 200);
  assert.equal(issuer.asked, asked + 1);
});

Deno.test("keys are fetched for tokens of the issuer alone", async (t) => {
  await using issuer = await startIssuer();
  const plans = [await plan(definition(protectedBy(issuer), PATHS))];
  const [header = "", claims = ""] = (await issuer.token()).split(".");
  const tokens = {
    "garbage": "garbage",
    "three parts of garbage": "a.b.c",
    "no claims": `${header}.e30.c2ln`,
    "five parts": `${header}.a.b.c.d`,
    "no header": `.${claims}.c2ln`,
    "another issuer's": await issuer.token({ iss: "https://other.example" }),
  };
  for (const [name, token] of Object.entries(tokens)) {
    await t.step(name, async () => assert.equal(await statusFor(plans, token), 401));
  }
  assert.equal(issuer.asked, 0);
  await t.step("a forged one", async () => assert.equal(await statusFor(plans, `${header}.${claims}.c2ln`), 401));
  assert.equal(issuer.asked, 1);
});

Deno.test("a token that doesn't name its key is tried with each", async () => {
  await using issuer = await startIssuer();
  const other = await jose.generateKeyPair("ES256", { extractable: true });
  await using both = serve(async () => {
    const { keys } = await (await fetch(issuer.url)).json();
    return Response.json({ keys: [{ ...await jose.exportJWK(other.publicKey), kid: "other", alg: "ES256" }, ...keys] });
  });
  const plans = [await plan(definition(protectedBy(both), PATHS))];
  assert.equal(await statusFor(plans, await issuer.token({}, { kid: undefined })), 200);
});

Deno.test("a token of any of the issuers is accepted", async () => {
  await using a = await startIssuer();
  await using b = await startIssuer("RS256");
  const providers = [[a, "https://a.example"], [b, "https://b.example"]] as const;
  const list = providers.map(([{ url }, issuer]) => `{name: x, issuer: "${issuer}", jwks_uri: "${url}"}`).join(", ");
  const plans = [await plan(definition(`{${MOCK}, auth: {jwt: {providers: [${list}]}}}`))];
  assert.equal(await statusFor(plans, await a.token({ iss: "https://a.example" })), 200);
  assert.equal(await statusFor(plans, await b.token({ iss: "https://b.example" })), 200);
  assert.equal(await statusFor(plans, await b.token({ iss: "https://a.example" })), 401);
});

Deno.test("an issuer that can't be reached leads to 503", async () => {
  await using issuer = await startIssuer();
  const token = await issuer.token();
  const nobody = { url: `http://127.0.0.1:${freePort()}` };
  assert.equal(await statusFor([await plan(definition(protectedBy({ ...issuer, ...nobody })))], token), 503);
  issuer.isDown = true;
  assert.equal(await statusFor([await plan(definition(protectedBy(issuer)))], token), 503);
});

Deno.test("an authorization server decides about each request", async (t) => {
  const seen: { method: string; target: string; headers: Headers; body: string }[] = [];
  await using decider = serve(async (request) => {
    const { pathname, search } = new URL(request.url);
    seen.push({
      method: request.method,
      target: pathname + search,
      headers: request.headers,
      body: await request.text(),
    });
    return request.headers.get("x-key") === "open"
      ? new Response("come in")
      : new Response("go away", { status: 403, headers: { "x-why": "no key" } });
  });
  await using upstream = serve(async (request) => new Response(await request.text()));
  const guarded = (more: string): string =>
    definition(
      to(upstream, `auth: {custom: {host: {hostname: 127.0.0.1, port: ${decider.port}}${more}}}`),
      '/pets/{id}: {post: {responses: {"200": {description: Fine.}}}}',
    );
  await using fleet = serveFleet([await plan(guarded(", path: /decide"))]);
  const post = (key: string): Promise<Response> =>
    fetch(`${fleet.url}/pets/7?x=1`, { method: "POST", body: "hello", headers: { "x-key": key } });

  await t.step("2xx: the request goes on, with its body", async () => {
    assert.equal(await (await post("open")).text(), "hello");
    const [asked] = seen;
    assert.deepEqual([asked?.method, asked?.target, asked?.body], ["POST", "/decide", ""]);
    assert.equal(asked?.headers.get("x-forwarded-method"), "POST");
    assert.equal(asked?.headers.get("x-forwarded-uri"), "/pets/7?x=1");
    assert.equal(asked?.headers.get("x-forwarded-for"), "127.0.0.1");
  });
  await t.step("a client can't forge the headers that describe its request", async () => {
    const forged = { "x-forwarded-uri": "/open", "x_forwarded_uri": "/open", "X-Forwarded_Method": "GET" };
    const { response } = await ask([await plan(guarded(""))], "http://h/pets/7", { method: "POST", headers: forged });
    await response.body?.cancel();
    const told = [...seen.at(-1)?.headers ?? []].filter(([name]) => /^x.forwarded.(uri|method)$/.test(name));
    assert.deepEqual(told, [["x-forwarded-method", "POST"], ["x-forwarded-uri", "/pets/7"]]);
  });
  await t.step("any other status: its response goes to the client", async () => {
    const response = await post("shut");
    assert.equal(response.status, 403);
    assert.equal(response.headers.get("x-why"), "no key");
    assert.equal(await response.text(), "go away");
  });
  await t.step("without a path setting, it gets the path of the request", async () => {
    const { response } = await ask([await plan(guarded(""))], "http://h/pets/8?y=2", { method: "POST" });
    assert.equal(response.status, 403);
    await response.body?.cancel();
    assert.equal(seen.at(-1)?.target, "/pets/8?y=2");
  });
  await t.step("headers of its answer reach the upstream in place of the client's", async () => {
    const answer = new Headers({ "x-user": "tom", "x-other": "no", "connection": "x-role" });
    answer.append("x-group", "a");
    answer.append("x-group", "b");
    await using decider = serve((request) => {
      const headers = new Headers(answer);
      if (request.headers.has("x-anonymous")) headers.delete("x-user");
      return new Response("come in", { headers });
    });
    await using upstream = serve(({ headers }) => Response.json(Object.fromEntries(headers)));
    const custom = `{host: {hostname: 127.0.0.1, port: ${decider.port}}, response_headers: [X-User, x-group, x-role]}`;
    await using fleet = serveFleet([await plan(definition(to(upstream, `auth: {custom: ${custom}}`)))]);
    const reached = async (headers: Record<string, string>): Promise<Record<string, string>> => {
      const forged = { "x-user": "admin", "X_User": "admin", "x-role": "admin", "x-own": "kept", ...headers };
      return await (await fetch(`${fleet.url}/pets`, { headers: forged })).json();
    };
    const named = await reached({});
    assert.deepEqual(
      [named["x-user"], named["x-group"], named["x-role"], named["x_user"], named["x-other"], named["x-own"]],
      ["tom", "a, b", undefined, undefined, undefined, "kept"],
    );
    const anonymous = await reached({ "x-anonymous": "1" });
    assert.deepEqual([anonymous["x-user"], anonymous["x_user"]], [undefined, undefined]);
  });
  await t.step("it can't be reached: 503", async () => {
    const settings = to(upstream, `auth: {custom: {host: {hostname: 127.0.0.1, port: ${freePort()}}}}`);
    const { response } = await ask([await plan(definition(settings))], "http://h/pets");
    assert.equal(response.status, 503);
    assert.doesNotMatch(await response.text(), /127\.0\.0\.1/);
  });
});

Deno.test("a key without kid fits a token with one, and a key with another kid doesn't", async (t) => {
  const own = await jose.generateKeyPair("ES256", { extractable: true });
  const other = await jose.generateKeyPair("ES256", { extractable: true });
  const token = await new jose.SignJWT({ iss: "https://id.example", aud: "pets", exp: SECONDS + 60 })
    .setProtectedHeader({ alg: "ES256", kid: "own" }).sign(own.privateKey);
  const key = { ...await jose.exportJWK(own.publicKey), alg: "ES256" };
  const foreign = { ...await jose.exportJWK(other.publicKey), alg: "ES256" };
  for (
    const [name, keys, want] of [
      ["a key without kid", [key], 200],
      ["several keys without kid", [foreign, key], 200],
      ["a key without kid beside others", [{ ...foreign, kid: "other" }, key], 200],
      ["its kid", [foreign, { ...key, kid: "own" }], 200],
      ["another kid", [{ ...key, kid: "other" }], 401],
      ["another key without kid", [foreign], 401],
      ["no keys", [], 401],
    ] as const
  ) {
    await t.step(name, async () => {
      await using issuer = serve(() => Response.json({ keys }));
      assert.equal(await statusFor([await plan(definition(protectedBy(issuer)))], token), want);
    });
  }
});
