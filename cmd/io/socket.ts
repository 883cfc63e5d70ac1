/**
 * Breaks and measures the connection of one request, for which `Deno.serve` has no function. Of the sockets of this
 * process, finds the one whose two addresses are those of the connection, and breaks it by functions of the C
 * library. Works on Linux only; elsewhere, connections aren't broken.
 *
 * @module
 */
import { sleep } from "./sleep.ts";

/** The addresses of the two ends of a connection. */
export interface ConnectionEnds {
  /** The client's address. */
  readonly client: { readonly hostname: string; readonly port: number };
  /** The server's port; absent if it isn't known. */
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
/**
 * The TCP state `TCP_CLOSE`, which a socket has after its connection was reset. The functions below call such a socket
 * dead.
 */
const CLOSED = 7;

/** The lowest file descriptor that may be a socket; lower ones are the standard streams. */
const FIRST = 3;
/**
 * The search ends after this many descriptors in a row that aren't open. The kernel assigns the lowest free descriptor,
 * so higher ones are unlikely.
 */
const GAP = 4_096;
/** Milliseconds within which Deno usually notices that a connection has ended. */
const SETTLING = 5;
/** The number of checks whether Deno has closed a socket after its connection was reset. */
const MOST_ATTEMPTS = 40;
/** The number of sockets that are remembered as not opened by Deno, such as inherited ones. */
const MOST_FOREIGN = 1_000;

/**
 * The offset of `tcpi_bytes_received` in `TCP_INFO`, since Linux 4.1. Both processors that have a C library here store
 * the lower byte first.
 */
const BYTES_RECEIVED = 128;

/**
 * The size of a buffer for socket addresses of all families, in bytes. The beginning of `TCP_INFO` is written to it as
 * well.
 */
const ADDRESS_BYTES = BYTES_RECEIVED + 8;

/** The paths of the C library on Linux. The standalone executable is allowed to load only these files. */
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
  /** The kernel's id of the socket (`SO_COOKIE`). Unlike a descriptor, it is never reused. */
  readonly cookie: bigint;
}

/** Breaks connections of this process. */
export interface ConnectionBreaker {
  /**
   * Resets a connection (RST), or closes it (FIN).
   *
   * @param isGone Tells whether the client has disconnected. If so, a connection with these addresses may be another
   * one.
   * @returns Whether the connection was broken. `false` if this process has no connection with these addresses, or
   * several.
   */
  breakConnection(ends: ConnectionEnds, how: "reset" | "empty", isGone: () => boolean): Promise<boolean>;
  /** Finds an open connection; `undefined` if this process has none with these addresses, or several. */
  find(ends: ConnectionEnds): OpenConnection | undefined;
}

/** A connection of this process. */
export interface OpenConnection {
  /** The bytes that the connection has received, as the kernel counts them; `undefined` if it is closed. */
  received(): number | undefined;
  /** Resets the connection (RST). */
  reset(): void;
}

/** Makes an object that breaks connections; `undefined` if the system isn't Linux, or the C library can't be loaded. */
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
      // Try the next path.
    }
  }
  return undefined;
}

class SocketBreaker implements ConnectionBreaker {
  readonly #library: Library;
  readonly #address = new Uint8Array(ADDRESS_BYTES);
  readonly #length = new Uint32Array(1);
  /** The cookies of sockets whose connections were reset, and that Deno never closes, since it didn't open them. */
  readonly #foreign = new Set<bigint>();

  constructor(library: Library) {
    this.#library = library;
  }

  async breakConnection(ends: ConnectionEnds, how: "reset" | "empty", isGone: () => boolean): Promise<boolean> {
    if (isGone()) return false;
    const { found, dead } = this.#search(ends);
    if (found === undefined) return false;
    // After a client has reset its connection, it may use the same port for a new connection, which must not be broken.
    // If the reset came before the search, the old connection's socket is dead: wait until Deno has closed it and
    // aborted the request, so that `isGone` is true. If the reset comes after the search, the new connection has another
    // cookie than the one found.
    await this.#untilClosed(dead);
    await sleep(SETTLING);
    await sleep(SETTLING);
    if (isGone() || this.#cookieOf(found.descriptor) !== found.cookie || !this.#hasEnds(found.descriptor, ends)) {
      return false;
    }
    // No `await` follows these checks, and only this thread closes descriptors. So the descriptor still belongs to the
    // same socket.
    return how === "reset" ? this.#reset(found.descriptor) : this.#close(found.descriptor);
  }

  find(ends: ConnectionEnds): OpenConnection | undefined {
    const { found } = this.#search(ends);
    if (found === undefined) return undefined;
    const { descriptor, cookie } = found;
    // Deno closes the socket in this thread only, so that it stays the same between these checks and what follows.
    const isSame = (): boolean => this.#cookieOf(descriptor) === cookie;
    return {
      received: () => isSame() ? this.#receivedBy(descriptor) : undefined,
      reset: () => void (isSame() && this.#reset(descriptor)),
    };
  }

  #receivedBy(descriptor: number): number | undefined {
    this.#length[0] = ADDRESS_BYTES;
    const result = this.#library.getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, this.#address, this.#length);
    if (result !== 0 || (this.#length[0] ?? 0) < BYTES_RECEIVED + 8) return undefined;
    return Number(new DataView(this.#address.buffer).getBigUint64(BYTES_RECEIVED, true));
  }

  /** Resets a connection: on Linux, `connect` with the family `AF_UNSPEC` sends an RST at once (`tcp_disconnect`). */
  #reset(descriptor: number): boolean {
    return this.#library.connect(descriptor, new Uint8Array(16), 16) === 0;
  }

  #close(descriptor: number): boolean {
    return this.#library.shutdown(descriptor, SHUT_RDWR) === 0;
  }

  /**
   * Finds the socket with these addresses (`undefined` if there are none or several), and all sockets whose connections
   * were reset.
   */
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

  /**
   * Waits until Deno has closed sockets whose connections were reset. Remembers sockets that stay open as not opened by
   * Deno.
   */
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

function portIn(address: Uint8Array): number {
  return ((address[2] ?? 0) << 8) | (address[3] ?? 0);
}

/**
 * The IP address in a socket address (`sockaddr`), in the form of {@linkcode canonical}; `undefined` for other
 * families.
 */
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
 * The canonical form of an IP address. IPv6 addresses are written as in the URL Standard, without a zone. IPv4-mapped
 * IPv6 addresses (RFC 4291, section 2.5.5.2), which dual-stack sockets have, become IPv4 addresses.
 */
function canonical(hostname: string): string {
  if (!hostname.includes(":")) return hostname;
  const written = URL.parse(`http://[${hostname.replace(/%.*$/su, "")}]/`)?.hostname.slice(1, -1) ?? hostname;
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/u.exec(written) ?? [];
  if (high === undefined || low === undefined) return written;
  const bits = [parseInt(high, 16), parseInt(low, 16)];
  return bits.flatMap((part) => [part >> 8, part & 255]).join(".");
}
