/**
 * An upstream of raw TCP. It reads requests exactly as RFC 9112 demands and records them. It answers innocent requests
 * properly, and the others as the exchange says.
 */
import { bytesOf, closeQuietly, textOf, writeAll } from "./wire.ts";

/** The behaviour of the upstream at a request for `/attack`. */
export interface Script {
  /** The bytes of the response. */
  answer: string;
  /** Whether the upstream answers after the head, and reads the body afterwards. */
  isEarly?: boolean;
  /** What the upstream does after the response. Default: it reads the next request of the connection. */
  then?: "close" | "reset" | "flood";
}

/** The upstream. */
export interface AttackUpstream extends AsyncDisposable {
  readonly port: number;
  /** The requests that the upstream got, as `GET /attack`. Tests may empty the list. */
  readonly seen: string[];
  /** The behaviour for the next requests. */
  script: Script;
}

/** The most copies of an answer that a flood writes. */
const MOST_COPIES = 100_000;

/** Starts the upstream. */
export function startUpstream(): AttackUpstream {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.TcpConn>();
  const seen: string[] = [];
  const upstream: AttackUpstream = {
    port: listener.addr.port,
    seen,
    script: { answer: "" },
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of open) closeQuietly(connection);
      await accepting;
    },
  };
  const accepting = accept();
  return upstream;

  async function accept(): Promise<void> {
    try {
      for await (const connection of listener) {
        open.add(connection);
        void speak(connection).catch(() => {}).finally(() => {
          open.delete(connection);
          closeQuietly(connection);
        });
      }
    } catch { /* The listener is closed. */ }
  }

  async function speak(connection: Deno.TcpConn): Promise<void> {
    const reader = createReader(connection);
    for (;;) {
      const head = await reader.until("\r\n\r\n");
      const [line = "", ...fields] = head.split("\r\n");
      const [method = "", target = ""] = line.split(" ");
      seen.push(`${method} ${target}`);
      if (target.startsWith("/innocent/")) {
        await readBody(reader, fields);
        const body = `answer to ${target}`;
        await writeAll(connection, bytesOf(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`));
        continue;
      }
      const { answer, isEarly = false, then } = upstream.script;
      // The operating system resets a connection that is closed with unread bytes.
      if (then === "reset") return;
      if (!isEarly) await readBody(reader, fields);
      await writeAll(connection, bytesOf(answer));
      if (then === "flood") {
        for (let count = 0; count < MOST_COPIES; count++) await writeAll(connection, bytesOf(answer));
      }
      if (then !== undefined) return;
      if (isEarly) await readBody(reader, fields);
    }
  }
}

interface Reader {
  until(mark: string): Promise<string>;
  exactly(count: number): Promise<string>;
}

function createReader(connection: Deno.TcpConn): Reader {
  let rest = "";
  const buffer = new Uint8Array(16 * 1024);
  return {
    async until(mark) {
      while (!rest.includes(mark)) await more();
      const end = rest.indexOf(mark);
      const text = rest.slice(0, end);
      rest = rest.slice(end + mark.length);
      return text;
    },
    async exactly(count) {
      while (rest.length < count) await more();
      const text = rest.slice(0, count);
      rest = rest.slice(count);
      return text;
    },
  };

  async function more(): Promise<void> {
    const count = await connection.read(buffer);
    if (count === null) throw new Error("The connection ended.");
    rest += textOf(buffer.subarray(0, count));
  }
}

/** Reads a body, whatever the method is (RFC 9112, section 6.3). */
async function readBody(reader: Reader, fields: readonly string[]): Promise<void> {
  const value = (name: string): string | undefined =>
    fields.find((field) => field.toLowerCase().startsWith(`${name}:`))?.slice(name.length + 1).trim();
  if (value("transfer-encoding") !== undefined) {
    for (;;) {
      const size = parseInt(await reader.until("\r\n"), 16);
      await reader.exactly(size + 2);
      if (!(size > 0)) return;
    }
  }
  await reader.exactly(Number(value("content-length") ?? 0));
}
