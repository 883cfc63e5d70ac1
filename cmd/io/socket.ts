/**
 * Breaks the connection of one request: `Deno.serve` has no function for that. The socket is found among the process's
 * own by both of its addresses, and closed by functions of the C library (Linux; elsewhere nothing is broken).
 *
 * @module
 */

/** The ends of a connection, as far as they are known. */
export interface ConnectionEnds {
  /** The client's address. */
  readonly client: { readonly hostname: string; readonly port: number };
  /** The server's port. */
  readonly port: number;
}

const AF_INET = 2;
const AF_INET6 = 10;
const SHUT_RDWR = 2;
const SOL_SOCKET = 1;
const SO_COOKIE = 57;
const F_GETFD = 1;

/** The first descriptor that may be a connection: those before are the standard streams. */
const FIRST = 3;
/** The number of descriptors in a row that aren't open after which the search ends. The kernel gives the lowest. */
const GAP = 4_096;
/** The milliseconds between finding a socket and breaking it. */
const SETTLING = 10;

/** Bytes of a socket address with room for all families. */
const ADDRESS_BYTES = 128;

/** Where the C library is, with and without the permission for some paths only. */
const LIBRARIES = [
  "/lib/x86_64-linux-gnu/libc.so.6",
  "/lib/aarch64-linux-gnu/libc.so.6",
  "/lib64/libc.so.6",
  "/usr/lib/libc.so.6",
];

const SYMBOLS = {
  getpeername: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  getsockname: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  getsockopt: { parameters: ["i32", "i32", "i32", "buffer", "buffer"], result: "i32" },
  connect: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  shutdown: { parameters: ["i32", "i32"], result: "i32" },
  fcntl: { parameters: ["i32", "i32"], result: "i32" },
} as const;

type Library = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

/** A socket of this process. */
interface Socket {
  readonly descriptor: number;
  /** The kernel's number of the socket, which no other socket ever gets. */
  readonly cookie: bigint;
}

/** Breaks connections. */
export interface ConnectionBreaker {
  /**
   * Resets a connection (RST), or closes it (FIN).
   *
   * @param isGone Whether the client has disconnected in the meantime: then its port may belong to another connection.
   * @returns Whether the connection is broken. `false` if there isn't exactly one with these ends.
   */
  breakConnection(ends: ConnectionEnds, how: "reset" | "empty", isGone: () => boolean): Promise<boolean>;
}

/** Makes a breaker of connections; `undefined` on other systems than Linux, and without the permission to call C. */
export function createConnectionBreaker(): ConnectionBreaker | undefined {
  const library = loadLibrary();
  return library && new SocketBreaker(library);
}

function loadLibrary(): Library | undefined {
  if (Deno.build.os !== "linux") return undefined;
  for (const path of LIBRARIES) {
    try {
      return Deno.dlopen(path, SYMBOLS).symbols;
    } catch {
      // Another path may have it.
    }
  }
  return undefined;
}

class SocketBreaker implements ConnectionBreaker {
  readonly #library: Library;
  readonly #address = new Uint8Array(ADDRESS_BYTES);
  readonly #length = new Uint32Array(1);

  constructor(library: Library) {
    this.#library = library;
  }

  async breakConnection(ends: ConnectionEnds, how: "reset" | "empty", isGone: () => boolean): Promise<boolean> {
    if (isGone()) return false;
    const socket = this.#find(ends);
    if (socket === undefined) return false;
    // A client that resets its connection may use its port for another one at once. The runtime learns of both in one
    // turn of its event loop. So wait for the news of the first, and compare the cookie, which no other socket has.
    await new Promise((resolve) => setTimeout(resolve, SETTLING));
    if (isGone() || this.#cookieOf(socket.descriptor) !== socket.cookie || !this.#hasEnds(socket.descriptor, ends)) {
      return false;
    }
    // No await since the comparison: only this thread closes the descriptor.
    return how === "reset" ? this.#reset(socket.descriptor) : this.#close(socket.descriptor);
  }

  /** `connect` with the family `AF_UNSPEC` ends a TCP connection at once, by an RST (Linux, `tcp_disconnect`). */
  #reset(descriptor: number): boolean {
    return this.#library.connect(descriptor, new Uint8Array(16), 16) === 0;
  }

  #close(descriptor: number): boolean {
    return this.#library.shutdown(descriptor, SHUT_RDWR) === 0;
  }

  /** The only socket with these ends; `undefined` if there are several or none. */
  #find(ends: ConnectionEnds): Socket | undefined {
    let found: number | undefined;
    for (let descriptor = FIRST, closed = 0; closed < GAP; descriptor++) {
      if (this.#library.fcntl(descriptor, F_GETFD) < 0) {
        closed++;
        continue;
      }
      closed = 0;
      if (!this.#hasEnds(descriptor, ends)) continue;
      if (found !== undefined) return undefined;
      found = descriptor;
    }
    const cookie = found === undefined ? undefined : this.#cookieOf(found);
    return found === undefined || cookie === undefined ? undefined : { descriptor: found, cookie };
  }

  #hasEnds(descriptor: number, { client, port }: ConnectionEnds): boolean {
    this.#length[0] = ADDRESS_BYTES;
    if (this.#library.getpeername(descriptor, this.#address, this.#length) !== 0) return false;
    if (portIn(this.#address) !== client.port || addressIn(this.#address) !== canonical(client.hostname)) return false;
    this.#length[0] = ADDRESS_BYTES;
    if (this.#library.getsockname(descriptor, this.#address, this.#length) !== 0) return false;
    return addressIn(this.#address) !== undefined && portIn(this.#address) === port;
  }

  #cookieOf(descriptor: number): bigint | undefined {
    const cookie = new BigUint64Array(1);
    this.#length[0] = cookie.byteLength;
    const result = this.#library.getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, cookie, this.#length);
    return result === 0 ? cookie[0] : undefined;
  }
}

/** The port in a socket address. */
function portIn(address: Uint8Array): number {
  return ((address[2] ?? 0) << 8) | (address[3] ?? 0);
}

/** The IP address in a socket address, in the form of {@linkcode canonical}; `undefined` for other families. */
function addressIn(address: Uint8Array): string | undefined {
  const [family] = new Uint16Array(address.slice(0, 2).buffer);
  if (family === AF_INET) return address.subarray(4, 8).join(".");
  if (family !== AF_INET6) return undefined;
  const groups = Array.from(
    { length: 8 },
    (_, index) => (((address[8 + 2 * index] ?? 0) << 8) | (address[9 + 2 * index] ?? 0)).toString(16),
  );
  return canonical(groups.join(":"));
}

/**
 * One spelling of an IP address: IPv6 as the URL Standard writes it, without a zone; IPv4 also for IPv4 clients of an
 * IPv6 socket (RFC 4291, section 2.5.5.2).
 */
function canonical(hostname: string): string {
  if (!hostname.includes(":")) return hostname;
  const written = URL.parse(`http://[${hostname.replace(/%.*$/su, "")}]/`)?.hostname.slice(1, -1) ?? hostname;
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/u.exec(written) ?? [];
  if (high === undefined || low === undefined) return written;
  const bits = [parseInt(high, 16), parseInt(low, 16)];
  return bits.flatMap((part) => [part >> 8, part & 255]).join(".");
}
