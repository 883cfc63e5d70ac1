import type { KubernetesObject } from "../../lib/cluster/object.ts";
import type { Informer } from "./informer.ts";
import { isOlderVersion } from "./resource_version.ts";

/** Longest that a change waits until its informer has seen it, in milliseconds; it is made by then all the same. */
const PATIENCE = 10_000;

/** Resolves when an informer knows an object as it was written, or as it became since; whether it did so in time. */
export function untilSeen(informer: Informer, written: KubernetesObject): Promise<boolean> {
  const { namespace = "", name, resourceVersion = "" } = written.metadata;
  return until(informer, PATIENCE, () => {
    const current = informer.get(namespace, name);
    return current !== undefined && !isOlderVersion(current.metadata.resourceVersion ?? "", resourceVersion);
  });
}

/** Resolves when an informer knows that an object is gone, or on its way; whether it did so in time. */
export function untilDeleted(informer: Informer, { metadata }: KubernetesObject): Promise<boolean> {
  const { namespace = "", name, uid } = metadata;
  return until(informer, PATIENCE, () => {
    const current = informer.get(namespace, name)?.metadata;
    return current === undefined || current.uid !== uid || current.deletionTimestamp !== undefined;
  });
}

/** Resolves when there is no object of a name, not even one on its way out; whether that was so in time. */
export function untilFree(informer: Informer, namespace: string, name: string, patience: number): Promise<boolean> {
  return until(informer, patience, () => informer.get(namespace, name) === undefined);
}

function until(informer: Informer, patience: number, isSo: () => boolean): Promise<boolean> {
  if (isSo()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const settle = (inTime: boolean): void => {
      clearTimeout(timer);
      forget();
      resolve(inTime);
    };
    const timer = setTimeout(() => settle(false), patience);
    const forget = informer.onChange(() => {
      if (isSo()) settle(true);
    });
  });
}
