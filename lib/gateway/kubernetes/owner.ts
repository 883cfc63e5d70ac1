/**
 * Whom an object of gw's is for.
 *
 * @module
 */
import { LABELS } from "./names.ts";
import type { KubernetesObject } from "./object.ts";

/** Kinds of gw's own that objects are made for. */
export type OwnerKind = "API" | "StaticRoute" | "Fleet";

/** An API, a static route or a fleet. */
export interface Owner {
  kind: OwnerKind;
  namespace: string;
  name: string;
}

/** `API shop/todo` */
export function keyOfOwner({ kind, namespace, name }: Owner): string {
  return `${kind} ${namespace}/${name}`;
}

/** Reads what {@linkcode keyOfOwner} has written. */
export function ownerOfKey(key: string): Owner {
  const [kind = "", path = ""] = key.split(" ");
  const [namespace = "", name = ""] = path.split("/");
  return { kind: kind === "API" || kind === "StaticRoute" ? kind : "Fleet", namespace, name };
}

/** Whom an object is for, by its labels: an API or a static route, else a fleet; `undefined` for nobody. */
export function ownerOf({ metadata: { namespace = "", labels = {} } }: KubernetesObject): Owner | undefined {
  const place = labels[LABELS.namespace] ?? namespace;
  const { [LABELS.api]: api, [LABELS.staticRoute]: staticRoute, [LABELS.fleet]: fleet } = labels;
  if (api !== undefined) return { kind: "API", namespace: place, name: api };
  if (staticRoute !== undefined) return { kind: "StaticRoute", namespace: place, name: staticRoute };
  if (fleet === undefined) return undefined;
  return { kind: "Fleet", namespace: labels[LABELS.fleetNamespace] ?? namespace, name: fleet };
}
