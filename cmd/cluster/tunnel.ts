/** A way to a server under another name than its address has. */
export interface Tunnel {
  /** The URL of the proxy that leads there, whatever it is asked for. */
  readonly url: string;
  close(): void;
}

/** Most bytes of what a client says before its bytes go through. */
const MOST_HEAD = 8 * 1024;

const ESTABLISHED = new TextEncoder().encode("HTTP/1.1 200 Connection established\r\n\r\n");

/**
 * Makes a proxy (`CONNECT`, RFC 9110, section 9.3.6) that leads to one server only. `fetch` asks for and checks the name
 * in the URL when it begins TLS; through a tunnel that name needs no address. TLS goes from end to end: the tunnel sees
 * encrypted bytes.
 */
export function openTunnel(to: { hostname: string; port: number }): Tunnel {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  void accept();
  return {
    url: `http://127.0.0.1:${listener.addr.port}`,
    close() {
      listener.close();
      for (const connection of open) closeQuietly(connection);
    },
  };

  async function accept(): Promise<void> {
    for await (const client of listener) {
      // Whoever is refused tries again.
      lead(client).catch(() => {}).finally(() => end(client));
    }
  }

  async function lead(client: Deno.Conn): Promise<void> {
    open.add(client);
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
      end(server);
    }
  }

  function end(connection: Deno.Conn): void {
    open.delete(connection);
    closeQuietly(connection);
  }
}

/** Reads to the end of the request; nothing follows it before the answer. */
async function readHead(client: Deno.Conn): Promise<void> {
  const decoder = new TextDecoder();
  const bytes = new Uint8Array(1024);
  for (let head = ""; !head.includes("\r\n\r\n");) {
    const count = await client.read(bytes);
    if (count === null || head.length > MOST_HEAD) throw new Error("No request to be led on.");
    head += decoder.decode(bytes.subarray(0, count), { stream: true });
  }
}

function closeQuietly(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It is closed already.
  }
}
