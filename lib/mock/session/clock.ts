/** The times that a clock can have, in milliseconds from 1970: years 1 to 9999, as RFC 3339 writes them. */
const FIRST = Date.parse("0001-01-01T00:00:00Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/** Whether a clock can have a time: one of the years 1 to 9999. */
export function isClockTime(time: number): boolean {
  return time >= FIRST && time <= LAST;
}

/** The clock of a session: the server's time, shifted or stopped. Times are in milliseconds since 1970. */
export class Clock {
  readonly #source: () => number;
  #offset = 0;
  #stopped: number | undefined;

  /** @param source The server's time. */
  constructor(source: () => number) {
    this.#source = source;
  }

  /** The time of the session. */
  now(): number {
    return this.#stopped ?? this.#source() + this.#offset;
  }

  /** Milliseconds by which a running clock is ahead of the server's time. */
  get offset(): number {
    return this.#offset;
  }

  /** Whether the clock stands still. */
  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** Sets the time. The clock goes on from there, unless it is stopped. */
  set(time: number): void {
    this.#offset = time - this.#source();
    if (this.#stopped !== undefined) this.#stopped = time;
  }

  /** Moves the time on by some milliseconds, or back by negative ones. */
  advance(milliseconds: number): void {
    this.set(this.now() + milliseconds);
  }

  /** Stops the clock at its time. */
  stop(): void {
    this.#stopped = this.now();
  }

  /** Lets a stopped clock go on from its time. */
  start(): void {
    const time = this.now();
    this.#stopped = undefined;
    this.set(time);
  }

  /** Takes the clock back to the server's time. */
  reset(): void {
    this.#offset = 0;
    this.#stopped = undefined;
  }

  /** Sets the time of another clock with the same source, and stops or starts this one like it. */
  copy(other: Clock): void {
    this.#offset = other.#offset;
    this.#stopped = other.#stopped;
  }
}
