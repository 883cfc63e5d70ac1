/** The range of a clock: years 1 to 9999, the range of RFC 3339, in milliseconds since the epoch. */
const FIRST = Date.parse("0001-01-01T00:00:00Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

export function isClockTime(time: number): boolean {
  return time >= FIRST && time <= LAST;
}

/**
 * The clock of a session: the server's time with an offset, or a fixed time. Times are in milliseconds since the epoch.
 */
export class Clock {
  readonly #source: () => number;
  #offset = 0;
  #stopped: number | undefined;

  /** @param source Returns the server's time. */
  constructor(source: () => number) {
    this.#source = source;
  }

  now(): number {
    return this.#stopped ?? this.#source() + this.#offset;
  }

  /** Milliseconds by which a running clock is ahead of the server's time. */
  get offset(): number {
    return this.#offset;
  }

  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** Sets the time. A running clock continues from there. */
  set(time: number): void {
    this.#offset = time - this.#source();
    if (this.#stopped !== undefined) this.#stopped = time;
  }

  /** Advances the time by some milliseconds; a negative number moves it back. */
  advance(milliseconds: number): void {
    this.set(this.now() + milliseconds);
  }

  stop(): void {
    this.#stopped = this.now();
  }

  /** Lets a stopped clock continue from its time. */
  start(): void {
    const time = this.now();
    this.#stopped = undefined;
    this.set(time);
  }

  /** Resets the clock to the server's time, and starts it. */
  reset(): void {
    this.#offset = 0;
    this.#stopped = undefined;
  }

  /** Copies the offset and the fixed time of another clock with the same source. */
  copy(other: Clock): void {
    this.#offset = other.#offset;
    this.#stopped = other.#stopped;
  }
}
