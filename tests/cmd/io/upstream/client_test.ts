/** The client for upstreams, tested with upstreams whose responses are given byte by byte. */
import assert from "node:assert/strict";
import { createUpstreamClient, type UpstreamClient } from "../../../../cmd/io/upstream/client.ts";
import type { UpstreamRequest } from "../../../../lib/http/url/upstream.ts";
import { serve, serveBytes, type TestServer } from "../../../lib/gateway/embedded/fleet.ts";
import { freePort } from "../../../free_port.ts";

/** A GET request, with changes. */
function request(others: Partial<UpstreamRequest> = {}): UpstreamRequest {
  const { signal } = new AbortController();
  return { method: "GET", headers: [], body: null, headTimeout: 0, idleTimeout: 0, signal, ...others };
}

/** A client without an HTTP proxy. */
function createClient(): UpstreamClient {
  return createUpstreamClient(() => undefined);
}

/** Sends a request that must be answered. Returns the response. */
async function answerOf(client: UpstreamClient, url: string, request: UpstreamRequest): Promise<Response> {
  const outcome = await client.send(url, request);
  assert.equal(outcome.kind, "answered", JSON.stringify(outcome));
  return outcome.response;
}

/** Sends a request that must fail. Returns the kind of failure and its reason. */
async function failureOf(client: UpstreamClient, url: string, request: UpstreamRequest): Promise<string> {
  const { kind, ...others } = await client.send(url, request);
  return "reason" in others ? `${kind}: ${others.reason}` : kind;
}

/**
 * An upstream that records requests. Each argument has the answers of one connection, as raw bytes. After the last
 * answer, the connection is closed, unless that answer is {@linkcode STAYS}.
 */
