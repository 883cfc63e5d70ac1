import { fleetReferred, fromCustomResource } from "../../lib/cluster/convert.ts";
import type { KubernetesObject } from "../../lib/cluster/object.ts";
import {
  type GatewayResourceKind,
  keyOf,
  type ObjectName,
  type ResourceSummary,
  type Specs,
} from "../../lib/gateway/resource.ts";
import { summaryOf } from "../../lib/management/deployment.ts";
import type { Stored } from "../../lib/management/store.ts";
import type { PlanCache } from "../io/gateway/plan_cache.ts";
import { createTurns } from "../io/scheduling.ts";
import type { Informer } from "./informer.ts";
import { specVersionOf } from "./resource_version.ts";
import { definitionNameOf, hasDefinition, storedDefinitionOf } from "./stored_definition.ts";

export type ResourceCaches = { readonly [K in GatewayResourceKind]: ResourceCache<K> };

/** The informers that the caches read, and what converting their objects requires. */
export interface ResourceCacheOptions {
  informers: Readonly<Record<GatewayResourceKind, Pick<Informer, "get" | "list">>>;
  /** Returns the fleet of APIs and static routes that name no fleet. */
  defaultFleet: () => ObjectName;
  /** Caches the texts of definitions, and the plans from which summaries are made. */
  planCache: PlanCache;
}

/**
 * Reads the `spec` of a resource of the management API from a custom resource.
 *
 * @param isStored Whether the object comes from the informer. The plan of any other object, such as the result of a dry
 * run, isn't cached.
 */
type ReadSpec<K extends GatewayResourceKind> = (object: KubernetesObject, isStored: boolean) => Promise<Specs[K]>;

interface Entry<K extends GatewayResourceKind> {
  readonly object: KubernetesObject;
  /** A text that changes with the `spec` and the default fleet, but not with labels, annotations or the status. */
  readonly version: string;
  readonly stored: Promise<Stored<K>>;
}

/** The summary of a definition that can't be read. The status of the custom resource tells why. */
const NO_SUMMARY: ResourceSummary = {
  version: "",
  service: { name: "", namespace: "" },
  analysisUrl: "",
  upstreams: [],
};

export function createResourceCaches({ informers, defaultFleet, planCache }: ResourceCacheOptions): ResourceCaches {
  const forget = (object: KubernetesObject): void => planCache.delete(definitionNameOf(object));
  return {
    api: new ResourceCache("api", informers.api, { defaultFleet, readSpec: readDefinition, forget }),
    fleet: new ResourceCache("fleet", informers.fleet, { defaultFleet, readSpec: readFleet }),
    staticroute: new ResourceCache("staticroute", informers.staticroute, {
      defaultFleet,
      readSpec: readDefinition,
      forget,
    }),
  };

  async function readDefinition(object: KubernetesObject, isStored: boolean): Promise<Specs["api" | "staticroute"]> {
    if (!hasDefinition(object)) return { fleet: defaultFleet(), openapi: "", summary: NO_SUMMARY };
    const fleet = fleetReferred(object, defaultFleet());
    const definition = storedDefinitionOf(object, fleet);
    const planned = isStored ? planCache.get(definition) : planCache.uncached(definition);
    const openapi = await planned.text().catch(() => "");
    const summary = await planned.plan().then(summaryOf).catch(() => NO_SUMMARY);
    return { fleet, openapi, summary };
  }
}

async function readFleet(object: KubernetesObject): Promise<Specs["fleet"]> {
  const resource = await fromCustomResource(object);
  return resource?.kind === "fleet" ? resource.spec : { serviceType: "ClusterIP", ports: [] };
}

/** The resources of one kind, converted from custom resources of informers. */
class ResourceCache<K extends GatewayResourceKind> {
  readonly #kind: K;
  readonly #informer: Pick<Informer, "get" | "list">;
  readonly #defaultFleet: () => ObjectName;
  readonly #readSpec: ReadSpec<K>;
  readonly #forget: (object: KubernetesObject) => void;
  readonly #entries = new Map<string, Entry<K>>();
  /** The specs of resources that were just written, until the informer has received the writes. */
  readonly #expected = new Map<string, { version: string; spec: Specs[K] }>();
  /** The last result of {@linkcode all}, and what it depends on. */
  #last:
    | { list: readonly KubernetesObject[]; fleet: string; all: Promise<ReadonlyMap<string, Stored<K>>> }
    | undefined;

