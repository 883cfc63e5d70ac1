/**
 * An upstream of raw TCP. It reads requests by the letter of RFC 9112, notes each, and answers innocent ones properly and
 * the others as the attack wants.
 *
 * @module
 */
import { bytesOf, closeQuietly, textOf, writeAll } from "./wire.ts";

/** The behaviour of the upstream at a request for `/attack`. */
export interface Script {
  /** Bytes of the response. */
  answer: string;
  /** It answers when it has the head, and reads the body after that. */
  isEarly?: boolean;
  /** The step after the response. Default: the next request of the connection. */
  then?: "close" | "reset" | "flood";
}

/** The upstream. */
export interface AttackUpstream extends AsyncDisposable {
  readonly port: number;
  /** The requests that it has seen, as `GET /attack`, since this was last emptied. */
  readonly seen: string[];
  /** Sets the behaviour from now on. */
  script: Script;
}

/** Copies of an answer that a flood writes at most. */
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
      // A connection that is closed with something unread is reset.
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
