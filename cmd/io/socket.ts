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
  /** The server's port; absent where it isn't known. */
  readonly port: number | undefined;
}

const AF_INET = 2;
const AF_INET6 = 10;
const SHUT_RDWR = 2;
const SOL_SOCKET = 1;
const SO_COOKIE = 57;
const F_GETFD = 1;
const IPPROTO_TCP = 6;
const TCP_INFO = 11;
/** The state of a TCP socket without a connection (`TCP_CLOSE`): its connection was reset. */
const CLOSED = 7;

/** The first descriptor that may be a connection: those before are the standard streams. */
const FIRST = 3;
/** The number of descriptors in a row that aren't open after which the search ends. The kernel gives the lowest. */
const GAP = 4_096;
/** The milliseconds in which the runtime learns of the end of a connection. */
const SETTLING = 5;
/** The most times that a dead socket is waited for. */
const MOST_ATTEMPTS = 40;
/** The most dead sockets that are remembered as not the runtime's, such as those that the process has inherited. */
const MOST_FOREIGN = 1_000;

/** Bytes of a socket address with room for all families. `TCP_INFO` writes its first bytes there too. */
const ADDRESS_BYTES = 128;

/** The paths of the C library on Linux. The executable may call these files only. */
export const C_LIBRARIES: readonly string[] = [
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
  for (const path of C_LIBRARIES) {
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
  /** Cookies of dead sockets that nobody closes. */
  readonly #foreign = new Set<bigint>();

  constructor(library: Library) {
    this.#library = library;
  }

  async breakConnection(ends: ConnectionEnds, how: "reset" | "empty", isGone: () => boolean): Promise<boolean> {
    if (isGone()) return false;
    const { found, dead } = this.#search(ends);
    if (found === undefined) return false;
    // A client that resets its connection may use its port for another one at once. If the connection of this request
    // was reset before the search, its socket is among the dead ones: then wait until the runtime has closed it, and has
    // told the request. If it is reset after the search, the cookie that was found isn't that of the other connection.
    await this.#untilClosed(dead);
    await sleep(SETTLING);
    await sleep(SETTLING);
    if (isGone() || this.#cookieOf(found.descriptor) !== found.cookie || !this.#hasEnds(found.descriptor, ends)) {
      return false;
    }
    // No await since the comparison: only this thread closes the descriptor.
    return how === "reset" ? this.#reset(found.descriptor) : this.#close(found.descriptor);
  }

  /** `connect` with the family `AF_UNSPEC` ends a TCP connection at once, by an RST (Linux, `tcp_disconnect`). */
  #reset(descriptor: number): boolean {
    return this.#library.connect(descriptor, new Uint8Array(16), 16) === 0;
  }

  #close(descriptor: number): boolean {
    return this.#library.shutdown(descriptor, SHUT_RDWR) === 0;
  }

  /** Finds the only socket with these ends (`undefined` if there are several or none), and all dead sockets. */
  #search(ends: ConnectionEnds): { found: Socket | undefined; dead: readonly Socket[] } {
    const found: Socket[] = [];
    const dead: Socket[] = [];
    for (let descriptor = FIRST, closed = 0; closed < GAP; descriptor++) {
      if (this.#library.fcntl(descriptor, F_GETFD) < 0) {
        closed++;
        continue;
      }
      closed = 0;
      const list = this.#isDead(descriptor) ? dead : this.#hasEnds(descriptor, ends) ? found : undefined;
      const cookie = list && this.#cookieOf(descriptor);
      if (cookie !== undefined) list?.push({ descriptor, cookie });
    }
    return {
      found: found.length === 1 ? found[0] : undefined,
      dead: dead.filter(({ cookie }) => !this.#foreign.has(cookie)),
    };
  }

  /** Waits until the runtime has closed dead sockets. Those that stay open aren't the runtime's. */
  async #untilClosed(dead: readonly Socket[]): Promise<void> {
    let left = dead;
    for (let attempt = 0; left.length > 0 && attempt < MOST_ATTEMPTS; attempt++) {
      await sleep(SETTLING);
      left = left.filter(({ descriptor, cookie }) => this.#isDead(descriptor) && this.#cookieOf(descriptor) === cookie);
    }
    if (this.#foreign.size > MOST_FOREIGN) this.#foreign.clear();
    for (const { cookie } of left) this.#foreign.add(cookie);
  }

  #hasEnds(descriptor: number, { client, port }: ConnectionEnds): boolean {
    this.#length[0] = ADDRESS_BYTES;
    if (this.#library.getpeername(descriptor, this.#address, this.#length) !== 0) return false;
    if (portIn(this.#address) !== client.port || addressIn(this.#address) !== canonical(client.hostname)) return false;
    this.#length[0] = ADDRESS_BYTES;
    if (this.#library.getsockname(descriptor, this.#address, this.#length) !== 0) return false;
    return addressIn(this.#address) !== undefined && (port === undefined || portIn(this.#address) === port);
  }

  #isDead(descriptor: number): boolean {
    this.#length[0] = ADDRESS_BYTES;
    const result = this.#library.getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, this.#address, this.#length);
    return result === 0 && this.#address[0] === CLOSED;
  }

  #cookieOf(descriptor: number): bigint | undefined {
    const cookie = new BigUint64Array(1);
    this.#length[0] = cookie.byteLength;
    const result = this.#library.getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, cookie, this.#length);
    return result === 0 ? cookie[0] : undefined;
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
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
