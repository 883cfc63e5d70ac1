/** A table of cases for each key of `x-svc` that changes a response. */
import assert from "node:assert/strict";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { createGateway } from "../../../../lib/gateway/embedded/gateway.ts";
import { ask, CLIENT, definition, plan, PLATFORM, serve, serveFleet, to } from "./fleet.ts";

const MOCK = "mocking: {enabled: true}";
const FINE = 'responses: {"200": {description: Fine.}}';
const CRUD = `/pets: {get: {${FINE}}, post: {${FINE}}}`;

Deno.test("redirect: parts that aren't given stay as requested", async (t) => {
  for (
    const [redirect, want, status = 302] of [
      ["{host: other.example}", "http://other.example:8080/pets?x=1"],
      ["{scheme: http, host: other.example}", "http://other.example/pets?x=1"],
      ["{scheme: https}", "https://h/pets?x=1"],
      ["{port: 9000}", "http://h:9000/pets?x=1"],
      ["{path: /new, response_code: 308}", "/new?x=1", 308],
      ["{path: //other.example/new}", "http://h:8080//other.example/new?x=1"],
      [
        "{scheme: https, host: other.example, port: 8443, path: /a, response_code: 301}",
        "https://other.example:8443/a?x=1",
        301,
      ],
    ] as const
  ) {
    await t.step(`${redirect}: ${want}`, async () => {
      const { response, source } = await ask(
        [await plan(definition(`{redirect: ${redirect}}`))],
        "http://h:8080/pets?x=1",
      );
      assert.deepEqual([response.status, response.headers.get("location"), source], [status, want, "redirect"]);
    });
  }
});

Deno.test("rate_limit: requests beyond the limit are answered 429 until the next window", async () => {
  let time = 5_000_400;
  const text = definition(
    `{${MOCK}, rate_limit: {requests_per_unit: 2, unit: minute}}`,
    `/a: {get: {${FINE}}}\n  /b: {get: {${FINE}}}\n  ` +
      `/own: {get: {${FINE}, x-svc: {rate_limit: {requests_per_unit: 1, unit: second}}}}`,
  );
  const gateway = createGateway([await plan(text)], { ...PLATFORM, now: () => time });
  const get = async (path: string): Promise<Response> =>
    (await gateway(new Request(`http://h${path}`), CLIENT)).response;
  const first = await get("/a");
  assert.equal(first.status, 200);
  assert.equal(first.headers.get("ratelimit-policy"), '"minute";q=2;w=60');
  assert.equal(first.headers.get("ratelimit"), '"minute";r=1;t=60');
  time += 10_100;
  assert.equal((await get("/b")).headers.get("ratelimit"), '"minute";r=0;t=50');
  const refused = await get("/a");
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get("retry-after"), "50");
  assert.equal(refused.headers.get("ratelimit"), '"minute";r=0;t=50');
  assert.match((await refused.json()).detail, /More than 2 requests in a minute/);
  assert.equal((await get("/own")).status, 200);
  assert.equal((await get("/own")).status, 429);
  time += 1_000;
  assert.equal((await get("/own")).status, 200);
  assert.equal((await get("/a")).status, 429);
  time += 60_000;
  assert.equal((await get("/a")).status, 200);
});

