import { type Backoff, waitAfter } from "../../lib/http/backoff.ts";
import type { KubernetesObject, ObjectMeta } from "../../lib/cluster/object.ts";
import { createTurns } from "../io/scheduling.ts";
import { type KubeClient, KubeError, type ResourceType, type WatchEvent } from "./client.ts";

/** Which objects an informer is about. */
export interface InformerOptions {
  /** Default: all namespaces. */
  namespace?: string;
  /** Default: all objects. */
  labelSelector?: string;
  /** Told of each failure to list or to watch; it is tried again by itself. */
  onError?: (error: unknown) => void;
}

/** What happened to an object. */
export type Change = "set" | "deleted";

/** Knows the objects of a kind as they are: by a list, and by a watch from there on. */
export interface Informer {
  get(namespace: string, name: string): KubernetesObject | undefined;
  /** All objects, the same array until something changes. */
  list(): readonly KubernetesObject[];
  /**
   * Calls back with each change, and with nothing of what is there already.
   *
   * @returns Ends it.
   */
  onChange(listener: (object: KubernetesObject, kind: Change) => void): () => void;
  /** Counts the changes. */
  readonly revision: number;
  /** Resolves when all objects are known for the first time. */
  readonly synced: Promise<void>;
  readonly isSynced: boolean;
  stop(): void;
}

/** The most objects of one answer to a list. */
const PAGE = 500;

/** Waits after failures, in milliseconds. */
const BACKOFF: Backoff = { first: 250, most: 5_000 };

/** How long a watch must have lasted for its end to be an ordinary one, in milliseconds. */
const LASTED = 5_000;

/**
 * Follows the objects of a kind until it is stopped. While the API server can't be reached, what was known stays. A watch
 * goes on where the one before it ended; where the server has forgotten that place, the objects are listed anew.
 */
export function createInformer(
  client: Pick<KubeClient, "list" | "watch">,
  type: ResourceType,
  { namespace = "", labelSelector, onError = () => {} }: InformerOptions = {},
): Informer {
  const objects = new Map<string, KubernetesObject>();
  const listeners = new Set<(object: KubernetesObject, kind: Change) => void>();
  const stopping = new AbortController();
  const { promise: synced, resolve: sync } = Promise.withResolvers<void>();
  const selector = labelSelector === undefined ? {} : { labelSelector };
  let all: readonly KubernetesObject[] | undefined;
  let revision = 0;
  let isSynced = false;
  void follow();

  return {
    get: (namespace, name) => objects.get(`${namespace}/${name}`),
    list: () => all ??= [...objects.values()],
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    get revision() {
      return revision;
    },
    synced,
    get isSynced() {
      return isSynced;
    },
    stop: () => stopping.abort(),
  };

  async function follow(): Promise<void> {
    let seen = "";
    let failures = 0;
    while (!stopping.signal.aborted) {
      const start = performance.now();
      let failure: unknown;
      try {
        if (seen === "") seen = await relist();
        await client.watch(
          type,
          namespace,
          { resourceVersion: seen, ...selector, signal: stopping.signal },
          (event) => {
            seen = event.object.metadata.resourceVersion ?? seen;
            failures = 0;
            take(event);
          },
        );
      } catch (error) {
        failure = error;
      }
      if (stopping.signal.aborted) return;
      if (isForgotten(failure)) {
        // The place is too long ago; that is no failure of anybody's.
        const isRepeated = seen === "";
        seen = "";
        if (!isRepeated) continue;
      } else if (failure !== undefined) {
        onError(failure);
      } else if (performance.now() - start > LASTED) {
        continue;
      }
      // Many that lost the same server don't come back at the same time.
      await pause(waitAfter(++failures, BACKOFF) * (0.5 + Math.random()));
    }
  }

  /** Reads all objects, and tells what has changed since they were last known. */
  async function relist(): Promise<string> {
    const found = new Map<string, KubernetesObject>();
    let next: string | undefined;
    let resourceVersion = "";
    do {
      const query = { limit: String(PAGE), ...selector, ...(next === undefined ? {} : { continue: next }) };
      const page = await client.list(type, namespace, query);
      for (const object of page.items) found.set(keyOf(object), object);
      resourceVersion = page.resourceVersion;
      next = page.continue;
    } while (next !== undefined && !stopping.signal.aborted);
    if (stopping.signal.aborted) return resourceVersion;
    for (const [key, object] of objects) if (!found.has(key)) forget(key, object);
    const turns = createTurns();
    for (const object of found.values()) {
      keep(object);
      await turns.next();
      if (stopping.signal.aborted) return resourceVersion;
    }
    isSynced = true;
    sync();
    return resourceVersion;
  }

  function take({ type, object }: WatchEvent): void {
    switch (type) {
      case "ADDED":
      case "MODIFIED":
        return keep(object);
      case "DELETED":
        return forget(keyOf(object), object);
      case "BOOKMARK":
        return;
    }
  }

  function keep(object: KubernetesObject): void {
    const key = keyOf(object);
    if (objects.get(key)?.metadata.resourceVersion === object.metadata.resourceVersion) return;
    // `managedFields` takes more memory than the fields, and nobody reads it.
    const kept = { ...object, metadata: withoutManagers(object.metadata) };
    objects.set(key, kept);
    tell(kept, "set");
  }

  function forget(key: string, object: KubernetesObject): void {
    if (objects.delete(key)) tell(object, "deleted");
  }

  function tell(object: KubernetesObject, kind: Change): void {
    all = undefined;
    revision++;
    for (const listener of [...listeners]) {
      try {
        listener(object, kind);
      } catch (error) {
        // One listener's fault is neither the watch's nor another listener's.
        onError(error);
      }
    }
  }

  function pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        stopping.signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      stopping.signal.addEventListener("abort", done);
    });
  }
}

/** Whether the server doesn't remember the place that was asked for: 410 `Expired`, or `Gone`. */
function isForgotten(error: unknown): boolean {
  return error instanceof KubeError && error.status === 410;
}

function withoutManagers({ managedFields: _managedFields, ...metadata }: ObjectMeta): ObjectMeta {
  return metadata;
}

function keyOf({ metadata: { namespace = "", name } }: KubernetesObject): string {
  return `${namespace}/${name}`;
}