function scripted(
  ...connections: readonly (readonly string[])[]
): TestServer & { readonly heard: string[]; readonly connections: () => number } {
  const heard: string[] = [];
  let count = 0;
  const server = serveBytes(async (connection) => {
    const answers = connections[count++] ?? [];
    for (const answer of answers) {
      if (answer === STAYS) return void await connection.read(new Uint8Array(1));
      const bytes = new Uint8Array(100_000);
      const length = await connection.read(bytes);
      if (length === null) return;
      heard.push(new TextDecoder("latin1").decode(bytes.subarray(0, length)));
      await connection.write(Uint8Array.from(answer, (character) => character.charCodeAt(0)));
    }
  });
  return { ...server, heard, connections: () => count, [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
}

/** Waits until undici has put the connection of the last response back into its pool. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

/** As the last answer of a connection: the upstream leaves the connection open. */
const STAYS = "stays";
const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

const answers: { name: string; bytes: string; status?: number; text?: string; headers?: [string, string][] }[] = [
  { name: "a length", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", text: "hello" },
  {
    name: "chunks, with extensions and trailers",
    bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nx: y\r\n\r\n",
    text: "hello world",
    headers: [],
  },
  { name: "until the end", bytes: "HTTP/1.0 200 OK\r\n\r\nhello", text: "hello" },
  { name: "no body", bytes: "HTTP/1.1 204 No Content\r\n\r\n", status: 204, text: "" },
  { name: "no reason", bytes: "HTTP/1.1 404\r\ncontent-length: 0\r\n\r\n", status: 404, text: "" },
  {
    name: "informational responses before it",
    bytes: `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${OK}`,
    text: "ok",
  },
  {
    name: "fields that come twice, and bytes that are no ASCII",
    bytes: "HTTP/1.1 200 OK\r\nset-cookie: a\r\nset-cookie: b\r\nx: \xe9\r\ncontent-length: 0\r\n\r\n",
    text: "",
    headers: [["content-length", "0"], ["set-cookie", "a"], ["set-cookie", "b"], ["x", "\xe9"]],
  },
  {
    name: "fields of the connection",
    bytes: "HTTP/1.1 200 OK\r\nconnection: keep-alive\r\nkeep-alive: timeout=5\r\ncontent-length: 0\r\n\r\n",
    text: "",
    headers: [["content-length", "0"]],
  },
];

Deno.test("the client reads responses of every form", async (t) => {
  for (const { name, bytes, status = 200, text, headers } of answers) {
    await t.step(name, async () => {
      await using upstream = scripted([bytes]);
      await using client = createClient();
      const response = await answerOf(client, `${upstream.url}/a`, request());
      assert.equal(response.status, status);
      if (headers !== undefined) assert.deepEqual([...response.headers], headers);
      assert.equal(await response.text(), text);
    });
  }
});

const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

/** Responses that the client must refuse, and the reason that is logged. */
const faults: { name: string; bytes: string; reason: RegExp }[] = [
  { name: "no HTTP", bytes: "SSH-2.0-OpenSSH_9.9\r\n", reason: /Expected HTTP/ },
  { name: "a length that is none", bytes: "HTTP/1.1 200 OK\r\ncontent-length: 1x\r\n\r\n", reason: /length/ },
  {
    name: "two lengths",
    bytes: "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx",
    reason: /length/,
  },
  {
    name: "one length twice",
    bytes: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nxx",
    reason: /length/,
  },
  {
    name: "a length and chunks",
    bytes: "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    reason: /length/,
  },
  {
    name: "a coding that is not known",
    bytes: "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n",
    reason: /Transfer-Encoding is gzip, chunked/,
  },
  { name: "a chunk of negative size", bytes: `${CHUNKED}-5\r\nhello\r\n0\r\n\r\n`, reason: /chunk size/ },
  { name: "a chunk size with 0x", bytes: `${CHUNKED}0x5\r\nhello\r\n0\r\n\r\n`, reason: /chunk size/ },
  { name: "a chunk size with a sign", bytes: `${CHUNKED}+5\r\nhello\r\n0\r\n\r\n`, reason: /chunk size/ },
  { name: "a chunk size that is no number", bytes: `${CHUNKED}zz\r\nhello\r\n0\r\n\r\n`, reason: /chunk size/ },
  { name: "a second chunk that is broken", bytes: `${CHUNKED}5\r\nhello\r\n-1\r\n`, reason: /chunk size/ },
  { name: "a field without a colon", bytes: "HTTP/1.1 200 OK\r\nfoo\r\n\r\n", reason: /Invalid header token/ },
  { name: "a space before a colon", bytes: "HTTP/1.1 200 OK\r\nfoo : 1\r\n\r\n", reason: /Invalid header token/ },
  { name: "a head without end", bytes: `HTTP/1.1 200 OK\r\nx: ${"y".repeat(90_000)}`, reason: /Headers Overflow/ },
  { name: "a protocol that nobody asked for", bytes: "HTTP/1.1 101 Switching\r\n\r\n", reason: /./ },
  { name: "a status that is none", bytes: "HTTP/1.1 999 No\r\ncontent-length: 0\r\n\r\n", reason: /status is 999/ },
  {
    name: "informational responses without end",
    bytes: "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(200),
    reason: /status is 103/,
  },
  { name: "nothing", bytes: "", reason: /closed/ },
];

Deno.test("an invalid response is an outcome with a reason", async (t) => {
  for (const { name, bytes, reason } of faults) {
    await t.step(name, async () => {
      await using upstream = scripted([bytes]);
      await using client = createClient();
      const failure = await failureOf(client, `${upstream.url}/a`, request());
      assert.match(failure, /^broken: /);
      assert.match(failure, reason);
    });
  }
});

Deno.test("a connection carries one request after the other", async () => {
  await using upstream = scripted([OK, OK, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok"], [
    OK,
  ]);
  await using client = createClient();
  for (let time = 0; time < 4; time++) {
    assert.equal(await (await answerOf(client, `${upstream.url}/a`, request())).text(), "ok");
    await settled();
  }
  assert.equal(upstream.connections(), 2);
});

Deno.test("a response without a body ends with its head, with any Content-Length", async (t) => {
  for (
    const [method, status, bytes] of [
      ["GET", 304, "HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n"],
      ["GET", 204, "HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nhello"],
      ["GET", 205, "HTTP/1.1 205 Reset Content\r\ncontent-length: 5\r\n\r\nhel"],
      ["HEAD", 200, "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n"],
      ["HEAD", 200, "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"],
    ] as const
  ) {
    await t.step(`${method} ${JSON.stringify(bytes)}`, async () => {
      await using upstream = scripted([bytes, STAYS], [OK], [OK], [OK]);
      await using client = createClient();
      const response = await answerOf(client, `${upstream.url}/a`, request({ method }));
      assert.equal(response.status, status);
      assert.equal(await response.text(), "");
      await settled();
      // The bytes after a response that has no body belong to no response: the client must drop them.
      assert.equal(await (await answerOf(client, `${upstream.url}/a`, request())).text(), "ok");
    });
  }
});

Deno.test("a connection with unsolicited bytes is not used again", async (t) => {
  for (
    const [name, more] of [
      ["another response", OK],
      ["a part of one", "HTTP/1.1 200 OK\r\nx: "],
      ["a part of a line", "HTTP"],
    ] as const
  ) {
    await t.step(name, async () => {
      await using upstream = scripted([OK + more, STAYS], [OK]);
      await using client = createClient();
      assert.equal(await (await answerOf(client, `${upstream.url}/a`, request())).text(), "ok");
      assert.equal(await (await answerOf(client, `${upstream.url}/a`, request())).text(), "ok");
      assert.equal(upstream.connections(), 2);
    });
  }
});

Deno.test("a request is sent again when the upstream closes the connection that it was to use", async (t) => {
  for (
    const [method, body, want] of [["GET", null, "answered"], ["PUT", bytes("x"), "answered"], [
      "POST",
      bytes("x"),
      "broken",
    ]] as const
  ) {
    await t.step(method, async () => {
      // On the first connection, the upstream reads the second request and closes without an answer.
      await using upstream = scripted([OK, ""], [OK]);
      await using client = createClient();
      assert.equal(await (await answerOf(client, `${upstream.url}/a`, request())).text(), "ok");
      await settled();
      const second = await client.send(`${upstream.url}/a`, request({ method, body }));
      assert.equal(second.kind, want);
      if (second.kind === "answered") await second.response.text();
    });
  }
});

Deno.test("requests are written as HTTP/1.1", async () => {
  await using upstream = scripted([OK, OK, OK, OK, OK]);
  await using client = createClient();
  const all = [
    request({ headers: [["x", "\xe9"]] }),
    request({ method: "POST", body: bytes("hello") }),
    request({ method: "POST", body: bytes("hello"), headers: [["content-length", "5"]] }),
    request({ method: "POST", body: new Blob(["hello"]).stream(), headers: [["content-length", "5"]] }),
    request({ method: "POST", body: new Blob(["hello"]).stream() }),
  ];
  for (const one of all) {
    await (await answerOf(client, `${upstream.url}/a b?ü=%20`, one)).text();
    await settled();
  }
  const line = (method: string): string =>
    `${method} /a%20b?%C3%BC=%20 HTTP/1.1\r\nhost: 127.0.0.1:${upstream.port}\r\nconnection: keep-alive\r\n`;
  assert.deepEqual(upstream.heard, [
    `${line("GET")}x: \xe9\r\n\r\n`,
    `${line("POST")}content-length: 5\r\n\r\nhello`,
    `${line("POST")}content-length: 5\r\n\r\nhello`,
    `${line("POST")}content-length: 5\r\n\r\nhello`,
    `${line("POST")}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  ]);
});

Deno.test("a header field can't contain a line break", async () => {
  await using upstream = scripted([OK]);
  await using client = createClient();
  const smuggling = request({ headers: [["x", "1\r\ny: 2"]] });
  assert.equal(await failureOf(client, `${upstream.url}/a`, smuggling), "unsendable: invalid x header");
});

Deno.test("a response that arrives before the upload has ended is returned", async () => {
  const cancelled = Promise.withResolvers<void>();
  await using upstream = scripted(["HTTP/1.1 413 Content Too Large\r\ncontent-length: 3\r\n\r\nbig"]);
  await using client = createClient();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
    cancel: () => cancelled.resolve(),
  });
  const response = await answerOf(client, `${upstream.url}/a`, request({ method: "POST", body }));
  assert.equal(response.status, 413);
  assert.equal(await response.text(), "big");
  await cancelled.promise;
});

Deno.test("an upstream that can't be reached has seen nothing", async (t) => {
  await using client = createClient();
  await t.step("nobody listens", async () => {
    assert.match(await failureOf(client, `http://127.0.0.1:${freePort()}/a`, request()), /^unreachable: .*REFUSED/);
  });
  await t.step("it has no TLS", async () => {
    await using upstream = serve(() => new Response("ok"));
    assert.match(await failureOf(client, `https://127.0.0.1:${upstream.port}/a`, request()), /^unreachable: /);
  });
  await t.step("its certificate is signed by an unknown authority", async () => {
    const read = (name: string): string =>
      Deno.readTextFileSync(new URL(`../../../data/tls/localhost.${name}.pem`, import.meta.url));
    const tls = { port: 0, hostname: "127.0.0.1", onListen() {}, cert: read("cert"), key: read("key") };
    await using upstream = Deno.serve(tls, () => new Response("ok"));
    const failure = await failureOf(client, `https://localhost:${upstream.addr.port}/a`, request());
    assert.match(failure, /^unreachable: .*certificate/i);
  });
});

Deno.test("an aborted request is given up", async (t) => {
  await using client = createClient();
  await t.step("before it is sent", async () => {
    await using upstream = scripted([OK]);
    const failure = await failureOf(client, `${upstream.url}/a`, request({ signal: AbortSignal.abort() }));
    assert.equal(failure, "gone");
    assert.deepEqual(upstream.heard, []);
  });
  await t.step("while the upstream prepares the response", async () => {
    const waiting = new AbortController();
    await using upstream = serveBytes(async (connection) => {
      await connection.read(new Uint8Array(1000));
      waiting.abort();
      assert.equal(await connection.read(new Uint8Array(1)), null);
    });
    assert.equal(await failureOf(client, `${upstream.url}/a`, request({ signal: waiting.signal })), "gone");
  });
});

Deno.test("many requests at a time get each its own answer", async () => {
  await using upstream = serve((request) => new Response(new URL(request.url).pathname.repeat(1000)));
  await using client = createClient();
  const texts = await Promise.all(Array.from({ length: 300 }, async (_, index) => {
    return await (await answerOf(client, `${upstream.url}/${index}`, request())).text();
  }));
  assert.deepEqual(texts, texts.map((_, index) => `/${index}`.repeat(1000)));
});

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