Deno.test("cache: good answers to safe requests may be kept", async (t) => {
  await using upstream = serve(({ method }) => new Response(method, { headers: { "cache-control": "max-age=99" } }));
  for (
    const [cache, method, want] of [
      ["{enabled: true, max_age: 60}", "GET", "max-age=60"],
      ["{enabled: true, max_age: 60}", "HEAD", "max-age=60"],
      ["{enabled: true, max_age: 60}", "POST", "max-age=99"],
      ["{enabled: false, max_age: 60}", "GET", "max-age=99"],
      ["{max_age: 60}", "GET", "max-age=99"],
    ] as const
  ) {
    await t.step(`${cache} ${method}: ${want}`, async () => {
      const { response } = await ask([await plan(definition(to(upstream, `cache: ${cache}`), CRUD))], "http://h/pets", {
        method,
      });
      assert.equal(response.headers.get("cache-control"), want);
      await response.body?.cancel();
    });
  }
  for (
    const [name, headers, want] of [
      ["no-store", { "cache-control": "No-Store" }, "No-Store"],
      ["private", { "cache-control": "max-age=5, private" }, "max-age=5, private"],
      ["a cookie", { "set-cookie": "session=secret" }, null],
      ["a cookie and no-store", { "cache-control": "no-store", "set-cookie": "a=b" }, "no-store"],
      ["no-cache", { "cache-control": "no-cache" }, "no-cache"],
      ["a shorter age", { "cache-control": "max-age=5" }, "max-age=5"],
      ["a longer age", { "cache-control": "max-age=99" }, "max-age=9"],
    ] as const
  ) {
    await t.step(`what an upstream says of ${name} counts: ${want}`, async () => {
      await using upstream = serve(() => new Response("fine", { headers }));
      const plans = [await plan(definition(to(upstream, "cache: {enabled: true, max_age: 9}")))];
      const { response } = await ask(plans, "http://h/pets");
      assert.equal(response.headers.get("cache-control"), want);
      await response.body?.cancel();
    });
  }
  await t.step("behind auth they are for one user, and refusals aren't kept", async () => {
    await using decider = serve(({ headers }) =>
      headers.has("x-key")
        ? new Response("come in")
        : new Response(null, { status: 302, headers: { location: "/login" } })
    );
    const { port } = new URL(decider.url);
    const auth = `auth: {custom: {host: {hostname: 127.0.0.1, port: ${port}}}}`;
    const plans = [await plan(definition(`{${MOCK}, cache: {enabled: true, max_age: 9}, ${auth}}`))];
    const allowed = await ask(plans, "http://h/pets", { headers: { "x-key": "open" } });
    assert.equal(allowed.response.headers.get("cache-control"), "private, max-age=9");
    const login = await ask(plans, "http://h/pets");
    assert.deepEqual([login.response.status, login.response.headers.get("cache-control")], [302, null]);
  });
  await t.step("a mocked one too", async () => {
    const { response } = await ask(
      [await plan(definition(`{${MOCK}, cache: {enabled: true, max_age: 9}}`))],
      "http://h/pets",
    );
    assert.equal(response.headers.get("cache-control"), "max-age=9");
    assert.equal(response.headers.get("x-svc-mocked"), "true");
  });
});

const cors: { settings: string; origin: string; want: Record<string, string | null> }[] = [
  {
    settings: "{origins: ['*']}",
    origin: "https://a.example",
    want: { "access-control-allow-origin": "*", "access-control-allow-credentials": null },
  },
  {
    // Deployments with these settings are refused now. Earlier versions of gw accepted them.
    settings: "{origins: ['*'], credentials: true}",
    origin: "https://a.example",
    want: { "access-control-allow-origin": "*", "access-control-allow-credentials": null },
  },
  {
    settings: "{origins: ['*'], credentials: true}",
    origin: "null",
    want: { "access-control-allow-origin": "*", "access-control-allow-credentials": null },
  },
  {
    settings: "{origins: ['https://a.example'], expose_headers: [etag, x-a]}",
    origin: "https://a.example",
    want: { "access-control-allow-origin": "https://a.example", "access-control-expose-headers": "etag, x-a" },
  },
  {
    settings: "{origins: ['https://a.example']}",
    origin: "https://b.example",
    want: { "access-control-allow-origin": null, vary: "origin" },
  },
  {
    settings: "{origins: ['https://*.example.com']}",
    origin: "https://a.example.com",
    want: { "access-control-allow-origin": "https://a.example.com" },
  },
  {
    settings: "{origins: ['https://*.example.com']}",
    origin: "https://a.example.com.evil.example",
    want: { "access-control-allow-origin": null },
  },
  { settings: "{methods: [GET]}", origin: "https://a.example", want: { "access-control-allow-origin": null } },
];

