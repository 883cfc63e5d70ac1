/**
 * Searches for moments at which a protected operation is open. Clients without credentials send requests all the time:
 * on a persistent connection, on new connections, and on connections that were opened earlier and were idle.
 *
 * @module
 */

/** Clients that request one path without credentials. */
export interface Intruder {
  readonly answers: readonly IntruderAnswer[];
  stop(): Promise<void>;
}

/** The answer to a request without credentials. */
export interface IntruderAnswer {
  /** When the request was sent and when the answer arrived, by `performance.now()`. */
  sent: number;
  received: number;
  status: number;
  /** The kind of connection: persistent, new, or idle for some time. */
  connection: "kept" | "new" | "idle";
}

/** Milliseconds for which connections are idle before they are used. */
const IDLE_TIMES = [200, 500, 1_000, 2_000, 4_000, 6_000, 8_000, 10_000, 12_000, 14_000, 16_000];

/** Milliseconds between the openings of idle connections. */
const OPENED_EVERY = 1_500;

/** Milliseconds between two requests of a client. */
const PAUSE = 2;

/** Starts the clients. They request a path from a host, at a port of this machine. */
export function startIntruder(port: number, host: string, path: string): Intruder {
  const request = new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  const answers: IntruderAnswer[] = [];
  const open = new Set<Deno.Conn>();
  let isStopped = false;
  const clients = [
    keepAsking(),
    askAnew(),
    ...IDLE_TIMES.flatMap((wait) => [askLater(wait, true), askLater(wait, false)]),
    openIdle(),
  ];

  return {
    answers,
    async stop() {
      isStopped = true;
      await Promise.all(clients);
      for (const connection of open) connection.close();
    },
  };

  async function keepAsking(): Promise<void> {
    let connection = await connect();
    while (!isStopped) {
      const isKept = await ask(connection, "kept");
      if (!isKept) {
        end(connection);
        connection = await connect();
      }
      await pause(PAUSE);
    }
  }

  async function askAnew(): Promise<void> {
    while (!isStopped) {
      const connection = await connect();
      await ask(connection, "new");
      end(connection);
      await pause(PAUSE * 5);
    }
  }

  /** Opens idle connections all the time. Each is used after a while. */
  async function openIdle(): Promise<void> {
    const waiting: Promise<void>[] = [];
    for (let count = 0; !isStopped; count++) {
      waiting.push(askLater(IDLE_TIMES[count % IDLE_TIMES.length] ?? 0, count % 2 === 0));
      await pause(OPENED_EVERY);
    }
    await Promise.all(waiting);
  }

  /** @param isUsed Whether the connection carries a request before it is idle. */
  async function askLater(wait: number, isUsed: boolean): Promise<void> {
    const connection = await connect();
    if (!isUsed || await ask(connection, "idle")) {
      for (let waited = 0; waited < wait && !isStopped; waited += 100) await pause(100);
      await ask(connection, "idle");
    }
    end(connection);
  }

  async function connect(): Promise<Deno.Conn> {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    open.add(connection);
    return connection;
  }

  function end(connection: Deno.Conn): void {
    if (open.delete(connection)) connection.close();
  }

  /** @returns Whether the connection can carry another request. */
  async function ask(connection: Deno.Conn, kind: IntruderAnswer["connection"]): Promise<boolean> {
    const sent = performance.now();
    try {
      await connection.write(request);
      const reply = await read(connection);
      if (reply === undefined) return false;
      answers.push({ sent, received: performance.now(), status: reply.status, connection: kind });
      return !reply.isLast;
    } catch {
      return false;
    }
  }
}

/** Reads one response; `undefined` if the connection was closed. */
async function read(connection: Deno.Conn): Promise<{ status: number; isLast: boolean } | undefined> {
  const buffer = new Uint8Array(16_384);
  let text = "";
  while (true) {
    const count = await connection.read(buffer);
    if (count === null) return undefined;
    text += new TextDecoder("latin1").decode(buffer.subarray(0, count));
    const end = text.indexOf("\r\n\r\n");
    if (end === -1) continue;
    const head = text.slice(0, end).toLowerCase();
    const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
    const isWhole = length === undefined ? text.endsWith("0\r\n\r\n") : text.length >= end + 4 + Number(length);
    if (isWhole) return { status: Number(head.slice(9, 12)), isLast: head.includes("\r\nconnection: close") };
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
