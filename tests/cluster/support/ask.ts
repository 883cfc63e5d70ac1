/**
 * Sends requests to a gateway on this machine exactly as written. `fetch` would set the Host header itself and
 * normalize the path.
 *
 * @module
 */
import { Agent, request } from "node:http";
import { Agent as SecureAgent, request as requestSecurely } from "node:https";
import { joinBytes } from "../../../lib/http/content_coding.ts";

export interface Question {
  /** The Host header. */
  host: string;
  /** Path and query, which are sent as they are. Default: `/`. */
  path?: string;
  /** The method. Default: GET. */
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** The pool of connections. Default: each request has a new connection. */
  agent?: Agent;
  /** The IP address. Default: 127.0.0.1. */
  address?: string;
  /** Trusted certificates, as PEM. If given, the request is sent over TLS. */
  authority?: string;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body, parsed as JSON. Throws if it isn't JSON. */
  json(): unknown;
}

/** Sends a request to a port of this machine. */
export function ask(
  port: number,
  { host, path = "/", method = "GET", headers = {}, body, agent, address = "127.0.0.1", authority }: Question,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const secured = authority === undefined ? {} : { ca: authority, servername: host.replace(/:\d+$/, "") };
    const send = authority === undefined ? request : requestSecurely;
    const sent = send(
      {
        host: address,
        port,
        path,
        method,
        headers: { ...headers, host },
        agent: agent ?? (authority === undefined ? new Agent() : new SecureAgent()),
        setHost: false,
        ...secured,
      },
      (response) => {
        const chunks: Uint8Array[] = [];
        response.on("data", (chunk: Uint8Array) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = new TextDecoder().decode(joinBytes(chunks));
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
