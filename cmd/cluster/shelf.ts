import type { KubernetesObject } from "../../lib/cluster/object.ts";
import { summarize } from "../../lib/management/deployment.ts";
import { fleetReferred, fromCustomResource, isApiObject, isStaticRouteObject } from "../../lib/cluster/convert.ts";
import { keyOf, type Kind, type ObjectName, type Specs, type Summary } from "../../lib/gateway/resource.ts";
import type { Stored } from "../../lib/management/store.ts";
import { createTurns } from "../io/scheduling.ts";
import type { Informer } from "./informer.ts";

/** The custom resources of a kind, read as what the management API knows. */
export interface Shelf<K extends Kind = Kind> {
  /** All that aren't being deleted, by `keyOf`. What hasn't changed is the same resource as before. */
  all(): Promise<ReadonlyMap<string, Stored<K>>>;
  /** One of them, if it is there and isn't being deleted. */
  get(object: ObjectName): Promise<Stored<K> | undefined>;
  /**
   * Reads an object that the API server gave for a write.
   *
   * @param spec What it says, where that is known, so that its definition isn't read again.
   */
  read(object: KubernetesObject, spec?: Specs[K]): Promise<Stored<K>>;
  /** Remembers what an object says that was written, until the informer knows it. */
  expect(object: KubernetesObject, spec: Specs[K]): void;
}

/** A shelf for each kind. */
export type Shelves = { readonly [K in Kind]: Shelf<K> };

/** A resource, and what it was read from. */
interface Entry<K extends Kind> {
  readonly object: KubernetesObject;
  /** Changes with what the resource says, not with the state of its object. */
  readonly state: string;
  readonly stored: Promise<Stored<K>>;
}

/** Reads what an object says. */
type ReadSpec<K extends Kind> = (object: KubernetesObject) => Promise<Specs[K]>;

/** What lists show of a definition that can't be read; the status of its object says why. */
const NO_SUMMARY: Summary = { version: "", service: { name: "", namespace: "" }, analysisUrl: "", upstreams: [] };

/**
 * Puts what informers know onto shelves.
 *
 * @param defaultFleet The fleet of what names none.
 */
export function createShelves(
  informers: Readonly<Record<Kind, Pick<Informer, "get" | "list">>>,
  defaultFleet: () => ObjectName,
): Shelves {
  return {
    api: createShelf("api", informers.api, defaultFleet, readApi),
    fleet: createShelf("fleet", informers.fleet, defaultFleet, readFleet),
    staticroute: createShelf("staticroute", informers.staticroute, defaultFleet, readStaticRoute),
  };

  async function readApi(object: KubernetesObject): Promise<Specs["api"]> {
    try {
      const resource = await fromCustomResource(object, { defaultFleet: defaultFleet() });
      if (resource?.kind === "api") return await withSummary(resource);
    } catch {
      // One that can't be read is shown without what it says; the controller says in its status what is wrong.
    }
    const fleet = isApiObject(object) ? fleetReferred(object, defaultFleet()) : defaultFleet();
    return { fleet, openapi: "", summary: NO_SUMMARY };
  }

  async function readStaticRoute(object: KubernetesObject): Promise<Specs["staticroute"]> {
    try {
      const resource = await fromCustomResource(object, { defaultFleet: defaultFleet() });
      if (resource?.kind === "staticroute") return await withSummary(resource);
    } catch {
      // As above.
    }
    const fleet = isStaticRouteObject(object) ? fleetReferred(object, defaultFleet()) : defaultFleet();
    return { fleet, openapi: "", summary: NO_SUMMARY };
  }

  async function readFleet(object: KubernetesObject): Promise<Specs["fleet"]> {
    const resource = await fromCustomResource(object);
    return resource?.kind === "fleet" ? resource.spec : { serviceType: "ClusterIP", ports: [] };
  }
}

