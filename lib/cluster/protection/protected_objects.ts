/**
 * Guarded HTTPRoutes (those for clients with credentials or for valid requests) and their policies: the annotation of
 * a route, and the closed forms of route and policy, which let no request pass.
 *
 * @module
 */
import { isObject } from "../../schema/node.ts";
import { FINALIZER, GROUP, HEADERS, LABELS } from "../names.ts";
import type { KubernetesObject, ObjectMeta } from "../object.ts";
import type { Mocks } from "../translate/rendering.ts";

/** The annotation of a guarded route: `closed`, or `open` and the fingerprint of its protection. */
export const PROTECTION_ANNOTATION = `${GROUP}/protection`;

/** The annotation's value on a closed route. */
export const CLOSED = "closed";

/** The annotation's value on an open route. */
export function openWith(fingerprint: string): string {
  return `open ${fingerprint}`;
}

/** The annotation's value on a route; empty without the annotation, `undefined` without a route. */
export function protectionOf(route: KubernetesObject | undefined): string | undefined {
  return route === undefined ? undefined : route.metadata.annotations?.[PROTECTION_ANNOTATION] ?? "";
}

/** The same object with a value of the annotation. */
export function withProtection(object: KubernetesObject, value: string): KubernetesObject {
  const { metadata } = object;
  const annotations = { ...metadata.annotations, [PROTECTION_ANNOTATION]: value };
  return { ...object, metadata: { ...metadata, annotations } };
}

/** Whether a route has the annotation of guarded routes, so that not every request may pass it. */
export function isGuarded(route: KubernetesObject): boolean {
  return protectionOf(route) !== "";
}

/** Whether an object is an HTTPRoute with request validation, by the shared policy of its namespace. */
export function isChecked({ kind, metadata: { labels } }: KubernetesObject): boolean {
  return kind === "HTTPRoute" && labels?.[LABELS.checked] !== undefined;
}

/**
 * The closed form of an HTTPRoute in the cluster: the same requests go to the mocks, which answer 503. It is made from
 * the object in the cluster, and so needs no definition.
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

/** The closed form of a policy, which refuses every request to the same targets. */
export function closedPolicy(policy: KubernetesObject): KubernetesObject {
  const targetRefs = isObject(policy.spec) ? policy.spec["targetRefs"] : undefined;
  return { ...policy, spec: { targetRefs, authorization: { defaultAction: "Deny" } } };
}

/** The same object with gw's finalizer: deletion by another client waits until nothing depends on the object. */
export function withFinalizer(object: KubernetesObject): KubernetesObject {
  return { ...object, metadata: { ...object.metadata, finalizers: [FINALIZER] } };
}

/** The metadata of an object in the cluster as a desired object has it, without the fields that the API server sets. */
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
