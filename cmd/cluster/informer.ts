import { type Backoff, waitAfter } from "../../lib/http/backoff.ts";
import type { KubernetesObject, ObjectMeta } from "../../lib/cluster/object.ts";
import { createTurns } from "../io/scheduling.ts";
import { sleep } from "../io/sleep.ts";
import { type KubeClient, KubeError, type ResourceType, type WatchEvent } from "./client.ts";

/** Options of {@linkcode createInformer}. */
export interface InformerOptions {
  /** The namespace whose objects are cached. Default: all namespaces. */
  namespace?: string;
  /** The labels by which objects are selected. Default: all objects. */
  labelSelector?: string;
  /** Called with each error of a list or watch. The informer tries again. */
  onError?: (error: unknown) => void;
}

/** The kind of a change: the object was created or changed (`set`), or deleted. */
export type ObjectChange = "set" | "deleted";

/** A cache of the objects of one kind, kept up to date by a list and a watch. */
export interface Informer {
  get(namespace: string, name: string): KubernetesObject | undefined;
  /** Returns all objects. The array is the same until something changes. */
  list(): readonly KubernetesObject[];
  /**
   * Calls a listener at each further change.
   *
   * @returns A function that ends the subscription.
   */
  onChange(listener: (object: KubernetesObject, kind: ObjectChange) => void): () => void;
  /** The number of changes so far, by which callers recognise that something has changed. */
  readonly revision: number;
  /** Resolves when the first list is complete. */
  readonly synced: Promise<void>;
  readonly isSynced: boolean;
  stop(): void;
}

/** The most objects of one page of a list. */
const PAGE = 500;

const BACKOFF: Backoff = { first: 250, most: 5_000 };

/** The time in milliseconds after which the end of a watch counts as ordinary. A shorter watch counts as failed. */
const ORDINARY_WATCH_TIME = 5_000;

/**
 * Makes an informer, which runs until it is stopped. While the API server can't be reached, it keeps the last known
 * objects. A watch continues at the `resourceVersion` at which the previous watch ended. If the server no longer has
 * that version, the informer lists the objects again.
 */
export function createInformer(
  client: Pick<KubeClient, "list" | "watch">,
  type: ResourceType,
  options: InformerOptions = {},
): Informer {
  return new ListingInformer(client, type, options);
}

class ListingInformer implements Informer {
  readonly #client: Pick<KubeClient, "list" | "watch">;
  readonly #type: ResourceType;
  readonly #namespace: string;
  readonly #selector: { labelSelector?: string };
  readonly #onError: (error: unknown) => void;
  readonly #objects = new Map<string, KubernetesObject>();
  readonly #listeners = new Set<(object: KubernetesObject, kind: ObjectChange) => void>();
  readonly #stopping = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  #list: readonly KubernetesObject[] | undefined;
  #revision = 0;
  #isSynced = false;
  /** The `resourceVersion` at which the next watch begins; empty if the objects must be listed first. */
  #resourceVersion = "";
  #failures = 0;

  constructor(
    client: Pick<KubeClient, "list" | "watch">,
    type: ResourceType,
    { namespace = "", labelSelector, onError = () => {} }: InformerOptions,
  ) {
    this.#client = client;
    this.#type = type;
    this.#namespace = namespace;
    this.#selector = labelSelector === undefined ? {} : { labelSelector };
    this.#onError = onError;
    void this.#run();
  }

