/** Limits of the items, snapshots and rules that sessions store. */
export interface StateLimits {
  /**
   * The most items of a session, in the collections that it has written to. Its snapshots may have as many again; an
   * item that several of them share counts once. Default: 250,000.
   */
  readonly items: number;
  /**
   * The most memory of a session's items in the collections that it has written to, as estimated, in bytes. Its
   * snapshots may need as much again. Default: 256 MiB.
   */
  readonly bytes: number;
  /**
   * The most items of all sessions and snapshots together. An item that sessions or snapshots share counts once.
   * Default: 1,000,000.
   */
  readonly allItems: number;
  /** The most memory of all sessions' items and snapshots together, as estimated, in bytes. Default: 512 MiB. */
  readonly allBytes: number;
  /** The most characters of an item's id, and of the ids of its parents. Default: 1,000. */
  readonly idLength: number;
  /** The most snapshots of a session. Default: 100. */
  readonly snapshots: number;
  /** The most snapshots of all sessions together. Default: 10,000. */
  readonly allSnapshots: number;
  /** The most rules that a session adds. Default: 1,000. */
  readonly rules: number;
  /** The most rules that all sessions add together. Default: 20,000. */
  readonly allRules: number;
  /** The most memory of the rules that all sessions add, as the bytes of their JSON. Default: 64 MiB. */
  readonly allRuleBytes: number;
}

/** The limits of the rules that sessions add. */
export type RuleLimits = Pick<StateLimits, "rules" | "allRules" | "allRuleBytes">;

const MiB = 1024 * 1024;

export const DEFAULT_LIMITS: StateLimits = {
  items: 250_000,
  bytes: 256 * MiB,
  allItems: 1_000_000,
  allBytes: 512 * MiB,
  idLength: 1_000,
  snapshots: 100,
  allSnapshots: 10_000,
  rules: 1_000,
  allRules: 20_000,
  allRuleBytes: 64 * MiB,
};

const LIMITS: Readonly<Record<keyof StateLimits, string>> = {
  items: "items of a session",
  bytes: "bytes of a session",
  allItems: "items of all sessions",
  allBytes: "bytes of all sessions",
  idLength: "characters of an id",
  snapshots: "snapshots of a session",
  allSnapshots: "snapshots of all sessions",
  rules: "rules of a session",
  allRules: "rules of all sessions",
  allRuleBytes: "bytes of the rules of all sessions",
};

/**
 * Thrown by a write that would exceed a limit of `StateLimits`; the write has changed nothing. Servers answer 507 with
 * the message.
 */
export class StateFullError extends Error {
  /** The name of the class. */
  override readonly name = "StateFullError";

  /**
   * Called by the store.
   *
   * @param limit The limit that would be exceeded.
   * @param most The value of the limit.
   */
  constructor(readonly limit: keyof StateLimits, readonly most: number) {
    super(
      `This is too much to store: the limit "${limit}" (${LIMITS[limit]}) is ${most}. ` +
        "Delete what isn't needed, reset sessions that are done, or raise the limit.",
    );
  }
}

/** Counts the items, bytes and snapshots of all sessions of a server, against its limits. */
export class StateBudget {
  readonly limits: StateLimits;
  #items = 0;
  #bytes = 0;
  #snapshots = 0;

  /** @param limits The limits that differ from the defaults. */
  constructor(limits: Partial<StateLimits> = {}) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
  }

  get used(): { readonly items: number; readonly bytes: number; readonly snapshots: number } {
    return { items: this.#items, bytes: this.#bytes, snapshots: this.#snapshots };
  }

  /**
   * Checks the limits for all sessions together.
   *
   * @throws {StateFullError} If these additional items or bytes would exceed a limit.
   */
  check(items: number, bytes: number): void {
    const { allItems, allBytes } = this.limits;
    if (items > 0 && this.#items + items > allItems) throw new StateFullError("allItems", allItems);
    if (bytes > 0 && this.#bytes + bytes > allBytes) throw new StateFullError("allBytes", allBytes);
  }

  /** Adds to the counts; negative values subtract. */
  add(items: number, bytes: number): void {
    this.#items += items;
    this.#bytes += bytes;
  }

  /**
   * Adds to the count of snapshots, and to the bytes that they need beside their items; negative values subtract.
   *
   * @throws {StateFullError} If a limit would be exceeded.
   */
  addSnapshots(count: number, bytes: number): void {
    const { allSnapshots } = this.limits;
    if (count > 0 && this.#snapshots + count > allSnapshots) throw new StateFullError("allSnapshots", allSnapshots);
    this.check(0, bytes);
    this.#snapshots += count;
    this.#bytes += bytes;
  }
}
