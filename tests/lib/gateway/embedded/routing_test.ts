/** Which route answers a request, by its host, path and method; and which paths are hidden. */
import assert from "node:assert/strict";
import type { RoutePlan } from "../../../../lib/gateway/route.ts";
import { createGateway, createGateways } from "../../../../lib/gateway/embedded/gateway.ts";
import { ask, CLIENT, definition, plan, planStatic, PLATFORM } from "./fleet.ts";

/** The YAML of a mocked operation that answers with its name. */
function mocked(name: string, settings = "mocking: {enabled: true}"): string {
  const media = `{schema: {type: string}, example: ${name}}`;
  return `{x-svc: {${settings}}, responses: {"200": {description: Fine., content: {text/plain: ${media}}}}}`;
}

/** A plan of mocked operations: `paths` lists the methods of each path. */
function api(name: string, paths: Record<string, string[]>, settings = "{}"): Promise<RoutePlan> {
  const lines = Object.entries(paths).map(([path, methods]) =>
    `"${path}": {${methods.map((method) => `${method}: ${mocked(`${name} ${method} ${path}`.replace(/[{}]/g, ""))}`)}}`
  );
  return plan(definition(settings, lines.join("\n  ")), name);
}

/** A platform whose upstreams answer with the requested URL. */
const ECHO: Partial<typeof PLATFORM> = {
  send: (url) => Promise.resolve({ kind: "answered", response: new Response(`sent to ${url}`) }),
};

async function answered(plans: RoutePlan[], url: string, method = "GET"): Promise<string> {
  const { response } = await ask(plans, url, { method }, ECHO);
  return response.ok ? await response.text() : String(response.status);
}

Deno.test("the most specific host answers; the port doesn't count", async (t) => {
  const plans = [
    await api("any", { "/pets": ["get"], "/only-any": ["get"] }),
    await api("wild", { "/pets": ["get"] }, "{hosts: ['*.example.com']}"),
    await api("deep", { "/pets": ["get"] }, "{hosts: ['*.eu.example.com']}"),
    await api("exact", { "/pets": ["get"] }, "{hosts: [api.example.com, '::1']}"),
  ];
  for (
    const [url, want] of [
      ["http://api.example.com/pets", "exact get /pets"],
      ["http://api.example.com:8080/pets", "exact get /pets"],
      ["http://API.EXAMPLE.COM/pets", "exact get /pets"],
      ["http://api.example.com./pets", "exact get /pets"],
      ["http://other.example.com/pets", "wild get /pets"],
      ["http://a.b.example.com/pets", "wild get /pets"],
      ["http://x.eu.example.com/pets", "deep get /pets"],
      ["http://a.x.eu.example.com:1/pets", "deep get /pets"],
      ["http://example.com/pets", "any get /pets"],
      ["http://badexample.com/pets", "any get /pets"],
      ["http://127.0.0.1:8080/pets", "any get /pets"],
      ["http://api.example.com/only-any", "any get /only-any"],
      ["http://api.example.com/nothing", "404"],
    ] as const
  ) {
    await t.step(`${url}: ${want}`, async () => assert.equal(await answered(plans, url), want));
  }
});

Deno.test("an exact path before a template before a prefix", async (t) => {
  const plans = [
    await planStatic("{upstream: {host: {hostname: files.example}}}", "all"),
    await planStatic("{upstream: {host: {hostname: docs.example}}, path: {prefix: /docs}}", "docs"),
    await api("templates", { "/pets/{id}": ["get", "put"], "/{a}/{b}": ["get"] }),
    await api("exact", { "/pets/mine": ["get"] }),
  ];
  for (
    const [method, path, want] of [
      ["GET", "/pets/mine", "exact get /pets/mine"],
      ["GET", "/pets/7", "templates get /pets/id"],
      ["HEAD", "/pets/7", ""],
      ["PUT", "/pets/mine", "templates put /pets/id"],
      ["GET", "/docs/x", "templates get /a/b"],
      ["GET", "/docs/x/y", "sent to http://docs.example:80/docs/x/y"],
      ["GET", "/docs", "sent to http://docs.example:80/docs"],
      ["GET", "/docsx", "sent to http://files.example:80/docsx"],
      ["DELETE", "/pets/mine", "405"],
      ["POST", "/", "sent to http://files.example:80/"],
    ] as const
  ) {
    await t.step(`${method} ${path}: ${want}`, async () => {
      assert.equal(await answered(plans, `http://h${path}`, method), want);
    });
  }
});

