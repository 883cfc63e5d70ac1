import type { Informer } from "../../../cmd/cluster/informer.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";

/** An informer whose objects the test sets. */
export interface FakeInformer extends Informer {
  set(...objects: readonly KubernetesObject[]): void;
  delete(object: KubernetesObject): void;
  /** Marks the informer as synced, as after the initial list. */
  sync(): void;
}

export function createFakeInformer(): FakeInformer {
  const objects = new Map<string, KubernetesObject>();
  const listeners = new Set<Parameters<Informer["onChange"]>[0]>();
  const { promise: synced, resolve } = Promise.withResolvers<void>();
  let isSynced = false;
  let revision = 0;
  let all: readonly KubernetesObject[] | undefined;
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
    stop() {},
    set(...added) {
      for (const object of added) {
        objects.set(keyOf(object), object);
        revision++;
        all = undefined;
        for (const tell of listeners) tell(object, "set");
      }
    },
    delete(object) {
      objects.delete(keyOf(object));
      revision++;
      all = undefined;
      for (const tell of listeners) tell(object, "deleted");
    },
    sync() {
      isSynced = true;
      resolve();
    },
  };
}

function keyOf({ metadata: { namespace = "", name } }: KubernetesObject): string {
  return `${namespace}/${name}`;
}
