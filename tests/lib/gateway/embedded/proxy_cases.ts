/**
 * Tests of operations with an upstream: the request that it gets, its response, and its failures. They apply to every
 * implementation that sends requests.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { GatewayPlatform } from "../../../../lib/gateway/embedded/gateway.ts";
import { ask, definition, plan, planStatic, serve, serveBytes, serveFleet, to } from "./fleet.ts";
import { freePort } from "../../../free_port.ts";

const ANY =
  '/{x}: {get: {responses: {"200": {description: Fine.}}}, post: {responses: {"200": {description: Fine.}}}, ' +
  'put: {responses: {"200": {description: Fine.}}}}';

/** An upstream that answers each request with a description of it. */
function echo(): ReturnType<typeof serve> {
  return serve(async (request) =>
    Response.json({
      method: request.method,
      target: request.url.slice(request.url.indexOf("/", 8)),
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    }, { status: 201, headers: { "x-answer": "1", connection: "x-gone", "x-gone": "1" } })
  );
}

const targets: { name: string; settings?: string; asked: string; want: string }[] = [
  { name: "as it is", asked: "/a?x=1&y=%20", want: "/a?x=1&y=%20" },
  { name: "percent-encoding stays", asked: "/a%2Fb", want: "/a%2Fb" },
  { name: "bad percent-encoding stays", asked: "/%zz", want: "/%zz" },
  { name: "the prefix stays", settings: "path: {prefix: /v1}", asked: "/v1/a", want: "/v1/a" },
  {
    name: "rewritten",
    settings: "path: {prefix: /v1}",
    asked: "/v1/a?b=/v1/c",
    want: "/a?b=/v1/c",
  },
  { name: "rewritten by groups", asked: "/pets-7", want: "/7/pets" },
  { name: "rewritten to nothing", asked: "/all", want: "/" },
];
const rewrites: Record<string, string> = {
  "rewritten": "{pattern: ^/v1/, substitution: /}",
  "rewritten by groups": String.raw`{pattern: "^/(\\w+)-(\\d+)$", substitution: "/\\2/$1"}`,
  "rewritten to nothing": '{pattern: ".+", substitution: ""}',
};

/** A stream of at most `most` bytes that counts how many of them were read. */
function source(most: number): { stream: ReadableStream<Uint8Array<ArrayBuffer>>; sent: () => number } {
  const chunk = new Uint8Array(64 * 1024);
  let sent = 0;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (sent >= most) return controller.close();
      controller.enqueue(chunk);
      sent += chunk.byteLength;
    },
  });
  return { stream, sent: () => sent };
}

