import assert from "node:assert/strict";
import { passWebSocket } from "../../../../lib/gateway/embedded/websocket.ts";
import { createHash } from "node:crypto";
// @ts-types="@types/ws"
import { WebSocket as Client } from "ws";
import { converse } from "../../../attack/wire.ts";
import { definition, plan, serve, serveBytes, serveFleet, type TestServer, to } from "./fleet.ts";
import { freePort } from "../../../free_port.ts";

/** An upstream WebSocket that first sends its own name, and then echoes each message. */
function startEcho(): TestServer {
  return serve((request) => {
    if (request.headers.get("upgrade") !== "websocket") return new Response("plain");
    const greeting = `hello ${request.headers.get("x-forwarded-host")} ${new URL(request.url).search}`;
    const protocols = request.headers.get("sec-websocket-protocol") ?? "";
    const { socket, response } = Deno.upgradeWebSocket(request, protocols.includes("pets") ? { protocol: "pets" } : {});
    socket.binaryType = "arraybuffer";
    socket.onopen = () => socket.send(greeting);
    socket.onmessage = ({ data }) => data === "bye" ? socket.close(4001, "as you wish") : socket.send(data);
    return response;
  });
}

/** Records the messages of a WebSocket. `next` resolves with the messages one after the other. */
function listen(socket: WebSocket): { next: () => Promise<unknown>; closed: Promise<CloseEvent> } {
  const messages: unknown[] = [];
  const waiting: ((message: unknown) => void)[] = [];
  socket.binaryType = "arraybuffer";
  socket.onmessage = ({ data }) => {
    const resolve = waiting.shift();
    if (resolve === undefined) messages.push(data);
    else resolve(data);
  };
  const closed = new Promise<CloseEvent>((resolve) => socket.onclose = resolve);
  const next = (): Promise<unknown> =>
    messages.length > 0 ? Promise.resolve(messages.shift()) : new Promise((resolve) => waiting.push(resolve));
  return { next, closed };
}

Deno.test("a WebSocket passes through: text, bytes, subprotocol and the end", async () => {
  await using upstream = startEcho();
  await using fleet = serveFleet([await plan(definition(to(upstream, "websocket: true")))]);
  const socket = new WebSocket(`ws://127.0.0.1:${fleet.port}/pets?x=1`, ["other", "pets"]);
  const { next, closed } = listen(socket);
  assert.equal(await next(), `hello 127.0.0.1:${fleet.port} ?x=1`);
  assert.equal(socket.protocol, "pets");
  socket.send("text");
  assert.equal(await next(), "text");
  socket.send(new Uint8Array([1, 2, 3]));
  assert.deepEqual(await next(), new Uint8Array([1, 2, 3]).buffer);
  for (let count = 0; count < 100; count++) socket.send(String(count));
  for (let count = 0; count < 100; count++) assert.equal(await next(), String(count));
  socket.send("bye");
  const { code, reason } = await closed;
  assert.deepEqual([code, reason], [4001, "as you wish"]);
});

Deno.test("the client's close code and reason reach the upstream", async () => {
  const ended = Promise.withResolvers<CloseEvent>();
  await using upstream = serve((request) => {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onclose = (event) => ended.resolve(event);
    return response;
  });
  await using fleet = serveFleet([await plan(definition(to(upstream, "websocket: true")))]);
  const socket = new WebSocket(`ws://127.0.0.1:${fleet.port}/pets`);
  const { closed } = listen(socket);
  socket.onopen = () => socket.close(4002, "enough");
  const { code, reason } = await ended.promise;
  assert.deepEqual([code, reason], [4002, "enough"]);
  await closed;
});

Deno.test("without the setting a handshake is a request like any other", async () => {
  await using upstream = startEcho();
  await using fleet = serveFleet([await plan(definition(to(upstream)))]);
  const response = await fetch(`${fleet.url}/pets`);
  assert.equal(await response.text(), "plain");
  const socket = new WebSocket(`ws://127.0.0.1:${fleet.port}/pets`);
  await new Promise((resolve) => socket.onclose = resolve);
});

