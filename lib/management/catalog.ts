import { type Answer, textAnswer } from "./answer.ts";
import { isPaged, type Query } from "./query.ts";
import { keyOf, type Kind } from "../gateway/resource.ts";
import { showApi, showStaticRoute } from "./representation.ts";
import type { Store, Stored, StoredResource } from "./store.ts";

/** A resource, with the answer that shows it. */
export interface Entry<K extends Kind = Kind> {
  readonly resource: Stored<K>;
  /** The resource's representation as JSON; empty for a fleet, since its representation depends on other resources. */
  readonly json: string;
  /** The answer with `json` as its body. */
  readonly answer: Answer;
}

/** Resources of each kind, by {@linkcode keyOf} and in the order of these keys. */
export type Entries = { readonly [K in Kind]: ReadonlyMap<string, Entry<K>> };

/** A snapshot of the resources in a store. */
export type View = Entries & {
  readonly answers: AnswerCache;
};

/** The most bytes that the cached answers of a view take. */
const MOST_BYTES = 32 * 1024 * 1024;

/** The bytes of a cached answer besides its body and its key: headers, objects. A rough number. */
const ENTRY_BYTES = 1024;

/**
 * The answers of list operations, by their filters. An answer is never outdated, since every change of the store makes
 * a new view. Pages aren't cached: clients choose their limits and beginnings, so there could be as many as requests.
 */
export class AnswerCache {
  readonly #answers = new Map<string, Answer>();
  readonly #mostBytes: number;
  #bytes = 0;

  /** @param mostBytes The most bytes of all answers together. Beyond it, all answers are dropped. */
  constructor(mostBytes: number = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** The bytes of all cached answers, roughly. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Returns the answer to a list operation, from the cache if it can be there.
   *
   * @param names The query parameters by which the operation filters its list.
   */
  answer(query: Query, names: readonly string[], make: () => Answer): Answer {
    if (isPaged(query)) return make();
    const key = JSON.stringify(names.map((name) => query(name) ?? ""));
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const answer = make();
    const length = answer.body.length + 2 * key.length + ENTRY_BYTES;
    if (length > this.#mostBytes) return answer;
    if (this.#bytes + length > this.#mostBytes) {
      this.#answers.clear();
      this.#bytes = 0;
    }
    this.#answers.set(key, answer);
    this.#bytes += length;
    return answer;
  }
}

/**
 * Caches the resources of a store, with their answers. After a change the catalog reads the store again; it reuses the
 * entries of unchanged resources.
 */
export class Catalog {
  readonly #store: Store;
  readonly #analysisUrl: string;
  #view: View = { api: new Map(), fleet: new Map(), staticroute: new Map(), answers: new AnswerCache() };
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
        answers: new AnswerCache(),
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

/** The entity tag for a version of a resource. */
export function versionTag({ version }: Pick<StoredResource, "version">): string {
  return `"${version}"`;
}

function entriesOf<K extends Kind>(
  resources: readonly Stored<K>[],
  known: ReadonlyMap<string, Entry<K>>,
  show: (resource: Stored<K>) => string,
): Map<string, Entry<K>> {
  return new Map(resources.map((resource) => {
    const key = keyOf(resource);
    const before = known.get(key);
    if (before?.resource === resource) return [key, before];
    const json = show(resource);
    return [key, { resource, json, answer: textAnswer(json, "application/json", versionTag(resource)) }];
  }));
}