  constructor(
    kind: K,
    informer: Pick<Informer, "get" | "list">,
    { defaultFleet, readSpec, forget = () => {} }: Pick<ResourceCacheOptions, "defaultFleet"> & {
      readSpec: ReadSpec<K>;
      /** Called with each custom resource that is deleted. */
      forget?: (object: KubernetesObject) => void;
    },
  ) {
    this.#kind = kind;
    this.#informer = informer;
    this.#defaultFleet = defaultFleet;
    this.#readSpec = readSpec;
    this.#forget = forget;
  }

  /**
   * Returns all resources that aren't being deleted, by `keyOf`. An unchanged resource is the same JavaScript object as
   * in the previous result.
   */
  all(): Promise<ReadonlyMap<string, Stored<K>>> {
    const list = this.#informer.list();
    const fleet = keyOf(this.#defaultFleet());
    if (this.#last?.list !== list || this.#last.fleet !== fleet) this.#last = { list, fleet, all: this.#readAll(list) };
    return this.#last.all;
  }

  /** Returns a resource; `undefined` if it doesn't exist or is being deleted. */
  async get({ namespace, name }: ObjectName): Promise<Stored<K> | undefined> {
    const object = this.#informer.get(namespace, name);
    return object !== undefined && isNotTerminating(object) ? await this.#entryOf(object) : undefined;
  }

  /**
   * Converts a custom resource, without caching the result.
   *
   * @param spec The `spec` of the resource, if it is known: then the definition isn't read again.
   */
  async read(object: KubernetesObject, spec?: Specs[K]): Promise<Stored<K>> {
    const before = this.#entries.get(keyOf(nameOf(object)));
    const known = spec ?? (before?.version === this.#versionOf(object) ? (await before.stored).spec : undefined);
    return this.#storedOf(object, known ?? await this.#readSpec(object, false));
  }

  /** Caches the `spec` of a resource that was just written, so that its definition isn't read again. */
  expect(object: KubernetesObject, spec: Specs[K]): void {
    this.#expected.set(keyOf(nameOf(object)), { version: this.#versionOf(object), spec });
  }

  async #readAll(list: readonly KubernetesObject[]): Promise<ReadonlyMap<string, Stored<K>>> {
    const present = list.filter(isNotTerminating);
    const keys = new Set(present.map((object) => keyOf(nameOf(object))));
    for (const key of this.#expected.keys()) if (!keys.has(key)) this.#expected.delete(key);
    for (const [key, { object }] of this.#entries) {
      if (keys.has(key)) continue;
      this.#entries.delete(key);
      this.#forget(object);
    }
    const stored = new Map<string, Stored<K>>();
    // The first call reads all definitions. Between two of them, other work gets a turn, such as requests and the
    // renewal of the Lease.
    const turns = createTurns();
    for (const object of present) {
      stored.set(keyOf(nameOf(object)), await this.#entryOf(object));
      await turns.next();
    }
    return stored;
  }

  #entryOf(object: KubernetesObject): Promise<Stored<K>> {
    const key = keyOf(nameOf(object));
    const version = this.#versionOf(object);
    const before = this.#entries.get(key);
    const isSame = before?.version === version;
    if (isSame && before.object === object) return before.stored;
    const expected = this.#expected.get(key);
    const stored = isSame
      ? before.stored.then(({ spec }) => this.#storedOf(object, spec))
      : expected?.version === version
      ? Promise.resolve(this.#storedOf(object, expected.spec))
      : this.#readSpec(object, true).then((spec) => this.#storedOf(object, spec));
    this.#expected.delete(key);
    this.#entries.set(key, { object, version, stored });
    return stored;
  }

  #storedOf({ metadata }: KubernetesObject, spec: Specs[K]): Stored<K> {
    const { namespace = "", name, resourceVersion: version = "", creationTimestamp: created = "" } = metadata;
    return { kind: this.#kind, namespace, name, version, created, spec };
  }

  #versionOf(object: KubernetesObject): string {
    return `${specVersionOf(object)} ${keyOf(this.#defaultFleet())}`;
  }
}

/** Tells whether a custom resource is not being deleted. */
export function isNotTerminating({ metadata }: KubernetesObject): boolean {
  return metadata.deletionTimestamp === undefined;
}

function nameOf({ metadata: { namespace = "", name } }: KubernetesObject): ObjectName {
  return { namespace, name };
}
