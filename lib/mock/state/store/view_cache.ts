import type { Collection } from "./collection.ts";
import { ItemView } from "./item_view.ts";

/**
 * Limit of the memory of all views of a server, without their items, in bytes. When it is exceeded, all but the latest
 * are dropped; each is made again at its next use.
 */
const MOST_BYTES = 128 * 1024 * 1024;

interface CachedView {
  readonly view: ItemView;
  /** The memory of the view when it was last counted. */
  bytes: number;
}

/** The views of the initial states and of the sessions of a server. */
export class ViewCache {
  readonly #most: number;
  #views = new WeakMap<object, Map<string, CachedView>>();
  #bytes = 0;
  #generation = 0;

  /** @param most The limit of the memory of all views, in bytes. */
  constructor(most = MOST_BYTES) {
    this.#most = most;
  }

  /** The cached view of a resource; `undefined` if there is none. */
  get(owner: object, resource: string): ItemView | undefined {
    return this.#views.get(owner)?.get(resource)?.view;
  }

  /**
   * The view of a resource. It is made at its first use.
   *
   * @param owner The state whose items the view has.
   * @param depth The length of the scopes.
   * @param collections Returns the collections of all scopes of this length.
   */
  viewOf(owner: object, resource: string, depth: number, collections: () => Iterable<Collection>): ItemView {
    const known = this.#views.get(owner)?.get(resource);
    if (known?.view.depth === depth) {
      this.#count(owner, resource, known);
      return known.view;
    }
    this.drop(owner, resource);
    const generation = this.#generation;
    const view = new ItemView(depth, collections());
    // If initial collections were dropped meanwhile, the cache must not keep their items in memory.
    if (generation === this.#generation) this.#count(owner, resource, { view, bytes: 0 });
    return view;
  }

  /** Drops the view of a resource. */
  drop(owner: object, resource: string): void {
    const views = this.#views.get(owner);
    const cached = views?.get(resource);
    if (cached === undefined) return;
    views?.delete(resource);
    this.#bytes -= cached.bytes;
  }

  /** Drops all views. */
  clear(): void {
    this.#views = new WeakMap();
    this.#bytes = 0;
    this.#generation++;
  }

  /** Stores a view, with its current memory. A view grows by indexes and items. */
  #count(owner: object, resource: string, cached: CachedView): void {
    const { bytes } = cached.view;
    if (bytes === cached.bytes) return;
    this.#bytes += bytes - cached.bytes;
    if (this.#bytes > this.#most) {
      this.clear();
      this.#bytes = bytes;
    }
    cached.bytes = bytes;
    const views = this.#views.get(owner);
    if (views === undefined) this.#views.set(owner, new Map([[resource, cached]]));
    else views.set(resource, cached);
  }
}
