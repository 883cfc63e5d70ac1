/**
 * The owner of an object: the API, static route or fleet that the object is made for.
 *
 * @module
 */
import type { FleetRef } from "../gateway/route.ts";
import { LABELS } from "./names.ts";
import type { KubernetesObject } from "./object.ts";

/** The kinds of owners. */
export type OwnerKind = "API" | "StaticRoute" | "Fleet";

/** An API, a static route or a fleet. */
export interface Owner {
  kind: OwnerKind;
  namespace: string;
  name: string;
}

/** The key of an owner: `API shop/todo`. */
export function keyOfOwner({ kind, namespace, name }: Owner): string {
  return `${kind} ${namespace}/${name}`;
}

/** Reads the kind, namespace and name from a key of {@linkcode keyOfOwner}. */
export function ownerOfKey(key: string): Owner {
  const [kind = "", path = ""] = key.split(" ");
  const [namespace = "", name = ""] = path.split("/");
  return { kind: kind === "API" || kind === "StaticRoute" ? kind : "Fleet", namespace, name };
}

/** The fleet that an object was made for. */
export function fleetOfObject({ metadata: { namespace = "", labels = {} } }: KubernetesObject): FleetRef | undefined {
  const { [LABELS.fleet]: name, [LABELS.fleetNamespace]: home = namespace } = labels;
  return name === undefined ? undefined : { namespace: home, name };
}

/** The owner of an object, by its labels: an API or a static route, else a fleet; `undefined` without labels of gw. */
export function ownerOf(object: KubernetesObject): Owner | undefined {
  const { namespace = "", labels = {} } = object.metadata;
  const place = labels[LABELS.namespace] ?? namespace;
  const { [LABELS.api]: api, [LABELS.staticRoute]: staticRoute } = labels;
  if (api !== undefined) return { kind: "API", namespace: place, name: api };
  if (staticRoute !== undefined) return { kind: "StaticRoute", namespace: place, name: staticRoute };
  const fleet = fleetOfObject(object);
  return fleet === undefined ? undefined : { kind: "Fleet", ...fleet };
}