Deno.test("a disabled operation answers 404, even if another route would match", async (t) => {
  const OFF = "disabled: true";
  const hidden = await plan(definition(
    "{}",
    [
      `/pets/secret: {get: ${mocked("secret", OFF)}}`,
      `/pets/{id}: {get: ${mocked("pet")}}`,
      `/half: {get: ${mocked("half", OFF)}, post: ${mocked("half")}}`,
    ].join("\n  "),
  ));
  const all = await planStatic("{upstream: {host: {hostname: files.example}}}");
  for (const plans of [[hidden], [hidden, all]]) {
    for (
      const [method, path, want] of [
        ["GET", "/pets/secret", "404"],
        ["HEAD", "/pets/secret", "404"],
        ["GET", "/pets/%73ecret", "404"],
        ["GET", "/pets/x/../secret", "404"],
        ["GET", "/pets/x/%2e%2E/secret", "404"],
        ["GET", "/pets/7", "pet"],
        ["GET", "/half", "404"],
        ["POST", "/half", "half"],
      ] as const
    ) {
      await t.step(`${method} ${path}${plans.length > 1 ? " with a static route" : ""}: ${want}`, async () => {
        // `new Request` normalizes the path; a client that writes raw HTTP need not. So set the URL afterwards.
        const request = Object.defineProperty(new Request("http://h/", { method }), "url", {
          value: `http://h${path}`,
        });
        const { response } = await createGateway(plans, { ...PLATFORM, ...ECHO })(request, CLIENT);
        assert.equal(response.ok ? await response.text() : String(response.status), want);
      });
    }
  }
  await t.step("its method is not among those that are allowed", async () => {
    const { response } = await ask([hidden], "http://h/half", { method: "PUT" });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get("allow"), "POST, OPTIONS");
  });
  await t.step("a path whose operations are all disabled answers 404", async () => {
    const gone = await plan(definition("{disabled: true}"));
    assert.equal((await ask([gone], "http://h/pets", { method: "PUT" })).response.status, 404);
  });
});

Deno.test("a request without a route is answered by a problem", async (t) => {
  const plans = [await api("pets", { "/pets": ["get", "post"] })];
  await t.step("no route: 404", async () => {
    const { response, plan } = await ask(plans, "http://h/nothing?a=1");
    assert.equal(response.status, 404);
    assert.equal(response.headers.get("content-type"), "application/problem+json");
    assert.match((await response.json()).detail, /GET \/nothing/);
    assert.equal(plan, undefined);
  });
  await t.step("another method: 405 with Allow", async () => {
    const { response } = await ask(plans, "http://h/pets", { method: "DELETE" });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get("allow"), "GET, POST, HEAD, OPTIONS");
  });
  await t.step("OPTIONS: 204 with Allow", async () => {
    const { response } = await ask(plans, "http://h/pets", { method: "OPTIONS" });
    assert.equal(response.status, 204);
    assert.equal(response.headers.get("allow"), "GET, POST, HEAD, OPTIONS");
  });
  await t.step("no plans at all: 404", async () => {
    assert.equal((await ask([], "http://h/")).response.status, 404);
  });
});

Deno.test("an answer names its API", async () => {
  const pets = await api("pets", { "/pets": ["get"] });
  const answer = await ask([pets, await planStatic("{redirect: {path: /x}}")], "http://h/pets");
  assert.equal(answer.plan, pets);
  assert.equal(answer.operation?.path, "/pets");
  assert.equal(answer.source, "example");
  assert.equal(answer.mediaType, "text/plain");
});

Deno.test("a new gateway keeps the rate limits of an unchanged plan", async () => {
  const limited = await plan(definition("{redirect: {path: /x}, rate_limit: {requests_per_unit: 1, unit: hour}}"));
  const gateways = createGateways(PLATFORM);
  const statusOf = async (plans: RoutePlan[]): Promise<number> =>
    (await gateways(plans)(new Request("http://h/pets"), CLIENT)).response.status;
  assert.equal(await statusOf([limited]), 302);
  assert.equal(await statusOf([limited, await planStatic("{redirect: {path: /y}}")]), 429);
  const replaced = await plan(definition("{redirect: {path: /x}, rate_limit: {requests_per_unit: 1, unit: hour}}"));
  assert.equal(await statusOf([replaced]), 302);
});

Deno.test("a plan that the gateway doesn't support affects no other plan", async () => {
  const bad = await plan(
    definition("{path: {prefix: /bad}, upstream: {service: {name: nowhere}}, mocking: {enabled: false}}"),
    "bad",
  );
  const plans = [bad, await api("good", { "/pets": ["get"] })];
  assert.equal(await answered(plans, "http://h/bad/pets"), "503");
  assert.equal(await answered(plans, "http://h/pets"), "good get /pets");
});
