/** Every part of the gateway and every server behind it gets the same, normal path. */
import assert from "node:assert/strict";
import { createGateway } from "../../../../lib/gateway/embedded/gateway.ts";
import type { RoutePlan } from "../../../../lib/gateway/route.ts";
import type { Send } from "../../../../lib/http/url/upstream.ts";
import { definitionOf, OPEN, REFUSED, SPELLINGS } from "../../../paths/spellings.ts";
import { CLIENT, definition, plan, planStatic, PLATFORM } from "./fleet.ts";

const OK = 'responses: {"200": {description: Fine.}}';
const UPSTREAM = { upstream: { host: { hostname: "up.example" } } };

/** Sends a request with a path as a client wrote it: `new Request` would normalise it. Upstreams answer their URL. */
async function answerTo(plans: readonly RoutePlan[], path: string, method = "GET"): Promise<Response> {
  const send: Send = (url) => Promise.resolve({ kind: "answered", response: new Response(url) });
  const request = Object.defineProperty(new Request("http://h/", { method }), "url", { value: `http://h${path}` });
  const { response } = await createGateway(plans, { ...PLATFORM, send })(request, CLIENT);
  return response;
}

Deno.test("an open template takes no path that a server may read as one that the gateway refuses", async () => {
  const api = await plan(JSON.stringify(definitionOf(UPSTREAM)));
  const rest = await planStatic(JSON.stringify(UPSTREAM));
  for (const plans of [[api], [api, rest]]) {
    for (const path of SPELLINGS) {
      for (const method of ["GET", "POST"]) {
        const response = await answerTo(plans, path, method);
        const text = await response.text();
        // tests/attack/paths_test.ts shows how real servers read the forwarded paths.
        if (response.ok) assert.ok(!REFUSED.includes(text.replace("http://up.example:80", "")), path);
        else assert.match(String(response.status), /^40[0145]$/, path);
      }
    }
    for (const [path, want] of Object.entries(OPEN)) {
      assert.equal(await (await answerTo(plans, path)).text(), `http://up.example:80${want}`, path);
    }
  }
});

Deno.test("a path that a definition itself has with parameters or encoded slashes is matched as written", async () => {
  const jwt = "x-svc: {auth: {jwt: {providers: [{name: id, jwks_uri: 'http://127.0.0.1:1/keys'}]}}}";
  const plans = [
    await plan(definition(
      JSON.stringify(UPSTREAM),
      `/a/b: {${jwt}, get: {${OK}}}\n  /a/b;v=2: {get: {${OK}}}\n  /a%2Fb: {get: {${OK}}}\n  /a/{x}: {get: {${OK}}}`,
    )),
  ];
  const wanted = { "/a/b": 401, "/a/b;v=2": 200, "/a%2Fb": 200, "/a%2fb": 200, "/a/b;v=3": 404, "/a/c;v=3": 200 };
  for (const [path, want] of Object.entries(wanted)) {
    assert.equal((await answerTo(plans, path)).status, want, path);
  }
});

Deno.test("rewrites, redirects and authorization servers get the normal path", async (t) => {
  await t.step("x-svc.upstream.rewrite", async () => {
    const rewrite = { pattern: "^/api/v1", substitution: "" };
    const settings = { path: { prefix: "/api/v1" }, upstream: { ...UPSTREAM.upstream, rewrite } };
    const plans = [await plan(definition(JSON.stringify(settings)))];
    for (const path of ["/%61pi/v1/pets", "/api/%76%31/pets", "//api/v1/./p%65ts", "/x/../api\\v1/pets"]) {
      assert.equal(await (await answerTo(plans, path)).text(), "http://up.example:80/pets", path);
    }
  });
  await t.step("x-svc.redirect", async () => {
    const plans = [await plan(definition("{redirect: {host: new.example}}"))];
    const response = await answerTo(plans, "/x/../%70ets?a=%61");
    assert.equal(response.headers.get("location"), "http://new.example/pets?a=%61");
  });
  await t.step("x-svc.auth.custom", async () => {
    const asked: string[] = [];
    const custom = { host: { hostname: "auth.example" } };
    const plans = [
      await plan(definition(JSON.stringify({ ...UPSTREAM, auth: { custom } }), `/e/{x}: {get: {${OK}}}`)),
    ];
    const request = Object.defineProperty(new Request("http://h/"), "url", { value: "http://h/e/%73ecret%2Fa?b=%63" });
    const send: Send = (url, { headers }) => {
      asked.push(url, new Headers(headers).get("x-forwarded-uri") ?? "");
      return Promise.resolve({ kind: "answered", response: new Response(url) });
    };
    const { response } = await createGateway(plans, { ...PLATFORM, send })(request, CLIENT);
    assert.deepEqual(asked.slice(0, 2), ["http://auth.example:80/e/secret%2Fa?b=%63", "/e/secret%2Fa?b=%63"]);
    assert.equal(await response.text(), "http://up.example:80/e/secret%2Fa?b=%63");
  });
});
