import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { Agent, type ClientRequest, createServer, get, request, type RequestOptions } from "node:http";
import { Buffer } from "node:buffer";
import http2 from "node:http2";
import tls from "node:tls";
import { interceptRequests } from "../../adapters/shared/intercept.ts";
import { interceptXhr } from "../../adapters/shared/intercept_xhr.ts";
import { createMockServer, parseDocument } from "../../mod.ts";

const PETS = await parseDocument(`
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
servers: [{url: https://pets.example/v1}]
paths:
  /pets:
    get: {responses: {"200": {description: Pets, content: {application/json: {example: [{name: Tom}]}}}}}
    post: {responses: {"201": {description: A pet, headers: {Set-Cookie: {example: a=1}, X-Kind: {example: cat}}}}}
`);

const PETS_URL = "https://pets.example/v1/pets";

/** A class as of an environment with a DOM. It sends nothing, and lists the URLs that it is to send to. */
class EnvironmentXhr extends EventTarget {
  static readonly sentTo: string[] = [];
  readonly upload = new EventTarget();
  responseType = "";
  timeout = 0;
  #url = "";

  get status(): number {
    return 0;
  }

  get responseURL(): string {
    return "";
  }

  open(_method: string, url: string): void {
    this.#url = url;
  }

  setRequestHeader(): void {}

