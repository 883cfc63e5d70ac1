/**
 * Guarded HTTPRoutes (routes that not every request may pass) and their policies: the annotation that tells whether a
 * route is open, and the closed forms of routes and policies, which let no request pass.
 *
 * @module
 */
import { isObject } from "../../schema/json/node.ts";
import { FINALIZER, GROUP, HEADERS, LABELS } from "../names.ts";
import type { KubernetesObject, ObjectMeta } from "../object.ts";
import type { Mocks } from "../translate/rendering.ts";

/** The annotation of a guarded route: `closed`, or `open` and a hash of the policies that protect the route. */
export const PROTECTION_ANNOTATION = `${GROUP}/protection`;

/** The value of the annotation on a closed route. */
export const CLOSED = "closed";

/** Returns the value of the annotation on an open route. */
export function openWith(fingerprint: string): string {
  return `open ${fingerprint}`;
}

/** Tells by the value of the annotation whether a route is open on a Gateway. */
export function isOpenOn(value: string | undefined, gateway: string): boolean {
  return value?.startsWith("open ") === true && value.endsWith(` ${gateway}`);
}

/**
 * Returns the means by which a SecurityPolicy authenticates, as a text: equal for two policies whose filters Envoy runs
 * for the same requests. A policy that also validates requests has another text.
 */
export function meansOf({ spec }: KubernetesObject): string {
  const { jwt, oidc, extAuth } = isObject(spec) ? spec : {};
  const http = isObject(extAuth) ? extAuth["http"] : undefined;
  const isChecked = isObject(http) && typeof http["path"] === "string";
  return [
    ...(jwt === undefined ? [] : ["jwt"]),
    ...(oidc === undefined ? [] : ["oidc"]),
    ...(extAuth === undefined ? [] : [isChecked ? "checked" : "custom"]),
  ].join("+");
}

/** Returns the value of the annotation on a route; empty without the annotation, `undefined` without a route. */
export function protectionOf(route: KubernetesObject | undefined): string | undefined {
  return route === undefined ? undefined : route.metadata.annotations?.[PROTECTION_ANNOTATION] ?? "";
}

/** Returns a copy of a route with this value of the annotation. */
export function withProtection(object: KubernetesObject, value: string): KubernetesObject {
  const { metadata } = object;
  const annotations = { ...metadata.annotations, [PROTECTION_ANNOTATION]: value };
  return { ...object, metadata: { ...metadata, annotations } };
}

/** Tells by its annotation whether a route is guarded, so that not every request may pass it. */
export function isGuarded(route: KubernetesObject): boolean {
  return protectionOf(route) !== "";
}

/** Tells whether an object is an HTTPRoute whose requests are validated by the shared policy of its namespace. */
export function isChecked({ kind, metadata: { labels } }: KubernetesObject): boolean {
  return kind === "HTTPRoute" && labels?.[LABELS.checked] !== undefined;
}

/**
 * Returns the closed form of an HTTPRoute: all its requests go to the mocks, which answer 503. It is made from the
 * object in the cluster, and so needs no definition.
 */
export function closedRoute(route: KubernetesObject, mocks: Mocks): KubernetesObject {
  const { apiVersion, kind, metadata } = route;
  const spec = isObject(route.spec) ? route.spec : {};
  const rules = Array.isArray(spec["rules"]) ? spec["rules"].filter(isObject) : [];
  return {
    apiVersion,
    kind,
    metadata: desiredMetadata(metadata),
    spec: {
      ...("parentRefs" in spec ? { parentRefs: spec["parentRefs"] } : {}),
      ...("hostnames" in spec ? { hostnames: spec["hostnames"] } : {}),
      rules: rules.map((rule) => ({
        ...("name" in rule ? { name: rule["name"] } : {}),
        ...("matches" in rule ? { matches: rule["matches"] } : {}),
        filters: [{
          type: "RequestHeaderModifier",
          requestHeaderModifier: { set: [{ name: HEADERS.closed, value: metadata.name }] },
        }],
        backendRefs: [{ name: mocks.name, namespace: mocks.namespace, port: mocks.port }],
      })),
    },
  };
}

/** Returns the closed form of a policy: it refuses all requests to its targets. */
export function closedPolicy(policy: KubernetesObject): KubernetesObject {
  const targetRefs = isObject(policy.spec) ? policy.spec["targetRefs"] : undefined;
  return { ...policy, spec: { targetRefs, authorization: { defaultAction: "Deny" } } };
}

/**
 * Returns a copy of an object with gw's finalizer. If another client deletes the object, it stays in the cluster until
 * gw has closed what depends on it.
 */
export function withFinalizer(object: KubernetesObject): KubernetesObject {
  return { ...object, metadata: { ...object.metadata, finalizers: [FINALIZER] } };
}

/**
 * Returns the metadata of an object in the cluster without the fields that the API server sets, as a desired object has
 * it.
 */
export function desiredMetadata(
  { name, namespace, labels, annotations, ownerReferences }: ObjectMeta,
): KubernetesObject["metadata"] {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
  };
}
