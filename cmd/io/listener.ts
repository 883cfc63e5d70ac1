import { reasonOf } from "./read.ts";
import type { TlsFiles } from "./tls.ts";

/** Where a server listens. */
export interface ListenOptions {
  host: string;
  /** The port that was asked for; 0 leaves the choice to the system. Default: 8080, or the next that is free. */
  port?: number;
  /** HTTP/2 comes with HTTPS. */
  tls?: TlsFiles;
}

/** What came of listening. */
export type Listening =
  | { kind: "listening"; server: Deno.HttpServer<Deno.NetAddr>; url: string; port: number }
  | { kind: "refused"; message: string };

/** The port when none is asked for. */
export const DEFAULT_PORT = 8080;
/** How many ports are tried when none is asked for. */
const MOST_PORTS = 100;

/** Starts a server. */
export function listen(handler: Deno.ServeHandler<Deno.NetAddr>, options: ListenOptions): Listening {
  const first = options.port ?? DEFAULT_PORT;
  const last = options.port ?? DEFAULT_PORT + MOST_PORTS - 1;
  for (let port = first; port <= last; port++) {
    try {
      const server = serve(handler, port, options);
      return { kind: "listening", server, url: urlOf(server.addr, options), port: server.addr.port };
    } catch (error) {
      const isTaken = error instanceof Deno.errors.AddrInUse;
      if (isTaken && port < last) continue;
      return { kind: "refused", message: isTaken ? taken(first, last) : cannotListen(port, options, error) };
    }
  }
  return { kind: "refused", message: taken(first, last) };
}

function serve(
  handler: Deno.ServeHandler<Deno.NetAddr>,
  port: number,
  { host, tls }: ListenOptions,
): Deno.HttpServer<Deno.NetAddr> {
  // What listens is said by whoever called.
  const onListen = (): void => {};
  return tls === undefined
    ? Deno.serve({ hostname: host, port, onListen }, handler)
    : Deno.serve({ hostname: host, port, onListen, cert: tls.cert, key: tls.key }, handler);
}

/** The URL at which somebody on this machine reaches the server. */
function urlOf({ hostname, port }: Deno.NetAddr, { tls }: ListenOptions): string {
  const host = hostname === "0.0.0.0" || hostname === "::" ? "localhost" : hostname;
  return `${tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function taken(first: number, last: number): string {
  return first === last
    ? `Port ${first} is taken by another program. Choose another one with --port, or leave the choice to gw.`
    : `The ports from ${first} to ${last} are all taken. Choose another one with --port.`;
}

function cannotListen(port: number, { host, tls }: ListenOptions, error: unknown): string {
  if (error instanceof Deno.errors.PermissionDenied) {
    return `Cannot listen on ${host} port ${port}: this user may not use that port.`;
  }
  const isWorld = Object.values(Deno.errors).some((kind) => error instanceof kind && kind !== Deno.errors.InvalidData);
  return tls === undefined || isWorld
    ? `Cannot listen on ${host} port ${port}: ${reasonOf(error)}.`
    : `Cannot use the certificate and its key: ${reasonOf(error)}.`;
}