  send(): void {
    EnvironmentXhr.sentTo.push(this.#url);
  }

  abort(): void {}

  getResponseHeader(_name: string): string | null {
    return null;
  }

  getAllResponseHeaders(): string {
    return "";
  }
}

/** Replaces globals until the end of the scope. */
function withGlobals(globals: Readonly<Record<string, unknown>>): Disposable {
  const before = Object.entries(globals).map(([name]) => [name, Reflect.get(globalThis, name)] as const);
  Object.assign(globalThis, globals);
  return { [Symbol.dispose]: () => before.forEach(([name, value]) => void Reflect.set(globalThis, name, value)) };
}

/** Opens and sends a request by the `XMLHttpRequest` of the environment, which `interceptXhr` has replaced. */
function openXhr(method: string, url: string): EnvironmentXhr {
  const Xhr: typeof EnvironmentXhr = Reflect.get(globalThis, "XMLHttpRequest");
  const xhr = new Xhr();
  xhr.open(method, url);
  return xhr;
}

Deno.test("interceptXhr() lets no second send() of a request reach the network", async () => {
  using _globals = withGlobals({ XMLHttpRequest: EnvironmentXhr });
  const restore = interceptXhr(await createMockServer(PETS), "refuse");
  const xhr = openXhr("POST", PETS_URL);
  const ended = new Promise((resolve) => xhr.addEventListener("loadend", resolve));
  xhr.send();
  assert.throws(() => xhr.send(), { name: "InvalidStateError" });
  await ended;
  assert.throws(() => xhr.send(), { name: "InvalidStateError" });
  assert.equal(xhr.status, 201);
  xhr.abort();
  assert.throws(() => xhr.send(), { name: "InvalidStateError" });
  restore();
  assert.deepEqual(EnvironmentXhr.sentTo, []);
});

Deno.test("interceptXhr() gives the URL of the response without its fragment", async () => {
  using _globals = withGlobals({ XMLHttpRequest: EnvironmentXhr });
  const restore = interceptXhr(await createMockServer(PETS), "refuse");
  const xhr = openXhr("GET", `${PETS_URL}?limit=1#first`);
  const ended = new Promise((resolve) => xhr.addEventListener("loadend", resolve));
  xhr.send();
  assert.equal(xhr.responseURL, "");
  await ended;
  restore();
  assert.equal(xhr.responseURL, `${PETS_URL}?limit=1`);
});

Deno.test("interceptXhr() hides the headers that browsers hide from scripts", async () => {
  using _globals = withGlobals({ XMLHttpRequest: EnvironmentXhr });
  const mock = await createMockServer(PETS);
  const cookies = (await mock.fetch(new Request(PETS_URL, { method: "POST" }))).headers.getSetCookie();
  assert.deepEqual(cookies, ["a=1"]);
  const restore = interceptXhr(mock, "refuse");
  const xhr = openXhr("POST", PETS_URL);
  const ended = new Promise((resolve) => xhr.addEventListener("loadend", resolve));
  xhr.send();
  await ended;
  restore();
  assert.equal(xhr.getResponseHeader("X-Kind"), "cat");
  assert.equal(xhr.getResponseHeader("Set-Cookie"), null);
  assert.equal(xhr.getResponseHeader("set-cookie2"), null);
  assert.match(xhr.getAllResponseHeaders(), /^x-kind: cat\r$/m);
  assert.doesNotMatch(xhr.getAllResponseHeaders(), /set-cookie/i);
});

for (const document of [undefined, { baseURI: "https://page.example/" }]) {
  const place = document === undefined ? "outside a page" : "in a page";
  Deno.test(`interceptRequests() doesn't send a request whose signal has aborted, ${place}`, async () => {
    const mock = await createMockServer(PETS);
    using _globals = withGlobals({ document });
    const restore = await interceptRequests(mock, "refuse");
    const reason = new Error("too late");
    const init = { method: "POST", signal: AbortSignal.abort(reason) };
    try {
      await assert.rejects(fetch(PETS_URL, init), reason);
      await assert.rejects(fetch(new Request(PETS_URL, init)), reason);
      assert.equal((await fetch(PETS_URL)).status, 200);
    } finally {
      restore();
    }
    assert.deepEqual((await mock.requests.list()).map(({ request }) => request.method), ["GET"]);
  });
}

Deno.test("interceptRequests() follows redirects as fetch does", async (t) => {
  const mock = await createMockServer(PETS);
  const restore = await interceptRequests(mock, "pass");
  await using _restored = { [Symbol.asyncDispose]: () => Promise.resolve(restore()) };
  const other = Deno.serve({ port: 0, onListen: () => {} }, async (request) => {
    const { method, headers } = request;
    return Response.json([method, headers.get("authorization"), headers.get("content-type"), await request.text()]);
  });
  await using _stopped = { [Symbol.asyncDispose]: () => other.shutdown() };
  const elsewhere = `http://localhost:${other.addr.port}/seen`;
  const init = { headers: { authorization: "Basic YTpi", "content-type": "text/plain" }, method: "POST", body: "Tom" };
  const cases: { name: string; status: number; init?: RequestInit; location: string; want: unknown }[] = [
    {
      name: "307 to the network with the body",
      status: 307,
      init,
      location: elsewhere,
      want: ["POST", null, "text/plain", "Tom"],
    },
    { name: "302 of a POST as a GET", status: 302, init, location: elsewhere, want: ["GET", null, null, ""] },
    { name: "303 as a GET", status: 303, init, location: elsewhere, want: ["GET", null, null, ""] },
    { name: "301 to the API", status: 301, location: "pets#a", want: [{ name: "Tom" }] },
  ];
  for (const { name, status, init, location, want } of cases) {
    await t.step(name, async () => {
      await mock.rules.add({ operation: "* *", status, headers: { location }, times: 1, force: true });
      const response = await fetch(`${PETS_URL}?first`, init);
      assert.deepEqual(await response.json(), want);
      assert.deepEqual([response.url, response.redirected], [
        new URL(location.replace(/#.*/, ""), PETS_URL).href,
        true,
      ]);
    });
  }
  await t.step("not if the request says so", async () => {
    await mock.rules.add({ operation: "* *", status: 302, headers: { location: "pets" }, times: 2, force: true });
    const response = await fetch(PETS_URL, { redirect: "manual" });
    assert.deepEqual([response.status, response.url, response.redirected], [302, PETS_URL, false]);
    await assert.rejects(fetch(PETS_URL, { redirect: "error" }), TypeError);
  });
  await t.step("20 times at most, and to HTTP URLs only", async () => {
    await mock.rules.add({ operation: "* *", status: 302, headers: { location: "data:,a" }, times: 1, force: true });
    await assert.rejects(fetch(PETS_URL), /redirects to data:,a, which is no HTTP URL/);
    await mock.rules.add({ operation: "* *", status: 302, headers: { location: "pets" }, force: true });
    mock.requests.clear();
    await assert.rejects(fetch(PETS_URL), /redirects more than 20 times/);
    assert.equal((await mock.requests.list()).length, 21);
  });
});

Deno.test("interceptRequests() leaves nothing behind, in whatever order interceptions end", async (t) => {
  /** All that is replaced: the globals, and the method that gives requests of node:http their connection. */
  const replaced =
    (): unknown[] => [fetch, Reflect.get(globalThis, "XMLHttpRequest"), Reflect.get(Agent.prototype, "addRequest")];
  using _globals = withGlobals({ XMLHttpRequest: EnvironmentXhr });
  const before = replaced();
  for (const isReversed of [false, true]) {
    await t.step(isReversed ? "the last first" : "the first first", async () => {
      const one = await interceptRequests(await createMockServer(PETS), "refuse");
      const two = await interceptRequests(await createMockServer({ openapi: "3.1.0" }), "pass");
      const [endFirst, endSecond] = isReversed ? [two, one] : [one, two];
      endFirst();
      if (isReversed) await assert.rejects(fetch("data:,refused"), /isn't for the mocked API/);
      else assert.equal(await (await fetch("data:,passed")).text(), "passed");
      endSecond();
      assert.deepEqual(replaced(), before);
    });
  }
});

Deno.test("interceptRequests() lets requests of node:http time out", async (t) => {
  const mock = await createMockServer(PETS, { baseUrls: ["/v1"] });
  await mock.rules.add("GET /pets: time-out");
  const restore = await interceptRequests(mock, "refuse");
  const agent = new Agent({ timeout: 10 });
  const cases: { name: string; options: RequestOptions; timeout?: number }[] = [
    { name: "by an option", options: { timeout: 10 } },
    { name: "by setTimeout()", options: {}, timeout: 10 },
    { name: "by an option of the agent", options: { agent } },
  ];
  for (const { name, options, timeout } of cases) {
    await t.step(name, async () => {
      const sent = get("http://localhost/v1/pets", options);
      if (timeout !== undefined) sent.setTimeout(timeout);
      sent.on("error", () => {});
      await once(sent, "timeout");
      sent.destroy();
    });
  }
  restore();
});

Deno.test("interceptRequests() leaves no timers of node:http behind", async (t) => {
  const mock = await createMockServer(PETS, { baseUrls: ["/v1"] });
  const cases: { name: string; options?: RequestOptions; destroys?: boolean }[] = [
    { name: "after a response" },
    {
      name: "after a response with an agent that keeps connections",
      options: { agent: new Agent({ keepAlive: true }) },
    },
    { name: "if the request is destroyed at once", destroys: true },
  ];
  for (const { name, options, destroys } of cases) {
    await t.step(name, async () => {
      const timers = new Set<ReturnType<typeof setTimeout>>();
      const { setTimeout, clearTimeout } = globalThis;
      using _globals = withGlobals({
        setTimeout: (run: () => void, milliseconds: number) => {
          const timer = setTimeout(run, milliseconds);
          timers.add(timer);
          return timer;
        },
        clearTimeout: (timer: ReturnType<typeof setTimeout>) => {
          timers.delete(timer);
          clearTimeout(timer);
        },
      });
      const end = await interceptRequests(mock, "refuse");
      const sent = get("http://localhost/v1/pets", { timeout: 60_000, ...options });
      assert.notEqual(timers.size, 0);
      if (destroys) sent.destroy(new Error("no longer needed"));
      const [answer] = await once(sent, "response").catch(() => []);
      if (answer !== undefined) await new Response(answer).text();
      for (let turn = 0; turn < 100 && timers.size > 0; turn++) await new Promise((resolve) => setTimeout(resolve));
      end();
      assert.equal(timers.size, 0);
    });
  }
});

Deno.test("interceptRequests() passes requests of node:http on that aren't for the API", async (t) => {
  const responses = { "204": { description: "Done." } };
  const mock = await createMockServer({
    openapi: "3.1.0",
    paths: { "/": { options: { responses } }, "/v1/pets": { get: { responses } } },
  });
  const path = `${await Deno.makeTempDir()}/socket`;
  const onSocket = createServer((_, response) => response.end("passed")).listen(path);
  const onPort = createServer((_, response) => response.end("passed")).listen(0);
  await Promise.all([once(onSocket, "listening"), once(onPort, "listening")]);
  const address = onPort.address();
  assert(typeof address === "object" && address !== null);
  const restore = await interceptRequests(mock, "pass");
  const cases: { name: string; options: RequestOptions }[] = [
    { name: "to a Unix socket", options: { socketPath: path, path: "/v1/pets" } },
    { name: "with the target *", options: { port: address.port, method: "OPTIONS", path: "*" } },
    {
      name: "with the target * and a host without a port",
      options: { port: address.port, method: "OPTIONS", path: "*", headers: { host: "localhost" } },
    },
  ];
  for (const { name, options } of cases) {
    await t.step(name, async () => {
      const [response] = await once(request(options).end(), "response");
      assert.equal(await new Response(response).text(), "passed");
    });
  }
  restore();
  onSocket.close();
  onPort.close();
});

Deno.test("interceptRequests() breaks the body of a request of node:http off as a network does", async () => {
  const mock = await createMockServer(PETS, { baseUrls: ["/v1"] });
  await mock.rules.add("GET /pets: truncated 3");
  const restore = await interceptRequests(mock, "refuse");
  const sent = get("http://localhost/v1/pets");
  const failures: string[] = [];
  sent.on("error", () => failures.push("request"));
  const [response] = await once(sent, "response");
  let received = "";
  response.on("data", (chunk: Uint8Array) => received += new TextDecoder().decode(chunk));
  response.on("error", () => failures.push("response"));
  await once(sent, "close");
  restore();
  assert.equal(received, '[{"');
  assert.deepEqual(failures, ["response"]);
});

Deno.test("interceptRequests() refuses a request whose body was read, as fetch does", async () => {
  const end = await interceptRequests(await createMockServer(PETS), "refuse");
  const used = new Request(PETS_URL, { method: "POST", body: "{}" });
  await used.text();
  await assert.rejects(fetch(used), TypeError);
  end();
});

/** An agent with a method of its own for requests, as those of agent-base 6 and https-proxy-agent 5. */
function ownAgent(connections: string[]): Agent {
  return Object.assign(Object.create(EventEmitter.prototype), {
    addRequest(request: ClientRequest): void {
      connections.push("agent");
      queueMicrotask(() => request.emit("error", new Error("passed")));
    },
  });
}

/** The ways in which a request of `node:http` gets a connection of its own. */
function ownConnections(connections: string[]): Readonly<Record<string, RequestOptions>> {
  const fail = (way: string) => (_: unknown, done: (error: Error | null) => void): undefined => {
    connections.push(way);
    done(new Error("passed"));
  };
  return {
    "an agent with its own addRequest()": { agent: ownAgent(connections) },
    "an agent that inherits from Agent": {
      agent: new class extends Agent {
        addRequest(request: ClientRequest): void {
          connections.push("subclass");
          queueMicrotask(() => request.emit("error", new Error("passed")));
        }
      }(),
    },
    "createConnection": { createConnection: fail("createConnection") as RequestOptions["createConnection"] },
  };
}

Deno.test("interceptRequests() answers, refuses and passes requests with connections of their own", async (t) => {
  const mock = await createMockServer(PETS, { baseUrls: ["http://pets.test/v1"] });
  const connections: string[] = [];
  for (const [name, options] of Object.entries(ownConnections(connections))) {
    await t.step(name, async () => {
      const end = await interceptRequests(mock, "refuse");
      const sent = get("http://pets.test/v1/pets", options);
      const [response] = await once(sent, "response");
      assert.deepEqual(JSON.parse(await new Response(response).text()), [{ name: "Tom" }]);
      const agent: unknown = Reflect.get(sent, "agent");
      if (options.agent instanceof EventEmitter) assert.equal(agent, options.agent);
      await assert.rejects(once(get("http://other.test/", options), "response"), /"refuse"/);
      assert.deepEqual(connections, []);
      end();
      for (const restore of [undefined, await interceptRequests(mock, "pass")]) {
        await assert.rejects(once(get("http://other.test/", options), "response"), /passed/);
        restore?.();
      }
      assert.equal(connections.splice(0).length, 2);
    });
  }
});

Deno.test("interceptRequests() refuses connections for HTTP that the mock server can't answer on", async (t) => {
  const connects = [http2.connect, tls.connect];
  const cases: Readonly<Record<string, () => unknown>> = {
    "node:http2": () => http2.connect("https://pets.example"),
    "TLS for HTTP/2": () => tls.connect({ host: "pets.example", port: 443, ALPNProtocols: ["h2", "http/1.1"] }),
    "TLS for HTTP/1.1": () => tls.connect(443, "pets.example", { ALPNProtocols: ["http/1.1"] }),
    "TLS with protocols as bytes": () => tls.connect(443, { ALPNProtocols: Buffer.from("\x02h2") }),
  };
  for (const [name, connect] of Object.entries(cases)) {
    await t.step(name, async () => {
      const end = await interceptRequests(await createMockServer(PETS), "refuse");
      assert.throws(connect, { name: "TypeError", message: /"refuse"/ });
      end();
      assert.deepEqual([http2.connect, tls.connect], connects);
      (await interceptRequests(await createMockServer(PETS), "pass"))();
      assert.deepEqual([http2.connect, tls.connect], connects);
    });
  }
});