Deno.test("an upstream that refuses the WebSocket leads to 502", async () => {
  await using plain = serve(() => new Response("no"));
  for (const port of [plain.port, freePort()]) {
    await using fleet = serveFleet([await plan(definition(to({ port }, "websocket: true")))]);
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: fleet.port });
    await connection.write(new TextEncoder().encode(
      "GET /pets HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    ));
    const buffer = new Uint8Array(1000);
    const length = await connection.read(buffer) ?? 0;
    assert.match(new TextDecoder().decode(buffer.subarray(0, length)), /^HTTP\/1\.1 502 /);
    connection.close();
  }
});

Deno.test("an upstream that answers the handshake otherwise is heard", async (t) => {
  const answers: Readonly<Record<number, string>> = {
    302: "Location: /login\r\n",
    304: "ETag: x\r\n",
    401: "WWW-Authenticate: Basic\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n",
    403: "X-Reason: no\r\n",
    426: "Upgrade: h2c\r\nSec-WebSocket-Version: 13\r\n",
    503: "Retry-After: 5\r\n",
  };
  for (const [status, fields] of Object.entries(answers)) {
    await t.step(status, async () => {
      const body = status === "304" ? "" : `because of ${status}`;
      await using upstream = serveBytes(async (connection) => {
        await connection.read(new Uint8Array(10_000));
        await connection.write(new TextEncoder().encode(
          `HTTP/1.1 ${status} Reason\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`,
        ));
        await connection.read(new Uint8Array(10));
      });
      await using fleet = serveFleet([await plan(definition(to(upstream, "websocket: true")))]);
      const answer = await converse(fleet.port, {
        text: "GET /pets HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n" +
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        timeout: 10_000,
      });
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
      for (const field of fields.split("\r\n")) assert.ok(answer.toLowerCase().includes(field.toLowerCase()), answer);
      assert.ok(answer.endsWith(`\r\n\r\n${body}`), answer);
    });
  }
});

Deno.test("close codes are passed on, both ways", async (t) => {
  const codes = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 3000, 4999];
  const ended = new Map<string, PromiseWithResolvers<CloseEvent>>();
  await using upstream = serve((request) => {
    const { search } = new URL(request.url);
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onmessage = ({ data }) => data === "" ? socket.close() : socket.close(Number(data), "why");
    socket.onclose = (event) => ended.get(search)?.resolve(event);
    return response;
  });
  await using fleet = serveFleet([await plan(definition(to(upstream, "websocket: true")))]);
  for (const code of [...codes, ""]) {
    await t.step(`from the upstream: ${code}`, async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${fleet.port}/pets`);
      const { closed } = listen(socket);
      socket.onopen = () => socket.send(String(code));
      const event = await closed;
      assert.deepEqual([event.code, event.reason], code === "" ? [1005, ""] : [code, "why"]);
    });
  }
  for (const code of codes) {
    await t.step(`from the client: ${code}`, async () => {
      const end = Promise.withResolvers<CloseEvent>();
      ended.set(`?${code}`, end);
      // The runtime's clients send 1000 and 3000 to 4999 only.
      const socket = new Client(`ws://127.0.0.1:${fleet.port}/pets?${code}`);
      socket.on("open", () => socket.close(code, "why"));
      const event = await end.promise;
      assert.deepEqual([event.code, event.reason], [code, "why"]);
      await new Promise((resolve) => socket.readyState === socket.CLOSED ? resolve(0) : socket.on("close", resolve));
    });
  }
});

Deno.test("a connection to the upstream that is lost ends the client's with 1011", async () => {
  using upstream = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const handshake = acceptRaw(upstream, [], "close");
  await using fleet = serveFleet([await plan(definition(to({ port: upstream.addr.port }, "websocket: true")))]);
  const socket = new WebSocket(`ws://127.0.0.1:${fleet.port}/pets`);
  const { closed } = listen(socket);
  await handshake;
  assert.equal((await closed).code, 1011);
});

