/**
 * Owners of objects: the API, static route or fleet for which gw has made an object.
 *
 * @module
 */
import type { FleetRef } from "../gateway/route.ts";
import { LABELS } from "./names.ts";
import type { KubernetesObject } from "./object.ts";

export type OwnerKind = "API" | "StaticRoute" | "Fleet";

/** The API, static route or fleet for which gw has made an object. */
export interface Owner {
  kind: OwnerKind;
  namespace: string;
  name: string;
}

/** Returns an owner as a key, such as `API shop/todo`. */
export function keyOfOwner({ kind, namespace, name }: Owner): string {
  return `${kind} ${namespace}/${name}`;
}

/** Parses a key of {@linkcode keyOfOwner}. */
export function ownerOfKey(key: string): Owner {
  const [kind = "", path = ""] = key.split(" ");
  const [namespace = "", name = ""] = path.split("/");
  return { kind: kind === "API" || kind === "StaticRoute" ? kind : "Fleet", namespace, name };
}

/** Returns the fleet for which gw has made an object, by the object's labels. */
export function fleetOfObject({ metadata: { namespace = "", labels = {} } }: KubernetesObject): FleetRef | undefined {
  const { [LABELS.fleet]: name, [LABELS.fleetNamespace]: home = namespace } = labels;
  return name === undefined ? undefined : { namespace: home, name };
}

/**
 * Returns the owner of an object, by its labels: an API or static route, or else a fleet. `undefined` for objects that
 * gw hasn't made.
 */
export function ownerOf(object: KubernetesObject): Owner | undefined {
  const { namespace = "", labels = {} } = object.metadata;
  const place = labels[LABELS.namespace] ?? namespace;
  const { [LABELS.api]: api, [LABELS.staticRoute]: staticRoute } = labels;
  if (api !== undefined) return { kind: "API", namespace: place, name: api };
  if (staticRoute !== undefined) return { kind: "StaticRoute", namespace: place, name: staticRoute };
  const fleet = fleetOfObject(object);
  return fleet === undefined ? undefined : { kind: "Fleet", ...fleet };
}
