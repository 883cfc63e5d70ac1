/**
 * Kubernetes objects, as far as gw reads and writes them.
 *
 * @module
 */
import { isObject } from "../schema/node.ts";

/** An object of the Kubernetes API, as it is written in YAML. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: unknown;
  status?: unknown;
  /** Fields of kinds without `spec`: `data`, `rules`, `subjects`, … */
  [field: string]: unknown;
}

/** The metadata of every object. @see {@link https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/} */
export interface ObjectMeta {
  name: string;
  /** Absent for cluster-scoped objects. */
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  uid?: string;
  resourceVersion?: string;
  /** Counts the changes of `spec`. */
  generation?: number;
  /** RFC 3339. */
  creationTimestamp?: string;
  /** RFC 3339; present while finalizers delay the deletion. */
  deletionTimestamp?: string;
  [field: string]: unknown;
}

/** An owner reference: the object is garbage-collected with its owner. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** A condition of an object's status. @see {@link https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#condition-v1-meta} */
export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  /** A word in CamelCase. */
  reason: string;
  /** A sentence for people. */
  message: string;
  observedGeneration?: number;
  /** RFC 3339. */
  lastTransitionTime?: string;
}

/** The identity of an object. */
export interface ObjectId {
  apiVersion: string;
  kind: string;
  /** Empty for cluster-scoped objects. */
  namespace: string;
  name: string;
}

/**
 * The labels of an object that an informer has cached. `undefined` without an object: the informer may not have
 * received it yet.
 */
export function labelsOfKnown(object: KubernetesObject | undefined): Record<string, string> | undefined {
  return object === undefined ? undefined : object.metadata.labels ?? {};
}

/** The identity of an object, as a text: `gateway.networking.k8s.io/v1 HTTPRoute shop/todo`. */
export function keyOfObject({ apiVersion, kind, metadata: { namespace = "", name } }: KubernetesObject): string {
  return keyOfId({ apiVersion, kind, namespace, name });
}

/** Reads the identity of an object. */
export function idOf({ apiVersion, kind, metadata: { namespace = "", name } }: KubernetesObject): ObjectId {
  return { apiVersion, kind, namespace, name };
}

/** The text form of an identity: `gateway.networking.k8s.io/v1 HTTPRoute shop/todo`. */
export function keyOfId({ apiVersion, kind, namespace, name }: ObjectId): string {
  return `${apiVersion} ${kind} ${namespace}/${name}`;
}

/**
 * Whether a value in the cluster has each desired field with its value. Fields beyond those, such as defaults of the API
 * server, don't matter, but items of lists beyond the desired ones do.
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
