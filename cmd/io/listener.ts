import { isLoopback } from "../../lib/http/url/host.ts";
import { reasonOf } from "./files/read.ts";
import { sleep } from "./sleep.ts";
import type { TlsFiles } from "./tls.ts";

export interface ListenOptions {
  host: string;
  /** The port; 0 for any free port. Default: 8080, or the next free one. */
  port?: number;
  /** The certificate for HTTPS, with HTTP/2. */
  tls?: TlsFiles;
  /** What the message about a port in use advises. Default: to choose another one with `--port`. */
  advice?: string;
}

/** A running server. */
export interface Server {
  /** Stops accepting connections, and finishes the requests under way. */
  shutdown(): void;
  /** Resolves when the shutdown is complete. */
  readonly finished: Promise<void>;
}

export type Listening =
  | { kind: "listening"; server: Server; url: string; port: number }
  | { kind: "refused"; message: string };

/** The default address: this machine only. */
export const DEFAULT_HOST = "127.0.0.1";
/** All addresses of the machine: IPv6, and IPv4 on the same socket. */
export const EVERY_ADDRESS = "::";
/** All IPv4 addresses, for a machine without IPv6. */
const EVERY_IPV4_ADDRESS = "0.0.0.0";
/** The prefix of IPv4 clients on an IPv6 socket (RFC 4291, section 2.5.5.2). */
const MAPPED_IPV4 = "::ffff:";
/** The default port. */
export const DEFAULT_PORT = 8080;
/** The number of ports to try without `port`. */
const MOST_PORTS = 100;
/** Milliseconds until the server listens again after it failed to accept a connection. */
const RELISTEN_DELAY = 100;

/**
 * Starts a server.
 *
 * @param complain Called when the server temporarily can't accept connections.
 */
export function listen(
  handler: Deno.ServeHandler<Deno.NetAddr>,
  options: ListenOptions,
  complain: (message: string) => void,
): Listening {
  const first = options.port ?? DEFAULT_PORT;
  const last = options.port ?? DEFAULT_PORT + MOST_PORTS - 1;
  for (let port = first; port <= last; port++) {
    try {
      const first = serve(handler, port, options);
      const { addr } = first;
      const server = keepServing(first, () => serve(handler, addr.port, options), complain);
      return { kind: "listening", server, url: urlOf(addr, options), port: addr.port };
    } catch (error) {
      const isTaken = error instanceof Deno.errors.AddrInUse;
      if (isTaken && port < last) continue;
      return { kind: "refused", message: isTaken ? taken(first, last, options) : cannotListen(port, options, error) };
    }
  }
  return { kind: "refused", message: taken(first, last, options) };
}

function serve(
  handler: Deno.ServeHandler<Deno.NetAddr>,
  port: number,
  options: ListenOptions,
): Deno.HttpServer<Deno.NetAddr> {
  if (options.host !== EVERY_ADDRESS) return serveAt(handler, port, options);
  try {
    return serveAt(withIpv4Clients(handler), port, options);
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse || error instanceof Deno.errors.PermissionDenied) throw error;
    // A kernel without IPv6 refuses the IPv6 address.
    return serveAt(handler, port, { ...options, host: EVERY_IPV4_ADDRESS });
  }
}

/** Makes a handler that gets the addresses of IPv4 clients as plain IPv4 addresses. */
function withIpv4Clients(handler: Deno.ServeHandler<Deno.NetAddr>): Deno.ServeHandler<Deno.NetAddr> {
  return (request, info) => {
    const { remoteAddr } = info;
    if (!remoteAddr.hostname.startsWith(MAPPED_IPV4)) return handler(request, info);
    const hostname = remoteAddr.hostname.slice(MAPPED_IPV4.length);
    return handler(request, {
      remoteAddr: { ...remoteAddr, hostname },
      // Deno makes a promise for each request whose `completed` is read.
      get completed() {
        return info.completed;
      },
    });
  };
}

function serveAt(
  handler: Deno.ServeHandler<Deno.NetAddr>,
  port: number,
  { host, tls }: ListenOptions,
): Deno.HttpServer<Deno.NetAddr> {
  // An empty function prevents Deno's own message; the caller logs the address.
  const onListen = (): void => {};
  return tls === undefined
    ? Deno.serve({ hostname: host, port, onListen }, handler)
    : Deno.serve({ hostname: host, port, onListen, cert: tls.cert, key: tls.key }, handler);
}

/** Restarts Deno's server whenever it ends with an error, as it does at the limit of open files. */
function keepServing(
  first: Deno.HttpServer<Deno.NetAddr>,
  start: () => Deno.HttpServer<Deno.NetAddr>,
  complain: (message: string) => void,
): Server {
  let current: Deno.HttpServer<Deno.NetAddr> | undefined = first;
  let isStopping = false;
  return {
    shutdown() {
      isStopping = true;
      void current?.shutdown();
    },
    finished: serveOn(),
  };

  async function serveOn(): Promise<void> {
    while (!isStopping) {
      try {
        if (current === undefined) current = start();
        await current.finished;
        return;
      } catch (error) {
        if (current !== undefined) complain(`Cannot accept more connections: ${reasonOf(error)}. Trying again.`);
        current = undefined;
        await sleep(RELISTEN_DELAY);
      }
    }
  }
}

/** Tells whether an address is a wildcard: `0.0.0.0` or `::`. */
export function isEveryAddress(host: string): boolean {
  return /^\[?(?:0\.0\.0\.0|[0:]+)\]?$/.test(host);
}

/** Tells whether an address is reachable from this machine only. */
export function isLocal(host: string): boolean {
  const url = URL.parse(`http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}/`);
  return url !== null && isLoopback(url);
}

/** The URL by which this machine reaches the server. */
function urlOf({ hostname, port }: Deno.NetAddr, { tls }: ListenOptions): string {
  const host = isEveryAddress(hostname) ? "localhost" : hostname;
  return `${tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function taken(first: number, last: number, { advice }: ListenOptions): string {
  return first === last
    ? `Port ${first} is taken by another program. ${
      advice ?? "Choose another one with --port, or leave out --port, and gw chooses."
    }`
    : `The ports from ${first} to ${last} are all taken. ${advice ?? "Choose another one with --port."}`;
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
