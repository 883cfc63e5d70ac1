import { BoundedCache } from "../http/limits/bounded_cache.ts";
import { type ManagementAnswer, textAnswer } from "./answer.ts";
import { isPaged } from "./page.ts";
import type { Query } from "../api/query.ts";
import { sourceHeader } from "./source.ts";
import { type GatewayResourceKind, keyOf } from "../gateway/resource.ts";
import { showApi, showStaticRoute } from "./representation.ts";
import type { Store, Stored, StoredResource } from "./store.ts";

/** A resource, with the answer that shows it. */
export interface CatalogEntry<K extends GatewayResourceKind = GatewayResourceKind> {
  readonly resource: Stored<K>;
  /** The resource's representation as JSON; empty for a fleet, since its representation depends on other resources. */
  readonly json: string;
  /** The answer with `json` as its body. */
  readonly answer: ManagementAnswer;
}

/** Resources of each kind, by {@linkcode keyOf} and in the order of these keys. */
export type Entries = { readonly [K in GatewayResourceKind]: ReadonlyMap<string, CatalogEntry<K>> };

/** A snapshot of the resources in a store. */
export type View = Entries & {
  /** The cached answers of list operations, by their filters. */
  readonly answers: BoundedCache<string, ManagementAnswer>;
};

/** The most bytes that the cached answers of a view take. */
const MOST_BYTES = 32 * 1024 * 1024;

/** The bytes of a cached answer besides its body and its key: headers, objects. A rough number. */
const ENTRY_BYTES = 1024;

/** Makes a cache for the answers of list operations. */
export function createAnswers(mostBytes = MOST_BYTES): View["answers"] {
  return new BoundedCache(mostBytes, (key, { body }) => body.length + 2 * key.length + ENTRY_BYTES);
}

/**
 * Caches the resources of a store, with their answers. After a change the catalog reads the store again; it reuses the
 * entries of unchanged resources.
 */
export class Catalog {
  readonly #store: Store;
  readonly #analysisUrl: string;
  #view: View = { api: new Map(), fleet: new Map(), staticroute: new Map(), answers: createAnswers() };
  /** The store's revision that `#view` shows; `undefined` before the first read. */
  #revision: number | undefined;
  #reading: { revision: number; view: Promise<View> } | undefined;

  /** @param analysisUrl Template of `externalurl` for APIs without their own, with `{namespace}` and `{name}`. */
  constructor(store: Store, analysisUrl: string) {
    this.#store = store;
    this.#analysisUrl = analysisUrl;
  }

  /** Returns the current view; without a promise if the store hasn't changed since the last call. */
  view(): View | Promise<View> {
    const { revision } = this.#store;
    if (revision === this.#revision) return this.#view;
    if (this.#reading?.revision !== revision) this.#reading = { revision, view: this.#read(revision) };
    return this.#reading.view;
  }

  async #read(revision: number): Promise<View> {
    const store = this.#store;
    try {
      const [apis, fleets, routes] = await Promise.all([
        store.list("api"),
        store.list("fleet"),
        store.list("staticroute"),
      ]);
      const { api, fleet, staticroute } = this.#view;
      const next: View = {
        api: entriesOf(apis.items, api, (resource) => JSON.stringify(showApi(resource, this.#analysisUrl))),
        fleet: entriesOf(fleets.items, fleet, () => ""),
        staticroute: entriesOf(routes.items, staticroute, (route) => JSON.stringify(showStaticRoute(route))),
        answers: createAnswers(),
      };
      // If the store has changed during the read, the view isn't kept, and the next call reads again.
      if (store.revision === revision) {
        this.#view = next;
        this.#revision = revision;
      }
      return next;
    } finally {
      if (this.#reading?.revision === revision) this.#reading = undefined;
    }
  }
}

/**
 * Returns the answer to a list operation, from the cache of a view if it can be there. A cached answer is never
 * outdated, since every change of the store makes a new view. Pages aren't cached: clients choose their limits and
 * beginnings, so that there could be as many as requests.
 *
 * @param filters The query parameters by which the operation filters its list.
 */
export function cachedAnswer(
  { answers }: Pick<View, "answers">,
  query: Query,
  filters: readonly string[],
  make: () => ManagementAnswer,
): ManagementAnswer {
  if (isPaged(query)) return make();
  return answers.of(JSON.stringify(filters.map((name) => query.get(name) ?? "")), make);
}

/** The entity tag for a version of a resource. */
export function versionTag({ version }: Pick<StoredResource, "version">): string {
  return `"${version}"`;
}

function entriesOf<K extends GatewayResourceKind>(
  resources: readonly Stored<K>[],
  known: ReadonlyMap<string, CatalogEntry<K>>,
  show: (resource: Stored<K>) => string,
): Map<string, CatalogEntry<K>> {
  return new Map(resources.map((resource) => {
    const key = keyOf(resource);
    const before = known.get(key);
    if (before?.resource === resource) return [key, before];
    const json = show(resource);
    const answer = textAnswer(json, "application/json", versionTag(resource), sourceHeader(resource));
    return [key, { resource, json, answer }];
  }));
}
