import { Duplex } from "node:stream";
import { connect } from "node:tls";
import type { Certificate } from "./kube_config.ts";

/** A way to a server that whoever is at its address is taken for. */
export interface UnverifiedTunnel {
  /** The path of a socket that takes what the server is to get, unencrypted. */
  readonly path: string;
  close(): void;
}

/** Where it leads. */
export interface UnverifiedTunnelOptions {
  hostname: string;
  port: number;
  /** The name that the server is asked for. Default: its address. */
  serverName?: string;
  /** What the client shows the server. */
  certificate?: Certificate;
}

/**
 * Opens a way to a server whose certificate isn't looked at, which `fetch` alone can't do: it begins at a socket in a
 * folder that only this user may look into, and TLS begins there.
 */
export function openUnverifiedTunnel(options: UnverifiedTunnelOptions): UnverifiedTunnel {
  const folder = Deno.makeTempDirSync({ prefix: "gw-" });
  const path = `${folder}/socket`;
  const listener = Deno.listen({ transport: "unix", path });
  const open = new Set<Disposable>();
  void accept();
  return {
    path,
    close() {
      listener.close();
      for (const connection of open) connection[Symbol.dispose]();
      Deno.removeSync(folder, { recursive: true });
    },
  };

  async function accept(): Promise<void> {
    for await (const client of listener) void lead(client);
  }

  async function lead(client: Deno.UnixConn): Promise<void> {
    const { hostname: host, port, serverName, certificate } = options;
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
    } catch {
      // Whoever asked learns it from the connection's end.
    } finally {
      connection[Symbol.dispose]();
    }
  }
}

function closeQuietly(connection: Deno.UnixConn): void {
  try {
    connection.close();
  } catch {
    // It is closed already.
  }
}
