import { definitionOf } from "../../lib/cluster/definition_text.ts";
import { isApiObject, isStaticRouteObject, staticRouteDefinitionOf } from "../../lib/cluster/convert.ts";
import type { ApiObject, StaticRouteObject } from "../../lib/cluster/custom_resource.ts";
import type { KubernetesObject } from "../../lib/cluster/object.ts";
import { keyOfOwner, ownerOfKey } from "../../lib/cluster/owner.ts";
import { type FleetRef, qualifiedName } from "../../lib/gateway/route.ts";
import type { DefinitionName, StoredDefinition } from "../io/gateway/plan_cache.ts";
import { specVersionOf } from "./resource_version.ts";

/** Tells whether an object is an API or static route. */
export function hasDefinition(object: KubernetesObject): object is ApiObject | StaticRouteObject {
  return isApiObject(object) || isStaticRouteObject(object);
}

/** Returns the name of a definition in a cache of plans. */
export function definitionNameOf({ kind, metadata: { namespace = "", name } }: KubernetesObject): DefinitionName {
  return { kind: kind === "API" ? "api" : "static-route", namespace, name };
}

/**
 * Returns the definition of an API or static route, for a cache of plans.
 *
 * @param fleet The fleet that the object is on. Without a fleet in its `spec` this is the default fleet, which may
 * change while the object doesn't.
 */
export function storedDefinitionOf(object: ApiObject | StaticRouteObject, fleet: FleetRef): StoredDefinition {
  return {
    ...definitionNameOf(object),
    fleet,
    version: `${specVersionOf(object)} ${qualifiedName(fleet)}`,
    readText: () => isApiObject(object) ? definitionOf(object) : staticRouteDefinitionOf(object),
  };
}

/** Returns the key of an API or static route, such as `API shop/todo`. */
export function keyOfDefinition({ kind, namespace, name }: DefinitionName): string {
  return keyOfOwner({ kind: kind === "api" ? "API" : "StaticRoute", namespace, name });
}

/** Parses a key of {@linkcode keyOfDefinition}. */
export function definitionOfKey(key: string): DefinitionName {
  const { kind, namespace, name } = ownerOfKey(key);
  return { kind: kind === "API" ? "api" : "static-route", namespace, name };
}
