import assert from "node:assert/strict";
import { startGw } from "../cmd/process.ts";

const DEFINITION = `
openapi: 3.1.0
info: {title: Faults, version: 1.0.0}
paths:
  /fine: {get: {responses: {"200": {description: Fine, content: {text/plain: {example: fine}}}}}}
  /reset: {get: {x-svc: {mocking: {faults: [reset]}}, responses: {"204": {description: Never}}}}
  /empty: {get: {x-svc: {mocking: {faults: [empty]}}, responses: {"204": {description: Never}}}}
`;

/** The number of connections that each test makes. */
const ROUNDS = 300;

const ignore = Deno.build.os !== "linux";

function requestOf(path: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
}

/**
 * Reads until the text `fine` has arrived `count` times, or the connection ends. Returns how often it arrived, and
 * whether the connection was closed (FIN) or reset (RST).
 */
async function readUntil(connection: Deno.Conn, count: number): Promise<{ count: number; end?: "closed" | "reset" }> {
  const buffer = new Uint8Array(65_536);
  let text = "";
  try {
    while (text.split("fine").length <= count) {
      const read = await connection.read(buffer);
      if (read === null) return { count: text.split("fine").length - 1, end: "closed" };
      text += new TextDecoder().decode(buffer.subarray(0, read));
    }
    return { count };
  } catch {
    return { count: text.split("fine").length - 1, end: "reset" };
  }
}

for (const hostname of ["127.0.0.1", "::1"]) {
  Deno.test({
    name: `faults break no connection of another client of ${hostname}`,
    ignore,
    fn: () => attack(hostname),
  });
}

async function attack(hostname: string): Promise<void> {
  await using gw = await startGw({ args: ["mock", "-", "--quiet", "--host", hostname], stdin: DEFINITION });
  const { port } = gw;
  let isOver = false;
  const goodClients = Array.from({ length: 8 }, async () => {
    using connection = await Deno.connect({ hostname, port });
    let count = 0;
    for (; !isOver; count++) {
      await connection.write(requestOf("/fine"));
      assert.deepEqual(await readUntil(connection, 1), { count: 1 });
    }
    return count;
  });
  const ends: string[] = [];
  const badClients = ["/reset", "/empty", "/reset", "/empty"].map(async (path) => {
    for (let round = 0; round < ROUNDS / 4; round++) {
      using connection = await Deno.connect({ hostname, port });
      // Every second connection has carried another request before the request with the fault.
      const kept = round % 2;
      if (kept === 1) {
        await connection.write(requestOf("/fine"));
        assert.deepEqual(await readUntil(connection, 1), { count: 1 });
      }
      await connection.write(requestOf(path));
      ends.push(`${path} ${(await readUntil(connection, 1)).end}`);
    }
  });
  await Promise.all(badClients);
  isOver = true;
  const counts = await Promise.all(goodClients);
  assert.ok(counts.every((count) => count > 0), `${counts}`);
  assert.deepEqual([...new Set(ends)].sort(), ["/empty closed", "/reset reset"]);
}

Deno.test({
  name: "a fault comes after the answers to requests that were sent before it on the connection",
  ignore,
  async fn() {
    await using gw = await startGw({ args: ["mock", "-", "--quiet"], stdin: DEFINITION });
    for (let round = 0; round < 20; round++) {
      using connection = await Deno.connect({ port: gw.port });
      const paths = ["/fine", "/fine", "/fine", "/reset", "/fine"];
      await connection.write(new Uint8Array(await new Blob(paths.map(requestOf)).arrayBuffer()));
      assert.deepEqual(await readUntil(connection, 5), { count: 3, end: "reset" });
    }
  },
});

Deno.test({
  name: "a client that has reset its connection and comes back from the same port is answered",
  ignore,
  async fn() {
    await using gw = await startGw({ args: ["mock", "-", "--quiet"], stdin: DEFINITION });
    using client = new PortClient(gw.port);
    for (let round = 0; round < ROUNDS; round++) {
      client.connect();
      client.send(requestOf("/reset"));
      if (round % 3 > 0) await new Promise((resolve) => setTimeout(resolve, (round % 3) * 4));
      client.reset();
      client.connect();
      for (let count = 0; count < 3; count++) {
        client.send(requestOf("/fine"));
        assert.match(client.receive(), /fine$/, `round ${round}`);
      }
      client.reset();
    }
  },
});

const LIBRARIES = ["/lib/x86_64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6", "/lib64/libc.so.6"];

/** The flag `SOCK_CLOEXEC`. Without it, programs that other tests start would inherit the socket. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * A client whose connections all have the same local port. Deno can't choose the port of a client, so this uses the C
 * library.
 */
class PortClient {
  readonly #library = Deno.dlopen(LIBRARIES.find(exists) ?? "libc.so.6", {
    socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
    bind: { parameters: ["i32", "buffer", "u32"], result: "i32" },
    connect: { parameters: ["i32", "buffer", "u32"], result: "i32" },
    getsockname: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
    setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
    send: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
    recv: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
    close: { parameters: ["i32"], result: "i32" },
  });
  readonly #server: Uint8Array<ArrayBuffer>;
  #own = addressOf(0);
  #descriptor = -1;

  constructor(port: number) {
    this.#server = addressOf(port);
  }

  connect(): void {
    const { socket, bind, connect, getsockname, setsockopt } = this.#library.symbols;
    this.#descriptor = socket(2, 1 | CLOSE_ON_EXEC, 0);
    setsockopt(this.#descriptor, 1, 2, new Uint8Array(new Int32Array([1]).buffer), 4);
    assert.equal(bind(this.#descriptor, this.#own, 16), 0);
    assert.equal(connect(this.#descriptor, this.#server, 16), 0);
    getsockname(this.#descriptor, this.#own, new Uint8Array(new Uint32Array([16]).buffer));
  }

  send(bytes: Uint8Array<ArrayBuffer>): void {
    assert.equal(Number(this.#library.symbols.send(this.#descriptor, bytes, BigInt(bytes.length), 0)), bytes.length);
  }

  receive(): string {
    const buffer = new Uint8Array(65_536);
    const count = Number(this.#library.symbols.recv(this.#descriptor, buffer, 65_536n, 0));
    return count < 0 ? "an error" : new TextDecoder().decode(buffer.subarray(0, count));
  }

  /** Closes the connection with an RST (`SO_LINGER` of 0 seconds), so that the port can be used again at once. */
  reset(): void {
    this.#library.symbols.setsockopt(this.#descriptor, 1, 13, new Uint8Array(new Int32Array([1, 0]).buffer), 8);
    this.#library.symbols.close(this.#descriptor);
  }

  [Symbol.dispose](): void {
    this.#library.close();
  }
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

/** The socket address (`sockaddr_in`) of a port of 127.0.0.1. */
function addressOf(port: number): Uint8Array<ArrayBuffer> {
  const address = new Uint8Array(16);
  address.set([...new Uint8Array(new Uint16Array([2]).buffer), port >> 8, port & 255, 127, 0, 0, 1]);
  return address;
}
