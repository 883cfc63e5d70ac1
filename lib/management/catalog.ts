import { type Answer, textAnswer } from "./answer.ts";
import { keyOf, type Kind } from "../gateway/resource.ts";
import { showApi, showStaticRoute } from "./representation.ts";
import type { Store, Stored, StoredResource } from "./store.ts";

/** A resource, with its prepared answer. */
export interface Entry<K extends Kind = Kind> {
  readonly resource: Stored<K>;
  /** The JSON of its representation; empty for a fleet, whose representation depends on other resources. */
  readonly json: string;
  /** The answer with this JSON. */
  readonly answer: Answer;
}

/** Resources by {@linkcode keyOf}, in the order of these keys. */
export type Entries = { readonly [K in Kind]: ReadonlyMap<string, Entry<K>> };

/** A snapshot of a store. */
export type View = Entries & {
  /** Cached answers that list resources of this view, by request. */
  readonly answers: Map<string, Answer>;
};

/** The most answers that a view caches. */
const MOST_ANSWERS = 1000;

/**
 * Caches the resources of a store, with their answers. Reads them again after a change; the entries of unchanged
 * resources are reused.
 */
export class Catalog {
  readonly #store: Store;
  readonly #analysisUrl: string;
  #view: View = { api: new Map(), fleet: new Map(), staticroute: new Map(), answers: new Map() };
  /** The store's revision that the view shows; `undefined` before the first view. */
  #revision: number | undefined;
  #reading: { revision: number; view: Promise<View> } | undefined;

  /** @param analysisUrl `externalurl` of APIs that don't have their own. */
  constructor(store: Store, analysisUrl: string) {
    this.#store = store;
    this.#analysisUrl = analysisUrl;
  }

  /** The current view; without a promise if the store hasn't changed. */
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
        answers: new Map(),
      };
      // If the store has changed meanwhile, the next call reads again.
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
 * Returns the answer that a view has cached under a key, or makes and caches it. A change of the store makes a new
 * view.
 */
export function cachedAnswer({ answers }: View, key: string, make: () => Answer): Answer {
  const known = answers.get(key);
  if (known !== undefined) return known;
  if (answers.size >= MOST_ANSWERS) answers.clear();
  const answer = make();
  answers.set(key, answer);
  return answer;
}

/** The entity tag of a resource's version. */
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