Deno.test("cors: pages of the origins may read the answers, refusals too", async (t) => {
  for (const { settings, origin, want } of cors) {
    for (const others of [MOCK, `${MOCK}, auth: {jwt: {providers: [{name: a, jwks_uri: "http://127.0.0.1:1/"}]}}`]) {
      await t.step(`${settings} for ${origin} ${others === MOCK ? "" : "refused"}`, async () => {
        const plans = [await plan(definition(`{${others}, cors: ${settings}}`))];
        const { response } = await ask(plans, "http://h/pets", { headers: { origin } });
        assert.equal(response.status, others === MOCK ? 200 : 401);
        for (const [name, value] of Object.entries(want)) assert.equal(response.headers.get(name), value, name);
      });
    }
  }
  await t.step("without settings there are no CORS headers", async () => {
    const { response } = await ask([await plan(definition(`{${MOCK}}`))], "http://h/pets", {
      headers: { origin: "https://a.example" },
    });
    assert.equal(response.headers.get("access-control-allow-origin"), null);
  });
  const shared = {
    "access-control-allow-origin": "*",
    "access-control-allow-credentials": "true",
    "access-control-expose-headers": "x-secret",
  };
  for (
    const [origin, allowed] of [
      ["https://a.example", "https://a.example"],
      ["https://b.example", null],
      [undefined, null],
    ] as const
  ) {
    await t.step(`the upstream's CORS headers are replaced: ${origin}`, async () => {
      await using upstream = serve(() => new Response("", { headers: shared }));
      const plans = [await plan(definition(to(upstream, "cors: {origins: ['https://a.example']}")))];
      const headers = origin === undefined ? {} : { origin };
      const { response } = await ask(plans, "http://h/pets", { headers });
      assert.equal(response.headers.get("access-control-allow-origin"), allowed);
      assert.equal(response.headers.get("access-control-allow-credentials"), null);
      assert.equal(response.headers.get("access-control-expose-headers"), null);
      await response.body?.cancel();
    });
  }
  await t.step("without settings the upstream's count", async () => {
    await using upstream = serve(() => new Response("", { headers: shared }));
    const { response } = await ask([await plan(definition(to(upstream)))], "http://h/pets");
    for (const [name, value] of Object.entries(shared)) assert.equal(response.headers.get(name), value);
    await response.body?.cancel();
  });
});

Deno.test("cors: a preflight is answered without credentials", async (t) => {
  const preflight = (method: string, headers = "content-type"): RequestInit => ({
    method: "OPTIONS",
    headers: {
      origin: "https://a.example",
      "access-control-request-method": method,
      "access-control-request-headers": headers,
    },
  });
  const auth = 'auth: {jwt: {providers: [{name: a, jwks_uri: "http://127.0.0.1:1/"}]}}';
  const text = (settings: string): string => definition(`{${MOCK}, ${auth}, cors: ${settings}}`, CRUD);
  await t.step("allowed", async () => {
    const plans = [
      await plan(text("{origins: ['https://a.example'], methods: [GET, POST], headers: [x-a], max_age: 600}")),
    ];
    const { response, source } = await ask(plans, "http://h/pets", preflight("POST"));
    assert.equal(response.status, 204);
    assert.equal(source, "cors");
    assert.equal(response.headers.get("access-control-allow-origin"), "https://a.example");
    assert.equal(response.headers.get("access-control-allow-methods"), "GET, POST");
    assert.equal(response.headers.get("access-control-allow-headers"), "x-a");
    assert.equal(response.headers.get("access-control-max-age"), "600");
  });
  await t.step("any headers", async () => {
    const { response } = await ask(
      [await plan(text("{origins: ['*'], headers: ['*']}"))],
      "http://h/pets",
      preflight("POST", "x-b"),
    );
    assert.equal(response.headers.get("access-control-allow-headers"), "x-b");
    assert.equal(response.headers.get("access-control-allow-methods"), "POST");
  });
  await t.step("another origin", async () => {
    const { response } = await ask(
      [await plan(text("{origins: ['https://b.example']}"))],
      "http://h/pets",
      preflight("GET"),
    );
    assert.equal(response.status, 204);
    assert.equal(response.headers.get("access-control-allow-origin"), null);
  });
  await t.step("a method that the path doesn't have", async () => {
    const { response } = await ask([await plan(text("{origins: ['*']}"))], "http://h/pets", preflight("DELETE"));
    assert.equal(response.headers.get("access-control-allow-origin"), null);
  });
});

Deno.test("validation.request: a required body of GET and HEAD refuses no request", async (t) => {
  await using upstream = serve(() => new Response("fine"));
  const body = "requestBody: {required: true, content: {application/json: {schema: {type: object}}}}";
  const swagger = "parameters: [{name: b, in: body, required: true, schema: {type: object}}]";
  for (
    const [version, described] of [
      ["openapi: 3.0.3", body],
      ["openapi: 3.1.0", body],
      ["openapi: 3.2.0", body],
      ['swagger: "2.0"', swagger],
    ] as const
  ) {
    const text = definition(
      to(upstream, "validation: {request: {enabled: true}}"),
      `/pets: {get: {${described}, ${FINE}}, head: {${described}, ${FINE}}, post: {${described}, ${FINE}}}`,
    ).replace("openapi: 3.1.0", version);
    await using fleet = serveFleet([await plan(text)]);
    const head = "host: h\r\nconnection: close\r\ncontent-type: application/json\r\n";
    for (
      const [method, more, status] of [
        ["GET", "\r\n", 200],
        ["GET", "content-length: 2\r\n\r\n{}", 200],
        ["GET", "content-length: 1\r\n\r\n{", 200],
        ["HEAD", "\r\n", 200],
        ["POST", "\r\n", 400],
      ] as const
    ) {
      await t.step(`${version}: ${method} ${JSON.stringify(more)}`, async () => {
        using connection = await Deno.connect({ hostname: "127.0.0.1", port: fleet.port });
        await connection.write(new TextEncoder().encode(`${method} /pets HTTP/1.1\r\n${head}${more}`));
        const text = await new Response(connection.readable).text();
        assert.equal(Number(text.slice(9, 12)), status, text);
      });
    }
  }
});

