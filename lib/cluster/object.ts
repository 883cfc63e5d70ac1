/**
 * The types of Kubernetes objects, with the fields that gw reads and writes.
 *
 * @module
 */
import { isObject } from "../schema/json/node.ts";

/** An object of the Kubernetes API. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: unknown;
  status?: unknown;
  /** The fields of kinds that have no `spec`, such as `data` or `rules`. */
  [field: string]: unknown;
}

/** The metadata of every object. @see {@link https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/} */
export interface ObjectMeta {
  name: string;
  /** The namespace; absent for cluster-scoped objects. */
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  uid?: string;
  resourceVersion?: string;
  /** A number that the API server increments with each change of `spec`. */
  generation?: number;
  /** The time of creation (RFC 3339). */
  creationTimestamp?: string;
  /** The time when deletion was requested (RFC 3339); present while finalizers delay the deletion. */
  deletionTimestamp?: string;
  [field: string]: unknown;
}

/** A reference to an owner. Kubernetes deletes an object when its owners are gone. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** A condition of an object's status. @see {@link https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#condition-v1-meta} */
export interface StatusCondition {
  type: string;
  status: "True" | "False" | "Unknown";
  /** The reason of the status as a word in CamelCase. */
  reason: string;
  /** The reason of the status as a sentence. */
  message: string;
  observedGeneration?: number;
  /** The time when the status last changed (RFC 3339). */
  lastTransitionTime?: string;
}

/** The parts that identify an object. */
export interface ObjectId {
  apiVersion: string;
  kind: string;
  /** The namespace; empty for cluster-scoped objects. */
  namespace: string;
  name: string;
}

/**
 * Returns the labels of an object in an informer's cache; `undefined` without an object, since the informer may not
 * have received it yet.
 */
export function labelsOfKnown(object: KubernetesObject | undefined): Record<string, string> | undefined {
  return object === undefined ? undefined : object.metadata.labels ?? {};
}

/** Returns the identity of an object as a text: `gateway.networking.k8s.io/v1 HTTPRoute shop/todo`. */
export function keyOfObject({ apiVersion, kind, metadata: { namespace = "", name } }: KubernetesObject): string {
  return keyOfId({ apiVersion, kind, namespace, name });
}

export function idOf({ apiVersion, kind, metadata: { namespace = "", name } }: KubernetesObject): ObjectId {
  return { apiVersion, kind, namespace, name };
}

/** Writes an identity as a text: `gateway.networking.k8s.io/v1 HTTPRoute shop/todo`. */
export function keyOfId({ apiVersion, kind, namespace, name }: ObjectId): string {
  return `${apiVersion} ${kind} ${namespace}/${name}`;
}

/**
 * Tells whether an observed value has every field of the desired value. Further fields don't matter, such as defaults
 * that the API server adds. Further items of a list do matter.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const desired = { rules: [{ name: "mock" }] };
 * assert.ok(covers({ rules: [{ name: "mock", timeouts: {} }] }, desired));
 * assert.ok(!covers({ rules: [{ name: "mock" }, { name: "mine" }] }, desired));
 * ```
 */
export function covers(observed: unknown, desired: unknown): boolean {
  if (Array.isArray(desired)) {
    if (!Array.isArray(observed)) return desired.length === 0 && observed === undefined;
    return observed.length === desired.length && desired.every((item, index) => covers(observed[index], item));
  }
  if (isObject(desired)) {
    if (!isObject(observed)) return observed === undefined && Object.values(desired).every(isAbsent);
    return Object.entries(desired).every(([key, value]) => covers(observed[key], value));
  }
  return Object.is(observed, desired) || (isAbsent(observed) && isAbsent(desired));
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