/** An upstream whose first `times` requests get the response of `fail`. `asked` lists the requests. */
function failing(times: number, fail: () => Response): ReturnType<typeof serve> & { asked: string[] } {
  const asked: string[] = [];
  const server = serve(async (request) => {
    asked.push(`${request.method} ${await request.text()}`);
    return asked.length <= times ? fail() : new Response("fine");
  });
  return { ...server, asked, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** An implementation that sends requests to upstreams; closed after each test. */
export type Sender = AsyncDisposable & Pick<GatewayPlatform, "send">;

export function testProxying(how: string, createSender: () => Sender): void {
  function test(name: string, run: (platform: Partial<GatewayPlatform>, t: Deno.TestContext) => Promise<void>): void {
    Deno.test(`${how}: ${name}`, async (t) => {
      await using sender = createSender();
      await run({ send: sender.send }, t);
    });
  }

  test("the upstream is asked for the path of the request", async (platform, t) => {
    await using upstream = echo();
    for (const { name, settings, asked, want } of targets) {
      await t.step(`${name}: ${asked} is ${want}`, async () => {
        const rewrite = rewrites[name] === undefined ? "" : `, rewrite: ${rewrites[name]}`;
        const host = `{upstream: {host: {hostname: 127.0.0.1, port: ${upstream.port}}${rewrite}}`;
        const text = definition(`${host}${settings === undefined ? "" : `, ${settings}`}}`, ANY);
        await using fleet = serveFleet([await plan(text)], platform);
        assert.equal((await (await fetch(`${fleet.url}${asked}`)).json()).target, want);
      });
    }
  });

  test("the upstream is told who asked, and gets what was sent", async (platform) => {
    await using upstream = echo();
    await using fleet = serveFleet([await plan(definition(to(upstream), ANY))], platform);
    const response = await fetch(`${fleet.url}/a`, {
      method: "POST",
      body: "hello",
      headers: {
        authorization: "Bearer x",
        te: "trailers",
        "proxy-authorization": "secret",
        "x-forwarded-for": "192.0.2.1",
      },
    });
    const { method, headers, body } = await response.json();
    assert.equal(response.status, 201);
    assert.equal(response.headers.get("x-answer"), "1");
    assert.equal(response.headers.get("x-gone"), null);
    assert.equal(method, "POST");
    assert.equal(body, "hello");
    assert.equal(headers["authorization"], "Bearer x");
    assert.equal(headers["te"], undefined);
    assert.equal(headers["proxy-authorization"], undefined);
    assert.equal(headers["x-forwarded-for"], "192.0.2.1, 127.0.0.1");
    assert.equal(headers["x-forwarded-host"], `127.0.0.1:${fleet.port}`);
    assert.equal(headers["x-forwarded-proto"], "http");
    assert.equal(headers["forwarded"], `for=127.0.0.1;host="127.0.0.1:${fleet.port}";proto=http`);
    assert.equal(headers["host"], `127.0.0.1:${upstream.port}`);
  });

  test("a service gets the client's Host, a host its own, unless host_header says otherwise", async (platform, t) => {
    await using upstream = echo();
    const own = `127.0.0.1:${upstream.port}`;
    const service = "service: {name: pets}";
    const host = `host: {hostname: 127.0.0.1, port: ${upstream.port}}`;
    for (
      const [settings, want] of [
        [service, "pets.example:8080"],
        [`${service}, host_header: client`, "pets.example:8080"],
        [`${service}, host_header: upstream`, own],
        [host, own],
        [`${host}, host_header: upstream`, own],
        [`${host}, host_header: client`, "pets.example:8080"],
      ] as const
    ) {
      await t.step(settings, async () => {
        const { response } = await ask(
          [await plan(definition(`{upstream: {${settings}}}`))],
          "http://pets.example:8080/pets",
          {},
          { ...platform, resolveService: () => new URL(upstream.url) },
        );
        const { headers } = await response.json();
        assert.deepEqual([headers["host"], headers["x-forwarded-host"]], [want, "pets.example:8080"]);
      });
    }
  });

  test("services are found by name, in the namespace of the API unless they say another", async (platform, t) => {
    await using upstream = echo();
    for (
      const [service, want] of [
        ["{name: pets}", "default/pets:80"],
        ["{name: pets, port: 8080}", "default/pets:8080"],
        ["{name: pets, namespace: shop}", "shop/pets:80"],
      ] as const
    ) {
      await t.step(service, async () => {
        const asked: string[] = [];
        const { response } = await ask(
          [await plan(definition(`{upstream: {service: ${service}}}`))],
          "http://h/pets",
          {},
          {
            ...platform,
            resolveService(namespace, name, port) {
              asked.push(`${namespace}/${name}:${port}`);
              return new URL(`${upstream.url}/base/`);
            },
          },
        );
        assert.equal((await response.json()).target, "/base/pets");
        assert.deepEqual(asked, [want]);
      });
    }
    await t.step("an unknown service: 503 that says what to do", async () => {
      const { response } = await ask(
        [await plan(definition("{upstream: {service: {name: pets}}}"))],
        "http://h/pets",
        {},
        platform,
      );
      assert.equal(response.status, 503);
      assert.match((await response.json()).detail, /--service default\/pets=http:/);
    });
  });

  test("bodies stream in both directions: their first bytes arrive long before their last are sent", async (platform) => {
    const MOST = 32 * 1024 * 1024;
    const atFirst: Record<string, number> = {};
    const request = source(MOST);
    const response = source(MOST);
    await using upstream = serve(async ({ body }) => {
      let received = 0;
      for await (const part of body ?? []) {
        atFirst["request"] ??= request.sent();
        received += part.byteLength;
      }
      assert.equal(received, MOST);
      return new Response(response.stream);
    });
    await using fleet = serveFleet([await plan(definition(to(upstream), ANY))], platform);
    const { body } = await fetch(`${fleet.url}/a`, { method: "POST", body: request.stream });
    let length = 0;
    for await (const part of body ?? []) {
      atFirst["response"] ??= response.sent();
      length += part.byteLength;
    }
    assert.equal(length, MOST);
    for (const [which, sent] of Object.entries(atFirst)) assert.ok(sent < MOST / 2, `${which}: ${sent}`);
  });

  test("the first bytes of an answer come before its last are there", async (platform) => {
    const more = Promise.withResolvers<void>();
    await using upstream = serve(() =>
      new Response(
        new ReadableStream({
          async start(controller) {
            controller.enqueue(new TextEncoder().encode("first"));
            await more.promise;
            controller.enqueue(new TextEncoder().encode("last"));
            controller.close();
          },
        }),
      )
    );
    await using fleet = serveFleet([await plan(definition(to(upstream), ANY))], platform);
    const reader = (await fetch(`${fleet.url}/a`)).body?.pipeThrough(new TextDecoderStream()).getReader();
    assert.equal((await reader?.read())?.value, "first");
    more.resolve();
    assert.equal((await reader?.read())?.value, "last");
    await reader?.cancel();
  });

  test("an upstream that can't be reached is a 502, one that is silent a 504", async (platform, t) => {
    await t.step("nobody listens", async () => {
      const plans = [await plan(definition(to({ port: freePort() })))];
      const { response, detail } = await ask(plans, "http://h/pets", {}, platform);
      assert.match(detail ?? "", /^http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/);
      assert.equal(response.status, 502);
      assert.equal((await response.json()).detail, "The upstream can't be reached.");
    });
    await t.step("it closes the connection before it answers", async () => {
      await using upstream = serveBytes(async (connection) => void await connection.read(new Uint8Array(1000)));
      await using fleet = serveFleet([await plan(definition(to(upstream)))], platform);
      const response = await fetch(`${fleet.url}/pets`);
      assert.equal(response.status, 502);
      await response.body?.cancel();
    });
    await t.step("it doesn't speak HTTP", async () => {
      await using upstream = serveBytes(async (connection) => {
        await connection.read(new Uint8Array(1000));
        await connection.write(new TextEncoder().encode("SSH-2.0-OpenSSH_9.9\r\n"));
      });
      await using fleet = serveFleet([await plan(definition(to(upstream)))], platform);
      const response = await fetch(`${fleet.url}/pets`);
      assert.equal(response.status, 502);
      await response.body?.cancel();
    });
    await t.step("it sends less than its Content-Length: the response breaks off", async () => {
      const begun = Promise.withResolvers<void>();
      await using upstream = serveBytes(async (connection) => {
        await connection.read(new Uint8Array(1000));
        await connection.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello"));
        await begun.promise;
      });
      await using fleet = serveFleet([await plan(definition(to(upstream)))], platform);
      const response = await fetch(`${fleet.url}/pets`);
      assert.equal(response.status, 200);
      begun.resolve();
      await assert.rejects(response.text());
    });
    await t.step("it doesn't answer in time", async () => {
      const gone = Promise.withResolvers<void>();
      await using upstream = serve(async (request) => {
        request.signal.addEventListener("abort", () => gone.resolve());
        await gone.promise;
        return new Response();
      });
      await using fleet = serveFleet([await plan(definition(to(upstream, "qos: {request_timeout: 0.05}")))], platform);
      const response = await fetch(`${fleet.url}/pets`);
      assert.equal(response.status, 504);
      assert.match((await response.json()).detail, /0\.05 s/);
      await gone.promise;
    });
    await t.step("it is silent for the idle time-out", async () => {
      for (const body of [null, "hello"]) {
        const gone = Promise.withResolvers<void>();
        await using upstream = serve(async (request) => {
          request.signal.addEventListener("abort", () => gone.resolve());
          await request.text();
          await gone.promise;
          return new Response();
        });
        const qos = "qos: {request_timeout: 60, idle_timeout: 0.05}";
        await using fleet = serveFleet([await plan(definition(to(upstream, qos), ANY))], platform);
        const response = await fetch(`${fleet.url}/a`, { method: "PUT", body });
        assert.deepEqual([response.status, (await response.json()).detail.includes("0.05 s")], [504, true]);
        await gone.promise;
      }
    });
    await t.step("it stops sending within its response", async () => {
      const end = Promise.withResolvers<void>();
      await using upstream = serve(() =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(new TextEncoder().encode("hello")),
            cancel: () => end.resolve(),
          }),
        )
      );
      await using fleet = serveFleet([await plan(definition(to(upstream, "qos: {idle_timeout: 0.05}")))], platform);
      await assert.rejects((await fetch(`${fleet.url}/pets`)).text());
      await end.promise;
    });
  });

  test("a client that goes away takes its request to the upstream with it", async (platform) => {
    const arrived = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    await using upstream = serve(async (request) => {
      request.signal.addEventListener("abort", () => gone.resolve());
      arrived.resolve();
      await gone.promise;
      return new Response();
    });
    await using fleet = serveFleet([await plan(definition(to(upstream)))], platform);
    const client = new AbortController();
    const asked = fetch(`${fleet.url}/pets`, { signal: client.signal });
    await arrived.promise;
    client.abort();
    await assert.rejects(asked);
    await gone.promise;
  });

  test("a client that falls silent within its upload is told so, and the upstream is let go", async (platform) => {
    const broken = Promise.withResolvers<void>();
    await using upstream = serve(async (request) => {
      await request.text().catch(() => broken.resolve());
      return new Response();
    });
    await using fleet = serveFleet([await plan(definition(to(upstream, "qos: {idle_timeout: 0.05}"), ANY))], platform);
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: fleet.port });
    const head = "PUT /a HTTP/1.1\r\nhost: h\r\ncontent-length: 100\r\n\r\nhello";
    await connection.write(new TextEncoder().encode(head));
    const bytes = new Uint8Array(100);
    const length = await connection.read(bytes) ?? 0;
    assert.match(new TextDecoder().decode(bytes.subarray(0, length)), /^HTTP\/1\.1 408 /);
    await broken.promise;
  });

  test("requests are repeated where that does no harm", async (platform, t) => {
    const unavailable = (): Response => new Response("no", { status: 503 });
    for (
      const { name, method, body, retries, times, want, asked } of [
        { name: "GET until it is answered", method: "GET", retries: 3, times: 2, want: 200, asked: 3 },
        { name: "GET as often as it says", method: "GET", retries: 1, times: 2, want: 503, asked: 2 },
        { name: "GET not unless it says so", method: "GET", retries: 0, times: 1, want: 503, asked: 1 },
        { name: "POST not", method: "POST", body: "hi", retries: 3, times: 1, want: 503, asked: 1 },
        { name: "PUT with a body", method: "PUT", body: "hi", retries: 3, times: 2, want: 200, asked: 3 },
        { name: "a large body not", method: "PUT", body: "x".repeat(1e6), retries: 3, times: 1, want: 503, asked: 1 },
      ]
    ) {
      await t.step(name, async () => {
        await using upstream = failing(times, unavailable);
        await using fleet = serveFleet(
          [await plan(definition(to(upstream, `qos: {retries: ${retries}}`), ANY))],
          platform,
        );
        const response = await fetch(`${fleet.url}/a`, { method, ...(body === undefined ? {} : { body }) });
        await response.body?.cancel();
        assert.equal(response.status, want);
        assert.deepEqual(upstream.asked, Array(asked).fill(`${method} ${body ?? ""}`));
      });
    }
    await t.step("POST too, when no byte was sent", async () => {
      await using upstream = echo();
      const dead = freePort();
      const numbers = [0.1, 0.1, 0.9];
      const weighted = `{upstreams: [{weight: 50, host: {hostname: 127.0.0.1, port: ${dead}}}, ` +
        `{weight: 50, host: {hostname: 127.0.0.1, port: ${upstream.port}}}], qos: {retries: 2}}`;
      await using fleet = serveFleet([await plan(definition(weighted, ANY))], {
        ...platform,
        random: () => numbers.shift() ?? 0,
      });
      const body = "hello".repeat(1_000_000);
      const response = await fetch(`${fleet.url}/a`, { method: "POST", body });
      assert.equal(response.status, 201);
      assert.equal((await response.json()).body, body);
    });
  });

  test("a static route sends every method and path to its upstream", async (platform) => {
    await using upstream = echo();
    await using fleet = serveFleet([await planStatic(to(upstream))], platform);
    const response = await fetch(`${fleet.url}/any/thing?x=1`, { method: "PATCH", body: "hello" });
    const { method, target, body } = await response.json();
    assert.deepEqual([method, target, body], ["PATCH", "/any/thing?x=1", "hello"]);
  });

  test("codings that are taken off are not claimed; HEAD, 204 and 304 come back as they are", async (platform, t) => {
    await using upstream = serve((request) => {
      const status = Number(new URL(request.url).searchParams.get("status") ?? 200);
      const body = [204, 304].includes(status) ? null : "x".repeat(5000);
      return new Response(body, { status, headers: { "content-type": "text/plain", etag: '"x"' } });
    });
    await using fleet = serveFleet([await plan(definition(to(upstream), ANY))], platform);
    for (
      const [method, query, want] of [["GET", "", 5000], ["HEAD", "", 0], ["GET", "?status=204", 0], [
        "GET",
        "?status=304",
        0,
      ]] as const
    ) {
      await t.step(`${method} ${query}`, async () => {
        const response = await fetch(`${fleet.url}/a${query}`, { method, headers: { "accept-encoding": "gzip" } });
        assert.equal((await response.text()).length, want);
        assert.equal(response.headers.get("etag"), '"x"');
      });
    }
  });
}
