/**
 * An upstream that reads requests from raw TCP exactly as RFC 9112 demands, and records them. Requests for `/attack`
 * get the scripted response, others a normal one.
 */
import { bytesOf, closeQuietly, textOf, writeAll } from "./wire.ts";

/** How the upstream responds to a request for `/attack`. */
export interface Script {
  /** The bytes of the response. */
  answer: string;
  /** Whether the upstream responds to the head, and reads the body only then. */
  isEarly?: boolean;
  /**
   * What the upstream does after the response: it closes the connection, resets it, or goes on sending. Default: it
   * reads the next request.
   */
  then?: "close" | "reset" | "flood";
}

export interface AttackUpstream extends AsyncDisposable {
  readonly port: number;
  /** The requests that the upstream got, such as `GET /attack`. Tests may empty this list. */
  readonly seen: string[];
  /** The behaviour at the next requests. */
  script: Script;
}

/** The number of copies of the response that `flood` sends at most. */
const MOST_COPIES = 100_000;

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
      // Leave unread bytes: the system then resets the connection when it is closed.
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

/** Reads a body, for any method (RFC 9112, section 6.3). */
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
