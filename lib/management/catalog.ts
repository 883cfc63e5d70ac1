import { type Answer, textAnswer } from "./answer.ts";
import { keyOf, type Kind } from "../gateway/resource.ts";
import { showApi, showStaticRoute } from "./representation.ts";
import type { Store, Stored, StoredResource } from "./store.ts";

/** A resource, with what is shown of it. */
export interface Entry<K extends Kind = Kind> {
  readonly resource: Stored<K>;
  /** The JSON of its shape; empty for a fleet, whose shape depends on what is on it. */
  readonly json: string;
  /** The answer that shows it. */
  readonly answer: Answer;
}

/** Resources by namespace and name, and sorted by these. */
export type Entries = { readonly [K in Kind]: ReadonlyMap<string, Entry<K>> };

/** Everything that a store holds at one time. */
export type View = Entries & {
  /** Answers that show parts of this, by what asks for them. */
  readonly answers: Map<string, Answer>;
};

/** More different questions than anybody asks in earnest between two changes. */
const MOST_ANSWERS = 1000;

/**
 * Makes what knows the resources of a store with their texts ready to be sent. They are read again when the store has
 * changed; what stayed the same is kept.
 *
 * @param analysisUrl `externalurl` of an API that doesn't say one.
 */
export function createCatalog(store: Store, analysisUrl: string): () => View | Promise<View> {
  let view: View = { api: new Map(), fleet: new Map(), staticroute: new Map(), answers: new Map() };
  let seen: number | undefined;
  let reading: { revision: number; view: Promise<View> } | undefined;
  return current;

  function current(): View | Promise<View> {
    const { revision } = store;
    if (revision === seen) return view;
    if (reading?.revision !== revision) reading = { revision, view: read(revision) };
    return reading.view;
  }

  async function read(revision: number): Promise<View> {
    try {
      const [apis, fleets, routes] = await Promise.all([
        store.list("api"),
        store.list("fleet"),
        store.list("staticroute"),
      ]);
      const known = view;
      const next: View = {
        api: entriesOf(apis.items, known.api, (api) => JSON.stringify(showApi(api, analysisUrl))),
        fleet: entriesOf(fleets.items, known.fleet, () => ""),
        staticroute: entriesOf(routes.items, known.staticroute, (route) => JSON.stringify(showStaticRoute(route))),
        answers: new Map(),
      };
      // A change while this was read is seen by whoever asks next.
      if (store.revision === revision) {
        view = next;
        seen = revision;
      }
      return next;
    } finally {
      if (reading?.revision === revision) reading = undefined;
    }
  }
}

/** Looks an answer up, or makes it and remembers it until something changes. */
export function remember({ answers }: View, question: string, make: () => Answer): Answer {
  const known = answers.get(question);
  if (known !== undefined) return known;
  if (answers.size >= MOST_ANSWERS) answers.clear();
  const answer = make();
  answers.set(question, answer);
  return answer;
}

/** The tag of a resource's version. */
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
