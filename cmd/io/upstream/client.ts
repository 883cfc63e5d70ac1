/**
 * An HTTP/1.1 client for the gateway: a proxied request costs half of what it costs with `fetch`, and goes on as it is.
 *
 * @module
 */
import { isIdempotent, UnsentError } from "../../../lib/gateway/retry.ts";
import type { UpstreamRequest } from "../../../lib/gateway/world.ts";
import { type Place, placeOf } from "../place.ts";
import { messageOf } from "../request_text.ts";
import { type Connection, createConnection, type SentRequest } from "./connection.ts";

/** Sends requests to upstreams over connections that it keeps. */
export interface UpstreamClient extends Disposable {
  /**
   * Sends a request.
   *
   * @throws {UnsentError} When the upstream can't be reached.
   * @throws {Error} When the connection is lost, or what comes back is no response.
   */
  send(url: string, request: UpstreamRequest): Promise<Response>;
}

/** Where requests go. */
interface Origin extends Readonly<Place> {
  readonly isTls: boolean;
  /** Value of `Host`. */
  readonly host: string;
  /** Connections that wait for a request, the last used at the end, and since when. */
  readonly idle: { connection: Connection; since: number }[];
}

/** Connections to one origin that are kept for later requests. */
const MOST_IDLE = 256;
/** How long a connection is kept without a request, in milliseconds. */
const LONGEST_IDLE = 60_000;

/** Makes a client. Its connections keep the process alive until it is disposed of. */
export function createUpstreamClient(): UpstreamClient {
  const origins = new Map<string, Origin>();
  const open = new Set<Connection>();
  const sweeping = setInterval(sweep, LONGEST_IDLE / 4);
  return { send, [Symbol.dispose]: closeAll };

  async function send(url: string, request: UpstreamRequest): Promise<Response> {
    const start = url.indexOf("/", url.indexOf("://") + 3);
    const origin = originOf(start === -1 ? url : url.slice(0, start));
    const sent = write(origin, start === -1 ? "/" : url.slice(start), request);
    const mayRepeat = isIdempotent(request.method) && !(request.body instanceof ReadableStream);
    for (;;) {
      const kept = origin.idle.pop()?.connection;
      const connection = kept ?? await connect(origin, request.signal);
      try {
        return await connection.send(sent);
      } catch (error) {
        // It may have been closed just when the request was on its way (RFC 9112, section 9.3.1).
        if (kept === undefined || !connection.isUntouched || !mayRepeat || request.signal.aborted) throw error;
      }
    }
  }

  function originOf(text: string): Origin {
    const known = origins.get(text);
    if (known !== undefined) return known;
    const url = new URL(text);
    const origin: Origin = { ...placeOf(url), isTls: url.protocol === "https:", host: url.host, idle: [] };
    origins.set(text, origin);
    return origin;
  }

  async function connect(origin: Origin, signal: AbortSignal): Promise<Connection> {
    const socket = await openSocket(origin, signal);
    const connection = createConnection(socket, {
      idle: (connection) => keep(origin, connection),
      closed: (connection) => forget(origin, connection),
    });
    open.add(connection);
    return connection;
  }

  function keep({ idle }: Origin, connection: Connection): void {
    if (idle.length === MOST_IDLE) return connection.close();
    idle.push({ connection, since: performance.now() });
  }

  function forget({ idle }: Origin, connection: Connection): void {
    open.delete(connection);
    const index = idle.findIndex((one) => one.connection === connection);
    if (index !== -1) idle.splice(index, 1);
  }

  function sweep(): void {
    const now = performance.now();
    for (const { idle } of origins.values()) {
      for (const { connection, since } of [...idle]) if (now - since > LONGEST_IDLE) connection.close();
    }
  }

  function closeAll(): void {
    clearInterval(sweeping);
    for (const connection of [...open]) connection.close();
  }
}

async function openSocket(
  { hostname, port, isTls }: Origin,
  signal: AbortSignal,
): Promise<Deno.TcpConn | Deno.TlsConn> {
  const opening = isTls ? openTls() : Deno.connect({ hostname, port });
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => {
    aborted.reject(signal.reason);
    opening.then((socket) => socket.close(), () => {});
  };
  signal.addEventListener("abort", abort);
  try {
    const socket = await Promise.race([opening, aborted.promise]);
    if ("setNoDelay" in socket) socket.setNoDelay(true);
    return socket;
  } catch (error) {
    if (signal.aborted) throw error;
    throw new UnsentError(messageOf(error), { cause: error });
  } finally {
    signal.removeEventListener("abort", abort);
  }

  async function openTls(): Promise<Deno.TlsConn> {
    const socket = await Deno.connectTls({ hostname, port, alpnProtocols: ["http/1.1"] });
    try {
      await socket.handshake();
    } catch (error) {
      socket.close();
      throw error;
    }
    return socket;
  }
}

/** Writes a request's head (RFC 9112, sections 3 and 5). */
function write({ host }: Origin, target: string, { method, headers, body, signal }: UpstreamRequest): SentRequest {
  let head = `${method} ${target.replace(NOT_PLAIN, percentEncoded)} HTTP/1.1\r\nhost: ${host}\r\n`;
  let isMeasured = false;
  for (const [name, value] of headers) {
    if (BREAKING.test(value)) throw new TypeError(`The header ${name} has a line break.`);
    if (name === "content-length") isMeasured = true;
    head += `${name}: ${value}\r\n`;
  }
  const isChunked = body instanceof ReadableStream && !isMeasured;
  if (isChunked) head += "transfer-encoding: chunked\r\n";
  else if (body instanceof Uint8Array && !isMeasured) head += `content-length: ${body.length}\r\n`;
  return { method, head: `${head}\r\n`, body, isChunked, signal };
}

/** What can't stand in a request target as it is, such as a space or `#`. */
const NOT_PLAIN = /[^\x21\x22\x24-\x7e]+/g;

function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** What would end a field (RFC 9110, section 5.5). */
const BREAKING = /[\r\n\0]/;