Deno.test("a handshake that can't succeed opens no connection to the upstream", async (t) => {
  let asked: (string | null)[] = [];
  await using upstream = serve((request) => {
    asked.push(request.headers.get("upgrade"));
    return new Response("plain");
  });
  await using fleet = serveFleet([await plan(definition(to(upstream, "websocket: true")))]);
  const connection = "Connection: keep-alive, Upgrade\r\n";
  const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  const version = "Sec-WebSocket-Version: 13\r\n";
  const cases: Record<string, { fields: string; status: number; asked: (string | null)[] }> = {
    "no version": { fields: `${connection}${key}`, status: 426, asked: [] },
    "version 8": { fields: `${connection}${key}Sec-WebSocket-Version: 8\r\n`, status: 426, asked: [] },
    "two versions": { fields: `${connection}${key}${version}Sec-WebSocket-Version: 8\r\n`, status: 426, asked: [] },
    "no key": { fields: `${connection}${version}`, status: 400, asked: [] },
    "a key that is none": { fields: `${connection}${version}Sec-WebSocket-Key: a\r\n`, status: 400, asked: [] },
    "Connection doesn't name Upgrade: a request like any other": {
      fields: `${key}${version}`,
      status: 200,
      asked: [null],
    },
  };
  for (const [name, { fields, status, asked: wanted }] of Object.entries(cases)) {
    await t.step(name, async () => {
      asked = [];
      const client = await Deno.connect({ hostname: "127.0.0.1", port: fleet.port });
      await client.write(new TextEncoder().encode(
        `GET /pets HTTP/1.1\r\nUpgrade: websocket\r\nHost: h\r\n${fields}\r\n`,
      ));
      const buffer = new Uint8Array(1000);
      const length = await client.read(buffer) ?? 0;
      client.close();
      assert.match(new TextDecoder().decode(buffer.subarray(0, length)), new RegExp(`^HTTP/1.1 ${status} `));
      assert.deepEqual(asked, wanted);
    });
  }
});

Deno.test("a handshake goes on with the client's headers once, and comes back with the upstream's cookies", async () => {
  using upstream = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const handshake = acceptRaw(upstream, ["Set-Cookie: a=1; Path=/", "Set-Cookie: b=2; Path=/"]);
  await using fleet = serveFleet([await plan(definition(to({ port: upstream.addr.port }, "websocket: true")))]);
  const answer = await askRaw(fleet.port, [
    "GET /pets HTTP/1.1",
    `Host: 127.0.0.1:${fleet.port}`,
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "User-Agent: client/1.0",
  ]);
  assert.deepEqual((await handshake).filter((line) => /^user-agent:/i.test(line)).map((line) => line.toLowerCase()), [
    "user-agent: client/1.0",
  ]);
  assert.match(answer, /^HTTP\/1\.1 101 /);
  assert.deepEqual([...answer.matchAll(/^set-cookie: (.*?)\r$/gim)].map(([, cookie]) => cookie), [
    "a=1; Path=/",
    "b=2; Path=/",
  ]);
});

/** Accepts a WebSocket handshake, and adds headers to the response. Resolves with the lines of the request's head. */
async function acceptRaw(
  upstream: Deno.TcpListener,
  headers: readonly string[],
  then: "wait" | "close" = "wait",
): Promise<string[]> {
  const connection = await upstream.accept();
  const head = await readHead(connection);
  const [, key = ""] = /^sec-websocket-key: (.*?)\r$/im.exec(head) ?? [];
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${accept}`,
    ...headers,
  ];
  await connection.write(new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`));
  // Read on, so that the connection stays open until the client closes it.
  if (then === "close") connection.close();
  else void readHead(connection).catch(() => "").finally(() => connection.close());
  return head.split("\r\n");
}

/** Sends the head of a request as raw text. Resolves with the head of the response. */
async function askRaw(port: number, lines: readonly string[]): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`));
  return await readHead(connection);
}

async function readHead(connection: Deno.Conn): Promise<string> {
  const buffer = new Uint8Array(16 * 1024);
  let text = "";
  while (!text.includes("\r\n\r\n")) {
    const read = await connection.read(buffer);
    if (read === null) break;
    text += new TextDecoder().decode(buffer.subarray(0, read));
  }
  return text;
}

Deno.test("an upstream's WebSocket is closed when the client's can't be opened", async () => {
  let isClosed = false;
  const socket = { protocol: "", bufferedAmount: 0, send() {}, listen() {}, close: () => void (isClosed = true) };
  const request = new Request("http://h/pets", {
    headers: { "host": "h", "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" },
  });
  const passing = passWebSocket(request, "http://upstream/pets", [], 0, {
    connectWebSocket: () => Promise.resolve({ kind: "open", socket, cookies: [] }),
    upgradeWebSocket: () => {
      throw new TypeError("not upgradable");
    },
  }, { remoteAddr: {} });
  await assert.rejects(passing, /not upgradable/);
  assert.equal(isClosed, true);
});