function createShelf<K extends Kind>(
  kind: K,
  informer: Pick<Informer, "get" | "list">,
  defaultFleet: () => ObjectName,
  readSpec: ReadSpec<K>,
): Shelf<K> {
  const entries = new Map<string, Entry<K>>();
  const expected = new Map<string, { state: string; spec: Specs[K] }>();
  let known:
    | { list: readonly KubernetesObject[]; fleet: string; all: Promise<ReadonlyMap<string, Stored<K>>> }
    | undefined;
  return { all, get, read, expect };

  function all(): Promise<ReadonlyMap<string, Stored<K>>> {
    const list = informer.list();
    const fleet = keyOf(defaultFleet());
    if (known?.list !== list || known.fleet !== fleet) known = { list, fleet, all: readAll(list) };
    return known.all;
  }

  async function readAll(list: readonly KubernetesObject[]): Promise<ReadonlyMap<string, Stored<K>>> {
    const present = list.filter(isStaying);
    const keys = new Set(present.map((object) => keyOf(nameOf(object))));
    for (const gone of [entries, expected]) {
      for (const key of gone.keys()) if (!keys.has(key)) gone.delete(key);
    }
    const stored = new Map<string, Stored<K>>();
    // The first list reads the definitions of all: the renewal of a Lease and other requests don't wait for that.
    const turns = createTurns();
    for (const object of present) {
      stored.set(keyOf(nameOf(object)), await entryOf(object));
      await turns.next();
    }
    return stored;
  }

  async function get({ namespace, name }: ObjectName): Promise<Stored<K> | undefined> {
    const object = informer.get(namespace, name);
    return object !== undefined && isStaying(object) ? await entryOf(object) : undefined;
  }

  function entryOf(object: KubernetesObject): Promise<Stored<K>> {
    const key = keyOf(nameOf(object));
    const state = stateOf(object);
    const before = entries.get(key);
    if (before?.object === object && before.state === state) return before.stored;
    const written = expected.get(key);
    const stored = before?.state === state
      ? before.stored.then(({ spec }) => storedOf(object, spec))
      : read(object, written?.state === state ? written.spec : undefined);
    expected.delete(key);
    entries.set(key, { object, state, stored });
    return stored;
  }

  async function read(object: KubernetesObject, spec?: Specs[K]): Promise<Stored<K>> {
    const before = entries.get(keyOf(nameOf(object)));
    const known = spec ?? (before?.state === stateOf(object) ? (await before.stored).spec : undefined);
    return storedOf(object, known ?? await readSpec(object));
  }

  function expect(object: KubernetesObject, spec: Specs[K]): void {
    expected.set(keyOf(nameOf(object)), { state: stateOf(object), spec });
  }

  function storedOf({ metadata }: KubernetesObject, spec: Specs[K]): Stored<K> {
    const { namespace = "", name, resourceVersion: version = "", creationTimestamp: created = "" } = metadata;
    return { kind, namespace, name, version, created, spec };
  }

  function stateOf(object: KubernetesObject): string {
    return `${specVersionOf(object)} ${keyOf(defaultFleet())}`;
  }
}

async function withSummary(
  { kind, namespace, name, spec: { fleet, openapi } }: ObjectName & {
    kind: "api" | "staticroute";
    spec: Omit<Specs["api" | "staticroute"], "summary">;
  },
): Promise<Specs["api"]> {
  const summary = await summarize({ kind, namespace, name, fleet, openapi }).catch(() => NO_SUMMARY);
  return { fleet, openapi, summary };
}

/** Whether an object isn't being deleted. */
export function isStaying({ metadata }: KubernetesObject): boolean {
  return metadata.deletionTimestamp === undefined;
}

/** Changes with an object's `spec`, and with nothing else of it; another object of the same name has another one. */
export function specVersionOf({ metadata: { uid = "", generation = 0 } }: KubernetesObject): string {
  return `${uid}/${generation}`;
}

function nameOf({ metadata: { namespace = "", name } }: KubernetesObject): ObjectName {
  return { namespace, name };
}
