/**
 * The URL paths of objects in the API server.
 *
 * @module
 */
import type { KubernetesObject } from "../../../lib/cluster/object.ts";

/** The path of an object, such as `/apis/gateway.networking.k8s.io/v1/namespaces/shop/httproutes/todo`. */
export function pathOf({ apiVersion, kind, metadata: { namespace, name } }: KubernetesObject): string {
  return `${collectionOf(apiVersion, kind, namespace)}/${name}`;
}

/**
 * The path of a collection, such as `/apis/gateway.networking.k8s.io/v1/namespaces/shop/httproutes`. Without a
 * namespace, the collection spans all namespaces.
 */
export function collectionOf(apiVersion: string, kind: string, namespace?: string): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${pluralOf(kind)}`;
}

/** The plural of a kind, by rules that suffice for the kinds in tests. */
function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}
