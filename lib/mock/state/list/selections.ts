import type { Item } from "../item/item.ts";
import type { State } from "../store/store.ts";

/** The cached selections of one session. */
interface OfState {
  readonly revision: number;
  readonly selections: Map<string, WeakRef<readonly Item[]>>;
}

/** Limit of the cached selections of one session and operation. */
const MOST_SELECTIONS = 8;
/** Limit of the length of a key. Selections with a longer key aren't cached. */
const MOST_KEY = 1_000;

/**
 * Caches the selections of one list operation: the filtered and sorted items, of which each page is a part. A selection
 * is valid until the next write of its session.
 *
 * References are weak, so that the cache keeps no memory: neither of long selections, nor of deleted items.
 */
export class Selections {
  readonly #byState = new WeakMap<State, OfState>();

  /** The cached selection with a key; else the result of `select`, which is cached. */
  get(state: State, key: string, select: () => readonly Item[]): readonly Item[] {
    const { revision } = state;
    const known = this.#byState.get(state);
    const cached = known?.revision === revision ? known.selections.get(key)?.deref() : undefined;
    if (cached !== undefined) return cached;
    const selection = select();
    // workerd has no WeakRef with a compatibility date before May 2025.
    if (key.length > MOST_KEY || typeof WeakRef === "undefined") return selection;
    const isFull = known === undefined || known.revision !== revision || known.selections.size >= MOST_SELECTIONS;
    const current = isFull ? { revision, selections: new Map() } : known;
    current.selections.set(key, new WeakRef(selection));
    this.#byState.set(state, current);
    return selection;
  }
}
