/** The bounds of what sessions store. */
export interface StateLimits {
  /** Items that a session has changed, with those that it copied from the initial state. Default: 250,000. */
  readonly items: number;
  /** The memory of a session's items in bytes, as estimated. Default: 256 MiB. */
  readonly bytes: number;
  /** Items of all sessions and snapshots; an item that a fork or a snapshot shares counts once. Default: 1,000,000. */
  readonly allItems: number;
  /** The memory of the items of all sessions and snapshots in bytes. Default: 512 MiB. */
  readonly allBytes: number;
  /** Snapshots of a session. Default: 100. */
  readonly snapshots: number;
  /** Snapshots of all sessions. Default: 10,000. */
  readonly allSnapshots: number;
}

const MiB = 1024 * 1024;

/** The bounds where none are set. */
export const DEFAULT_LIMITS: StateLimits = {
  items: 250_000,
  bytes: 256 * MiB,
  allItems: 1_000_000,
  allBytes: 512 * MiB,
  snapshots: 100,
  allSnapshots: 10_000,
};

/** The words for each bound in messages. */
const BOUNDS: Readonly<Record<keyof StateLimits, string>> = {
  items: "items of a session",
  bytes: "bytes of a session",
  allItems: "items of all sessions",
  allBytes: "bytes of all sessions",
  snapshots: "snapshots of a session",
  allSnapshots: "snapshots of all sessions",
};

/** A write that would exceed a bound. Nothing was written. A server answers it with 507 and the message. */
export class StateFullError extends Error {
  /** The name of the class. */
  override readonly name = "StateFullError";

  /**
   * Called by the store.
   *
   * @param bound The bound that would be exceeded.
   * @param most Its value.
   */
  constructor(readonly bound: keyof StateLimits, readonly most: number) {
    super(
      `The state is full: the bound "${bound}" (${BOUNDS[bound]}) is ${most}. ` +
        "Delete items, reset sessions that are done, or raise the bound.",
    );
  }
}

/** Counts what all sessions and snapshots of a server store. */
export class StateBudget {
  readonly limits: StateLimits;
  #items = 0;
  #bytes = 0;
  #snapshots = 0;

  /** @param limits Bounds that differ from the default. */
  constructor(limits: Partial<StateLimits> = {}) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
  }

  /** What is stored now. */
  get used(): { readonly items: number; readonly bytes: number; readonly snapshots: number } {
    return { items: this.#items, bytes: this.#bytes, snapshots: this.#snapshots };
  }

  /** Throws {@linkcode StateFullError} if all sessions together may not store so much more. */
  check(items: number, bytes: number): void {
    const { allItems, allBytes } = this.limits;
    if (items > 0 && this.#items + items > allItems) throw new StateFullError("allItems", allItems);
    if (bytes > 0 && this.#bytes + bytes > allBytes) throw new StateFullError("allBytes", allBytes);
  }

  /** Counts what was stored, or with negative numbers what was freed. */
  add(items: number, bytes: number): void {
    this.#items += items;
    this.#bytes += bytes;
  }

  /** Counts a snapshot. Throws {@linkcode StateFullError} if there may be no more. */
  addSnapshot(): void {
    const { allSnapshots } = this.limits;
    if (this.#snapshots >= allSnapshots) throw new StateFullError("allSnapshots", allSnapshots);
    this.#snapshots++;
  }

  /** Counts a snapshot that was dropped. */
  removeSnapshot(): void {
    this.#snapshots--;
  }
}
