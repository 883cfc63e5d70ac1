import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/** One of the two ends of a connection in memory. Each end reads the bytes that are written to the other. */
class MemorySocket extends Duplex {
  readonly encrypted?: true;
  other: MemorySocket | undefined;
  #resume: (() => void) | undefined;

  constructor(isEncrypted: boolean) {
    super();
    if (isEncrypted) this.encrypted = true;
  }

  override _read(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    if (this.other === undefined) this.destroy(connectionReset());
    else this.other.receive(chunk, done);
  }

  override _final(done: () => void): void {
    if (this.other === undefined) done();
    else this.other.receive(null, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { other } = this;
    this.other = undefined;
    done(error);
    // A connection that ends without its response is one that was reset.
    if (other !== undefined && !other.destroyed) other.destroy(other.readableEnded ? undefined : connectionReset());
  }

  receive(chunk: Uint8Array | null, done: () => void): void {
    if (this.push(chunk)) done();
    else this.#resume = done;
  }

  // A method of sockets that HTTP clients call. It does nothing, since connections in memory have no delays.
  setTimeout(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  destroySoon(): void {
    if (this.writableFinished) this.destroy();
    else this.end(() => this.destroy());
  }
  resetAndDestroy(): void {
    this.destroy();
  }
}

function connectionReset(): Error {
  return Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
}

/**
 * Makes a connection in memory: the client's end and the server's.
 *
 * @param isEncrypted Whether the ends are as those of TLS.
 */
export function createSocketPair(isEncrypted: boolean): [client: Socket, server: Duplex] {
  const [client, server] = [new MemorySocket(isEncrypted), new MemorySocket(isEncrypted)];
  client.other = server;
  server.other = client;
  // Node.js declares the full type of sockets; `node:http` documents that any duplex stream will do.
  return [client as Duplex as Socket, server];
}
