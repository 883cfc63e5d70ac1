/**
 * Tunnels to an API server, for kubeconfigs that ask for what `fetch` alone can't do:
 *
 * ```text
 * tls-server-name           fetch -> CONNECT proxy on loopback -> server   TLS from end to end
 * insecure-skip-tls-verify  fetch -> Unix socket -> TLS -> server          TLS from the tunnel on
 * ```
 *
 * @module
 */
import { Duplex } from "node:stream";
import { connect } from "node:tls";
import type { Certificate } from "./kube_config.ts";

/** A tunnel for `tls-server-name`, which asks for another host name in TLS than that of the server's address. */
export interface Tunnel {
  /** The URL of a proxy that connects to the server, whichever host name a request has. */
  readonly url: string;
  close(): void;
}

/** A tunnel to a server whose certificate isn't verified (`insecure-skip-tls-verify`). */
export interface UnverifiedTunnel {
  /** The path of a Unix socket that accepts requests without TLS. */
  readonly path: string;
  close(): void;
}

/** The address of the server that a tunnel connects to. */
export interface TunnelTarget {
  readonly hostname: string;
  readonly port: number;
}

/** Options of {@linkcode openUnverifiedTunnel}. */
export interface UnverifiedTunnelOptions extends TunnelTarget {
  /** The server name in the TLS handshake. Default: the host of the address. */
  serverName?: string;
  /** The client certificate. */
  certificate?: Certificate;
}

/** The most bytes of the head of a `CONNECT` request. */
const MOST_HEAD = 8 * 1024;

const ESTABLISHED = new TextEncoder().encode("HTTP/1.1 200 Connection established\r\n\r\n");

/**
 * Opens a proxy (`CONNECT`; RFC 9110, section 9.3.6) that connects to one server only.
 *
 * `fetch` sends the host name of a URL in the TLS handshake, and verifies the certificate for it. Since the proxy
 * always connects to its server, the URL may have any host name, even one that DNS doesn't have. TLS goes from end to
 * end, so the proxy sees only encrypted bytes.
 */
export function openTunnel(to: TunnelTarget): Tunnel {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  void acceptAll(listener, (client) => connectTo(to, client, open));
  return {
    url: `http://127.0.0.1:${listener.addr.port}`,
    close() {
      listener.close();
      for (const connection of open) closeQuietly(connection);
    },
  };
}

/**
 * Opens a tunnel to a server whose certificate isn't verified. Clients connect without TLS to a Unix socket, in a
 * folder that only this user may open. The tunnel connects to the server by TLS.
 */
export function openUnverifiedTunnel(options: UnverifiedTunnelOptions): UnverifiedTunnel {
  const folder = Deno.makeTempDirSync({ prefix: "gw-" });
  const path = `${folder}/socket`;
  const listener = Deno.listen({ transport: "unix", path });
  const open = new Set<Disposable>();
  void acceptAll(listener, (client) => connectUnverified(options, client, open));
  return {
    path,
    close() {
      listener.close();
      for (const connection of open) connection[Symbol.dispose]();
      Deno.removeSync(folder, { recursive: true });
    },
  };
}

async function acceptAll<Connection extends Deno.Conn>(
  listener: AsyncIterable<Connection>,
  serve: (client: Connection) => Promise<void>,
): Promise<void> {
  for await (const client of listener) {
    // The connection is closed after a failure, too, since `fetch` notices the failure only by that.
    serve(client).catch(() => {}).finally(() => closeQuietly(client));
  }
}

async function connectTo(to: TunnelTarget, client: Deno.Conn, open: Set<Deno.Conn>): Promise<void> {
  open.add(client);
  try {
    await readHead(client);
    const server = await Deno.connect(to);
    open.add(server);
    try {
      await client.write(ESTABLISHED);
      await Promise.race([
        client.readable.pipeTo(server.writable),
        server.readable.pipeTo(client.writable),
      ]);
    } finally {
      open.delete(server);
      closeQuietly(server);
    }
  } finally {
    open.delete(client);
  }
}

async function connectUnverified(
  { hostname: host, port, serverName, certificate }: UnverifiedTunnelOptions,
  client: Deno.Conn,
  open: Set<Disposable>,
): Promise<void> {
  const server = connect({
    host,
    port,
    rejectUnauthorized: false,
    ALPNProtocols: ["http/1.1"],
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...certificate,
  });
  const connection = {
    [Symbol.dispose]() {
      open.delete(connection);
      server.destroy();
      closeQuietly(client);
    },
  };
  open.add(connection);
  server.on("error", () => connection[Symbol.dispose]());
  const { readable, writable } = Duplex.toWeb(server);
  try {
    await Promise.race([client.readable.pipeTo(writable), readable.pipeTo(client.writable)]);
  } finally {
    connection[Symbol.dispose]();
  }
}

/** Reads the head of the client's request to its end. The client sends nothing more before the response. */
async function readHead(client: Deno.Conn): Promise<void> {
  const decoder = new TextDecoder();
  const bytes = new Uint8Array(1024);
  for (let head = ""; !head.includes("\r\n\r\n");) {
    const count = await client.read(bytes);
    if (count === null || head.length > MOST_HEAD) throw new Error("No request for a tunnel.");
    head += decoder.decode(bytes.subarray(0, count), { stream: true });
  }
}

function closeQuietly(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // The connection is closed already.
  }
}