Deno.test("a preflight for an operation without cors goes to the upstream of the announced method", async (t) => {
  const asked: string[] = [];
  await using upstream = serve(({ method, url, headers }) => {
    asked.push(`${method} ${new URL(url).pathname} ${headers.get("access-control-request-method")}`);
    return new Response(null, { status: 204, headers: { "access-control-allow-origin": "https://a.example" } });
  });
  const origin = { origin: "https://a.example" };
  const announce = (method: string): Record<string, string> => ({ ...origin, "access-control-request-method": method });
  const auth = 'auth: {jwt: {providers: [{name: a, jwks_uri: "http://127.0.0.1:1/"}]}}';
  const checked = "validation: {request: {enabled: true}}";
  const rewrite =
    `{upstream: {host: {hostname: 127.0.0.1, port: ${upstream.port}}, rewrite: {pattern: ^/old, substitution: /new}}}`;
  const own = `/own: {put: {${FINE}}, options: {x-svc: {${MOCK}}, ${FINE}}}`;
  const paths = [
    `/pets: {get: {${FINE}}, put: {${FINE}}, delete: {x-svc: {${MOCK}}, ${FINE}}}`,
    `  /hidden: {put: {x-svc: {disabled: true}, ${FINE}}}`,
    `  /old: {put: {x-svc: ${rewrite}, ${FINE}}}`,
    `  ${own}`,
  ].join("\n");
  interface Case {
    settings?: string;
    path?: string;
    headers: Record<string, string>;
    /** The request that the upstream gets; none if the gateway answers. */
    want: string | undefined;
    status: number;
  }
  const cases: readonly Case[] = [
    { headers: announce("PUT"), want: "OPTIONS /pets PUT", status: 204 },
    { headers: announce("GET"), want: "OPTIONS /pets GET", status: 204 },
    { headers: announce("HEAD"), want: "OPTIONS /pets HEAD", status: 204 },
    { settings: auth, headers: announce("PUT"), want: "OPTIONS /pets PUT", status: 204 },
    { settings: checked, headers: announce("PUT"), want: "OPTIONS /pets PUT", status: 204 },
    { path: "/old", headers: announce("PUT"), want: "OPTIONS /new PUT", status: 204 },
    { headers: announce("DELETE"), want: undefined, status: 204 },
    { headers: announce("PATCH"), want: undefined, status: 204 },
    { headers: origin, want: undefined, status: 204 },
    { headers: { "access-control-request-method": "PUT" }, want: undefined, status: 204 },
    { path: "/own", headers: announce("PUT"), want: undefined, status: 200 },
    { path: "/hidden", headers: announce("PUT"), want: undefined, status: 404 },
    { settings: "cors: {origins: ['*']}", headers: announce("PUT"), want: undefined, status: 204 },
    { settings: auth, headers: origin, want: undefined, status: 204 },
  ];
  for (const { settings, path = "/pets", headers, want, status } of cases) {
    await t.step(`${path} ${settings ?? ""} ${JSON.stringify(headers)}: ${want}`, async () => {
      asked.length = 0;
      const plans = [await plan(definition(to(upstream, settings), paths))];
      const { response } = await ask(plans, `http://h${path}`, { method: "OPTIONS", headers });
      assert.deepEqual([asked[0], response.status], [want, status]);
      await response.body?.cancel();
    });
  }
  await t.step("it counts for the rate limit", async () => {
    const limit = "rate_limit: {requests_per_unit: 1, unit: hour}";
    const gateway = createGateway([await plan(definition(to(upstream, limit), paths))], PLATFORM);
    const send = async (): Promise<number> => {
      const request = new Request("http://h/pets", { method: "OPTIONS", headers: announce("PUT") });
      return (await gateway(request, CLIENT)).response.status;
    };
    assert.deepEqual([await send(), await send()], [204, 429]);
  });
});

