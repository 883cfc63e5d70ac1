/**
 * Requests through a gateway on this machine, sent as they are written: `fetch` would set the Host header and tidy the
 * path.
 *
 * @module
 */
import { Agent, request } from "node:http";

/** A request. */
export interface Question {
  /** The Host header. */
  host: string;
  /** Path and query, as sent. Default: `/`. */
  path?: string;
  /** Default: GET. */
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Default: a connection of its own. */
  agent?: Agent;
}

/** The answer to it. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; throws when it isn't. */
  json(): unknown;
}

/** Sends a request to a port of 127.0.0.1. */
export function ask(
  port: number,
  { host, path = "/", method = "GET", headers = {}, body, agent }: Question,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method,
        headers: { ...headers, host },
        agent: agent ?? new Agent(),
        setHost: false,
      },
      (response) => {
        const chunks: Uint8Array[] = [];
        response.on("data", (chunk: Uint8Array) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = new TextDecoder().decode(concat(chunks));
          const received = new Headers();
          for (const [name, values] of Object.entries(response.headersDistinct)) {
            for (const value of values ?? []) received.append(name, value);
          }
          resolve({ status: response.statusCode ?? 0, headers: received, text, json: () => JSON.parse(text) });
        });
      },
    );
    sent.setTimeout(15_000, () => sent.destroy(new Error(`No answer to ${method} ${host}${path} in 15 s`)));
    sent.on("error", reject);
    sent.end(body);
  });
}

function concat(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
