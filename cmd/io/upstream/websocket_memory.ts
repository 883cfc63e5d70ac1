/**
 * Limits the memory of WebSocket messages. A message is in memory until it is complete, and so is what the other side
 * doesn't read. The WebSocket API tells neither, so the bytes that a connection has received are compared with those of
 * its messages, several times a second.
 *
 * @module
 */

/** The most bytes of a message, in either direction. A larger one ends the connection. */
export const MOST_MESSAGE = 64 * 1024 * 1024;

/** The most bytes of incomplete and unread messages of all WebSockets. Beyond it, the largest connections end. */
export const MOST_MESSAGES = 128 * 1024 * 1024;

/** Milliseconds between two looks at the connections. */
const INTERVAL = 50;

/** A connection whose messages are measured. */
export interface MeteredConnection {
  /** All bytes that the connection has received; `undefined` if that isn't known. */
  received(): number | undefined;
  /** The bytes that wait to be sent. */
  waiting(): number;
  /** Ends the connection at once. */
  abort(): void;
}

export interface Meter {
  /** Call this when a message is complete. */
  readonly onMessage: () => void;
  /** Call this when the connection has ended. */
  readonly stop: () => void;
}

interface Metered {
  readonly connection: MeteredConnection;
  /** The bytes received when the latest message was complete. */
  before: number;
}

/** Limits the memory of the messages of some connections. */
export class MessageMemory {
  readonly #most: { readonly message: number; readonly all: number };
  readonly #connections = new Set<Metered>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(most = { message: MOST_MESSAGE, all: MOST_MESSAGES }) {
    this.#most = most;
  }

  add(connection: MeteredConnection): Meter {
    const metered: Metered = { connection, before: connection.received() ?? 0 };
    this.#connections.add(metered);
    this.#timer ??= setInterval(() => this.look(), INTERVAL);
    return {
      onMessage: () => void (metered.before = connection.received() ?? 0),
      stop: () => {
        this.#connections.delete(metered);
        if (this.#connections.size > 0) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    };
  }

  /** Ends the connections that take too much. Called several times a second. */
  look(): void {
    let sum = 0;
    const sizes: { readonly metered: Metered; readonly bytes: number }[] = [];
    for (const metered of this.#connections) {
      const { connection, before } = metered;
      const incomplete = (connection.received() ?? before) - before;
      if (incomplete > this.#most.message) {
        this.#end(metered);
        continue;
      }
      const bytes = incomplete + connection.waiting();
      sum += bytes;
      sizes.push({ metered, bytes });
    }
    if (sum <= this.#most.all) return;
    for (const { metered, bytes } of sizes.toSorted((a, b) => b.bytes - a.bytes)) {
      this.#end(metered);
      if ((sum -= bytes) <= this.#most.all) return;
    }
  }

  #end(metered: Metered): void {
    this.#connections.delete(metered);
    metered.connection.abort();
  }
}

/** The memory of all WebSockets of this process. */
export const MESSAGES = new MessageMemory();