Deno.test("validation.request: an invalid request doesn't reach the upstream", async (t) => {
  const bodies: string[] = [];
  await using upstream = serve(async (request) => {
    bodies.push(await request.text());
    return new Response("fine");
  });
  const text = definition(
    to(upstream, "validation: {request: {enabled: true}}, path: {prefix: /v1}"),
    [
      "/pets/{id}:",
      "    get: {parameters: [{name: id, in: path, required: true, schema: {type: integer}}, " +
      `{name: limit, in: query, schema: {type: integer, maximum: 10}}], ${FINE}}`,
      "    post: {parameters: [{name: id, in: path, required: true, schema: {type: integer}}], " +
      "requestBody: {required: true, content: {application/json: {schema: {type: object, required: [name]}}}}, " +
      `${FINE}}`,
      `    put: {parameters: [{name: id, in: path, required: true, schema: {type: integer}}], ${FINE}}`,
    ].join("\n"),
  );
  await using fleet = serveFleet([await plan(text)]);
  const json = { "content-type": "application/json" };
  for (
    const { name, path, init, want, reached } of [
      { name: "right", path: "/v1/pets/7?limit=3", init: {}, want: 200, reached: "" },
      { name: "a bad path parameter", path: "/v1/pets/x", init: {}, want: 400 },
      { name: "a bad query", path: "/v1/pets/7?limit=11", init: {}, want: 400 },
      {
        name: "a right body",
        path: "/v1/pets/7",
        init: { method: "POST", body: '{"name": "Tom"}', headers: json },
        want: 200,
        reached: '{"name": "Tom"}',
      },
      { name: "a bad body", path: "/v1/pets/7", init: { method: "POST", body: "{}", headers: json }, want: 400 },
      { name: "no JSON", path: "/v1/pets/7", init: { method: "POST", body: "{", headers: json }, want: 400 },
      {
        name: "another media type",
        path: "/v1/pets/7",
        init: { method: "POST", body: "<a/>", headers: { "content-type": "text/xml" } },
        want: 400,
      },
      { name: "no body", path: "/v1/pets/7", init: { method: "POST" }, want: 400 },
      {
        name: "a body where none is taken",
        path: "/v1/pets/7",
        init: { method: "PUT", body: "any" },
        want: 400,
      },
    ]
  ) {
    await t.step(name, async () => {
      bodies.length = 0;
      const response = await fetch(`${fleet.url}${path}`, init);
      assert.equal(response.status, want);
      assert.deepEqual(bodies, reached === undefined ? [] : [reached]);
      const answer = await response.text();
      if (want === 400) {
        assert.equal(response.headers.get("content-type"), "application/problem+json");
        assert.ok(JSON.parse(answer).validation.length > 0, answer);
      }
    });
  }
  await t.step("a body that is too large to be checked: 413", async () => {
    const response = await fetch(`${fleet.url}/v1/pets/7`, {
      method: "POST",
      body: new Uint8Array(11 << 20),
      headers: json,
    });
    assert.equal(response.status, 413);
    await response.body?.cancel();
  });
  await t.step("a body of too many values: 413", async () => {
    const body = `{"name": [${"0,".repeat(300_000)}0]}`;
    const response = await fetch(`${fleet.url}/v1/pets/7`, { method: "POST", body, headers: json });
    assert.equal(response.status, 413);
    await response.body?.cancel();
  });
  for (
    const { coding, body, want } of [
      { coding: "gzip", body: gzipSync('{"name": "Tom"}'), want: 200 },
      { coding: "gzip", body: gzipSync("{}"), want: 400 },
      { coding: "gzip", body: gzipSync(" ".repeat(11 << 20)), want: 413 },
      { coding: "gzip, gzip", body: gzipSync(gzipSync(" ".repeat(11 << 20))), want: 413 },
      { coding: "br", body: brotliCompressSync('{"name": "Tom"}'), want: 400 },
    ]
  ) {
    await t.step(`a body of ${body.length} bytes of ${coding}: ${want}`, async () => {
      const response = await fetch(`${fleet.url}/v1/pets/7`, {
        method: "POST",
        body: new Uint8Array(body),
        headers: { ...json, "content-encoding": coding },
      });
      assert.equal(response.status, want);
      await response.body?.cancel();
    });
  }
});

Deno.test("a path may override a setting of the root", async () => {
  const text = definition(
    `{redirect: {path: /x}}`,
    `/pets: {x-svc: {${MOCK}, upstream: {host: {hostname: a.example}}}, get: {${FINE}}}`,
  );
  assert.equal((await ask([await plan(text)], "http://h/pets")).response.status, 200);
});
