import { NO_USAGE, type Usage } from "../state/store/account.ts";
import type { Collection } from "../state/store/collection.ts";
import { StateFullError, type StateLimits } from "../state/store/limits.ts";
import { collectionsOf, type Snapshot } from "../state/store/own_items.ts";

/**
 * Counts the items and the memory of a session's snapshots. A collection that several of them share counts once. Its
 * size doesn't change meanwhile, as a write copies it (copy on write).
 */
export class SnapshotUsage {
  readonly #limits: Pick<StateLimits, "items" | "bytes">;
  /** The number of snapshots that share each collection. */
  readonly #shares = new Map<Collection, number>();
  #used: Usage = NO_USAGE;

  constructor(limits: Pick<StateLimits, "items" | "bytes">) {
    this.#limits = limits;
  }

  /**
   * Counts a snapshot, and no longer the one that it replaces.
   *
   * @throws {StateFullError} If the snapshots would exceed a limit; nothing has changed.
   */
  replace(old: Snapshot | undefined, snapshot: Snapshot): void {
    this.#count(snapshot, 1);
    if (old !== undefined) this.#count(old, -1);
    const { items, bytes } = this.#limits;
    const exceeded = this.#used.items > items ? "items" : this.#used.bytes > bytes ? "bytes" : undefined;
    if (exceeded === undefined) return;
    if (old !== undefined) this.#count(old, 1);
    this.#count(snapshot, -1);
    throw new StateFullError(exceeded, this.#limits[exceeded]);
  }

  /** Counts a snapshot no longer. */
  remove(snapshot: Snapshot): void {
    this.#count(snapshot, -1);
  }

  #count({ own, overhead }: Snapshot, change: 1 | -1): void {
    let { items, bytes } = this.#used;
    bytes += change * overhead;
    for (const collection of [...own.values()].flatMap(collectionsOf)) {
      const before = this.#shares.get(collection) ?? 0;
      const after = before + change;
      if (after === 0) this.#shares.delete(collection);
      else this.#shares.set(collection, after);
      if (before > 0 && after > 0) continue;
      items += change * collection.size;
      bytes += change * collection.bytes;
    }
    this.#used = { items, bytes };
  }
}
