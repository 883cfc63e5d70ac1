import type { KubernetesObject } from "../../lib/cluster/object.ts";
import type { Informer } from "./informer.ts";
import { isOlderVersion } from "./resource_version.ts";

/**
 * The longest time to wait for an informer, in milliseconds. The write has succeeded even if the informer doesn't
 * receive it in time.
 */
const INFORMER_TIMEOUT = 10_000;

/**
 * Waits until an informer has received a write, or a later state of the object.
 *
 * @returns Whether the informer had it in time.
 */
export function waitForWrite(informer: Informer, written: KubernetesObject): Promise<boolean> {
  const { namespace = "", name, resourceVersion = "" } = written.metadata;
  return waitUntil(informer, INFORMER_TIMEOUT, () => {
    const current = informer.get(namespace, name);
    return current !== undefined && !isOlderVersion(current.metadata.resourceVersion ?? "", resourceVersion);
  });
}

/**
 * Waits until an informer has received that an object is deleted, or is being deleted.
 *
 * @returns Whether the informer received that in time.
 */
export function waitForDeletion(informer: Informer, { metadata }: KubernetesObject): Promise<boolean> {
  const { namespace = "", name, uid } = metadata;
  return waitUntil(informer, INFORMER_TIMEOUT, () => {
    const current = informer.get(namespace, name)?.metadata;
    return current === undefined || current.uid !== uid || current.deletionTimestamp !== undefined;
  });
}

/**
 * Waits until an informer has no object with a name, not even one that is being deleted.
 *
 * @param timeout The longest time to wait, in milliseconds.
 * @returns Whether the name was free in time.
 */
export function waitForFreeName(
  informer: Informer,
  namespace: string,
  name: string,
  timeout: number,
): Promise<boolean> {
  return waitUntil(informer, timeout, () => informer.get(namespace, name) === undefined);
}

function waitUntil(informer: Informer, timeout: number, isSo: () => boolean): Promise<boolean> {
  if (isSo()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const finish = (inTime: boolean): void => {
      clearTimeout(timer);
      unsubscribe();
      resolve(inTime);
    };
    const timer = setTimeout(() => finish(false), timeout);
    const unsubscribe = informer.onChange(() => {
      if (isSo()) finish(true);
    });
  });
}
