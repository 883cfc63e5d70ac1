import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { timerOf } from "./timer.ts";

/** One end of a connection in memory. It reads the bytes that are written to the other end. */
class MemorySocket extends Duplex {
  readonly encrypted?: true;
  other: MemorySocket | undefined;
  /** The milliseconds without transfer after which the event `timeout` occurs; 0 if it doesn't. */
  timeout = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #resume: ((error?: Error) => void) | undefined;

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
    this.#restartTimer();
    if (this.other === undefined) this.destroy(connectionReset());
    else this.other.receive(chunk, done);
  }

  override _final(done: () => void): void {
    if (this.other === undefined) done();
    else this.other.receiveEnd(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { other } = this;
    this.other = undefined;
    clearTimeout(this.#timer);
    done(error);
    this.#resume?.(connectionReset());
    if (other === undefined || other.destroyed) return;
    other.other = undefined;
    // As with TCP, the other end can still read what was sent before the end of a connection, but not before a reset.
    if (error !== null) other.destroy(connectionReset());
    else if (other.readableEnded) other.destroy();
    else other.push(null);
  }

  receive(chunk: Uint8Array, done: (error?: Error) => void): void {
    this.#restartTimer();
    if (this.push(chunk)) done();
    else this.#resume = done;
  }

  receiveEnd(done: () => void): void {
    this.#restartTimer();
    this.push(null);
    done();
  }

  // Methods of `net.Socket` that HTTP clients call.

  /** @param listener Called once at the next timeout; with 0 milliseconds, no longer called. */
  setTimeout(milliseconds: number, listener?: () => void): this {
    this.timeout = milliseconds;
    this.#restartTimer();
    if (listener === undefined) return this;
    return milliseconds === 0 ? this.off("timeout", listener) : this.once("timeout", listener);
  }

  #restartTimer(): void {
    clearTimeout(this.#timer);
    if (this.timeout > 0 && !this.destroyed) {
      this.#timer = setTimeout(() => this.emit("timeout"), timerOf(this.timeout));
    }
  }

  // The rest does nothing, since a connection in memory has no delays.
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
    this.other?.destroy(connectionReset());
    this.destroy();
  }
}

function connectionReset(): Error {
  return Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
}

/**
 * Makes a connection in memory, and returns its two ends.
 *
 * @param isEncrypted Whether the ends look like those of a TLS connection (`encrypted`).
 */
export function createSocketPair(isEncrypted: boolean): [client: Socket, server: Duplex] {
  const [client, server] = [new MemorySocket(isEncrypted), new MemorySocket(isEncrypted)];
  client.other = server;
  server.other = client;
  // The type of sockets demands more than `node:http` needs: it accepts any duplex stream, as its documentation says.
  return [client as Duplex as Socket, server];
}