  get revision(): number {
    return this.#revision;
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  get(namespace: string, name: string): KubernetesObject | undefined {
    return this.#objects.get(`${namespace}/${name}`);
  }

  list(): readonly KubernetesObject[] {
    return this.#list ??= [...this.#objects.values()];
  }

  onChange(listener: (object: KubernetesObject, kind: ObjectChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const start = performance.now();
      let failure: unknown;
      try {
        if (this.#resourceVersion === "") this.#resourceVersion = await this.#listAll();
        await this.#watch();
      } catch (error) {
        failure = error;
      }
      if (signal.aborted) return;
      if (isExpired(failure)) {
        // If the `resourceVersion` of a watch has expired, the objects are listed again at once. If a page of that list
        // expires too, the informer waits first.
        const isRepeated = this.#resourceVersion === "";
        this.#resourceVersion = "";
        if (!isRepeated) continue;
      } else if (failure !== undefined) {
        this.#onError(failure);
      } else if (performance.now() - start > ORDINARY_WATCH_TIME) {
        continue;
      }
      // Jitter: otherwise informers that lost the same server would all try again at the same time.
      await sleep(waitAfter(++this.#failures, BACKOFF) * (0.5 + Math.random()), signal);
    }
  }

  #watch(): Promise<void> {
    const options = { resourceVersion: this.#resourceVersion, ...this.#selector, signal: this.#stopping.signal };
    return this.#client.watch(this.#type, this.#namespace, options, (event) => {
      this.#resourceVersion = event.object.metadata.resourceVersion ?? this.#resourceVersion;
      this.#failures = 0;
      this.#take(event);
    });
  }

  /**
   * Lists all objects, and calls the listeners with each difference from the objects known before.
   *
   * @returns The `resourceVersion` of the list.
   */
  async #listAll(): Promise<string> {
    const { signal } = this.#stopping;
    const found = new Map<string, KubernetesObject>();
    let next: string | undefined;
    let resourceVersion = "";
    do {
      const query = { limit: String(PAGE), ...this.#selector, ...(next === undefined ? {} : { continue: next }) };
      const page = await this.#client.list(this.#type, this.#namespace, query);
      for (const object of page.items) found.set(keyOf(object), object);
      resourceVersion = page.resourceVersion;
      next = page.continue;
    } while (next !== undefined && !signal.aborted);
    if (signal.aborted) return resourceVersion;
    for (const [key, object] of this.#objects) if (!found.has(key)) this.#delete(key, object);
    const turns = createTurns();
    for (const object of found.values()) {
      this.#set(object);
      await turns.next();
      if (signal.aborted) return resourceVersion;
    }
    this.#isSynced = true;
    this.#synced.resolve();
    return resourceVersion;
  }

  #take({ type, object }: WatchEvent): void {
    switch (type) {
      case "ADDED":
      case "MODIFIED":
        return this.#set(object);
      case "DELETED":
        return this.#delete(keyOf(object), object);
      case "BOOKMARK":
        return;
    }
  }

  #set(object: KubernetesObject): void {
    const key = keyOf(object);
    if (this.#objects.get(key)?.metadata.resourceVersion === object.metadata.resourceVersion) return;
    const kept = { ...object, metadata: withoutManagers(object.metadata) };
    this.#objects.set(key, kept);
    this.#tell(kept, "set");
  }

  #delete(key: string, object: KubernetesObject): void {
    if (this.#objects.delete(key)) this.#tell(object, "deleted");
  }

  #tell(object: KubernetesObject, kind: ObjectChange): void {
    this.#list = undefined;
    this.#revision++;
    for (const listener of [...this.#listeners]) {
      try {
        listener(object, kind);
      } catch (error) {
        // An exception of a listener ends neither the watch nor the calls of other listeners.
        this.#onError(error);
      }
    }
  }
}

/** Tells whether the server no longer has a `resourceVersion` (410 `Expired` or `Gone`). */
function isExpired(error: unknown): boolean {
  return error instanceof KubeError && error.status === 410;
}

/** Removes `managedFields`, which gw doesn't use and which take more memory than all other fields. */
function withoutManagers({ managedFields: _managedFields, ...metadata }: ObjectMeta): ObjectMeta {
  return metadata;
}

function keyOf({ metadata: { namespace = "", name } }: KubernetesObject): string {
  return `${namespace}/${name}`;
}
