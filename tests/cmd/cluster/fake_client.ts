import { type KubeClient, KubeError, type ResourceType, type WatchEvent } from "../../../cmd/cluster/client.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { isObject } from "../../../lib/schema/json/node.ts";

/**
 * A cluster in memory, with the features of an API server that the controller uses. Unlike server-side apply, `apply`
 * replaces the whole object.
 */
export interface FakeCluster {
  readonly client: KubeClient;
  list(kind: string): KubernetesObject[];
  find(kind: string, name: string): KubernetesObject | undefined;
  /** The writes of clients since the last call, each as a text such as `apply HTTPRoute shop/todo`. */
  takeWrites(): string[];
  /** Makes all requests fail, or succeed again. */
  setDown(isDown: boolean): void;
}

/** A watch that hasn't ended. */
interface Watch {
  readonly type: ResourceType;
  readonly selector: string;
  tell(event: WatchEvent): void;
  end(error?: unknown): void;
}

/** The kinds of the fake cluster, by group and version. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  "gateway.networking.k8s.io/v1": ["HTTPRoute", "Gateway"],
  "gateway.networking.k8s.io/v1beta1": ["ReferenceGrant"],
  "gateway.envoyproxy.io/v1alpha1": [
    "EnvoyProxy",
    "SecurityPolicy",
    "BackendTrafficPolicy",
    "ClientTrafficPolicy",
    "HTTPRouteFilter",
    "Backend",
  ],
};

export function createFakeCluster(): FakeCluster {
  const objects = new Map<string, KubernetesObject>();
  const watches = new Set<Watch>();
  /** All events since the start. A watch begins at the `resourceVersion` of a list, so it may need earlier ones. */
  const events: WatchEvent[] = [];
  let writes: string[] = [];
  let version = 0;
  let isDown = false;

  const client: KubeClient = {
    server: "https://cluster.test",
    get: (type, namespace, name) => answer(() => objects.get(keyOf(type, namespace, name))),
    list: (type, namespace, query = {}) =>
      answer(() => ({
        items: [...objects.values()].filter((object) =>
          isOfType(object, type) && (namespace === "" || object.metadata.namespace === namespace) &&
          isSelected(object, query["labelSelector"] ?? "")
        ),
        resourceVersion: String(version),
      })),
    create: (type, object) =>
      answer(() => {
        note("create", object);
        const { namespace = "", name } = object.metadata;
        if (objects.has(keyOf(type, namespace, name))) throw new KubeError(409, "AlreadyExists", "It is there.");
        return keep(object, undefined, "ADDED");
      }),
    replace: (_type, object) =>
      answer(() => {
        note("replace", object);
        const before = present(object);
        if (before === undefined) throw new KubeError(404, "NotFound", "It is not there.");
        if (object.metadata.resourceVersion !== before.metadata.resourceVersion) {
          throw new KubeError(409, "Conflict", "It has changed.");
        }
        // `status` is a subresource: replacing the object doesn't change it.
        return keep({ ...object, status: before.status }, before, "MODIFIED");
      }),
    apply: (_type, object) =>
      answer(() => {
        note("apply", object);
        const before = present(object);
        const metadata = { ...before?.metadata, ...object.metadata };
        return keep({ ...before, ...object, metadata }, before, before === undefined ? "ADDED" : "MODIFIED");
      }),
    applyStatus: (_type, object) =>
      answer(() => {
        note("status", object);
        const before = present(object);
        if (before === undefined) throw new KubeError(404, "NotFound", "It is not there.");
        return keep({ ...before, status: object.status }, before, "MODIFIED");
      }),
    patch: (type, namespace, name, patch) =>
      answer(() => {
        const before = objects.get(keyOf(type, namespace, name));
        if (before === undefined) throw new KubeError(404, "NotFound", "It is not there.");
        note("patch", before);
        const change = isObject(patch) && isObject(patch["metadata"]) ? patch["metadata"] : {};
        return keep({ ...before, metadata: { ...before.metadata, ...change } }, before, "MODIFIED");
      }),
    delete: (type, namespace, name) =>
      answer(() => {
        const before = objects.get(keyOf(type, namespace, name));
        if (before === undefined) return false;
        note("delete", before);
        keep(
          { ...before, metadata: { ...before.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } },
          before,
          "MODIFIED",
        );
        return true;
      }),
    watch: (type, _namespace, { resourceVersion, labelSelector = "", signal }, listener) =>
      new Promise((resolve, reject) => {
        if (isDown) return reject(new KubeError(0, "", "The cluster is down."));
        const watch: Watch = {
          type,
          selector: labelSelector,
          tell: listener,
          end(error?: unknown) {
            watches.delete(watch);
            if (error === undefined) resolve();
            else reject(error);
          },
        };
        watches.add(watch);
        for (const event of events) {
          if (Number(event.object.metadata.resourceVersion) > Number(resourceVersion)) tell(watch, event);
        }
        signal.addEventListener("abort", () => watch.end(), { once: true });
      }),
    request: (_method, path) =>
      answer(() => ({ resources: (KINDS[path.replace("/apis/", "")] ?? []).map((kind) => ({ kind })) })),
    close() {},
  };

  return {
    client,
    list: (kind) => [...objects.values()].filter((object) => object.kind === kind),
    find: (kind, name) => [...objects.values()].find((object) => object.kind === kind && object.metadata.name === name),
    takeWrites() {
      const taken = writes;
      writes = [];
      return taken;
    },
    setDown(down) {
      isDown = down;
      if (down) { for (const watch of [...watches]) watch.end(new KubeError(0, "", "The cluster is down.")); }
    },
  };

  async function answer<Result>(ask: () => Result): Promise<Result> {
    await Promise.resolve();
    if (isDown) throw new KubeError(0, "", "The cluster is down.");
    return structuredClone(ask());
  }

  function present(
    { apiVersion, kind, metadata: { namespace = "", name } }: KubernetesObject,
  ): KubernetesObject | undefined {
    return objects.get(keyOf({ apiVersion, kind }, namespace, name));
  }

  /** Stores a new state of an object. An object with a deletion timestamp is removed when it has no finalizer left. */
  function keep(
    object: KubernetesObject,
    before: KubernetesObject | undefined,
    type: "ADDED" | "MODIFIED",
  ): KubernetesObject {
    const { metadata } = object;
    const isSame = before !== undefined && JSON.stringify([before.spec]) === JSON.stringify([object.spec]);
    const kept = {
      ...object,
      metadata: {
        ...metadata,
        uid: before?.metadata.uid ?? crypto.randomUUID(),
        creationTimestamp: before?.metadata.creationTimestamp ?? new Date().toISOString(),
        generation: (before?.metadata.generation ?? 0) + (isSame ? 0 : 1),
        resourceVersion: String(++version),
      },
    };
    const key = keyOf(kept, metadata.namespace ?? "", metadata.name);
    const isGone = metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
    if (isGone) objects.delete(key);
    else objects.set(key, kept);
    const event = { type: isGone ? "DELETED" as const : type, object: kept };
    events.push(event);
    for (const watch of [...watches]) tell(watch, event);
    return kept;
  }

  function tell(watch: Watch, event: WatchEvent): void {
    if (!isOfType(event.object, watch.type) || !isSelected(event.object, watch.selector)) return;
    const told = structuredClone(event);
    queueMicrotask(() => {
      if (watches.has(watch)) watch.tell(told);
    });
  }

  function note(verb: string, { kind, metadata: { namespace = "", name } }: KubernetesObject): void {
    if (kind !== "Lease" && kind !== "Event") writes.push(`${verb} ${kind} ${namespace}/${name}`);
  }
}

function isOfType(object: KubernetesObject, { apiVersion, kind }: Pick<ResourceType, "apiVersion" | "kind">): boolean {
  return object.apiVersion === apiVersion && object.kind === kind;
}

function isSelected({ metadata: { labels = {} } }: KubernetesObject, selector: string): boolean {
  const [key = "", value] = selector.split("=");
  return selector === "" || labels[key] === value;
}

function keyOf({ apiVersion, kind }: { apiVersion: string; kind: string }, namespace: string, name: string): string {
  return `${apiVersion} ${kind} ${namespace}/${name}`;
}
