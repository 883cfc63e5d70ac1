/**
 * Objects whose `spec` gw owns as a whole: gw replaces `spec` in one write, and overwrites changes by other clients.
 *
 * An annotation records a hash of the `spec` that gw has written, and the generation that the object got by this write.
 * The API server increments `metadata.generation` with each change of `spec`. So another generation means that another
 * client has changed `spec`, while defaults that the API server adds make no difference. As an annotation, the record
 * survives restarts and changes of the leader.
 *
 * In `metadata`, gw owns its finalizer, the labels and annotations with gw's prefix, and the references to owners of
 * gw's kinds. Other clients may add further ones, and add listeners to a Gateway.
 *
 * @module
 */
import { fingerprintOf } from "../gateway/hash.ts";
import { isObject, type JsonObject } from "../schema/json/node.ts";
import { API_VERSION, FIELD_MANAGER, FINALIZER, GROUP, LABELS } from "./names.ts";
import { covers, type KubernetesObject, type ObjectMeta } from "./object.ts";

/** The annotation that records gw's last write of an object: the hash of `spec`, a space, and the generation. */
export const APPLIED_ANNOTATION = `${GROUP}/applied`;

/**
 * The annotation of a Gateway with the names of the listeners that gw has written. Other clients have added all other
 * listeners.
 */
const LISTENERS_ANNOTATION = `${GROUP}/listeners`;

/** The annotations that describe gw's last write. A desired object doesn't have them. */
const RECORDS: ReadonlySet<string> = new Set([APPLIED_ANNOTATION, LISTENERS_ANNOTATION]);

const OWN_PREFIX = `${GROUP}/`;

/** Tells whether gw has made an object. If its label was removed, the annotation of gw's last write tells it, too. */
export function isOwned({ metadata: { labels, annotations } }: KubernetesObject): boolean {
  return labels?.[LABELS.managedBy] === FIELD_MANAGER || annotations?.[APPLIED_ANNOTATION] !== undefined;
}

/**
 * Tells whether another client has changed the `spec` of an object since gw wrote it, or has removed the annotation
 * that records the write.
 */
export function isChangedByOthers({ metadata: { annotations, generation } }: KubernetesObject): boolean {
  const written = annotations?.[APPLIED_ANNOTATION];
  const applied = readApplied(written);
  return written === undefined || (applied !== undefined && applied.generation !== generation);
}

/** Tells whether the `spec` of an object is as desired. Labels and annotations don't matter. */
export function hasDesiredSpec(present: KubernetesObject, desired: KubernetesObject): boolean {
  const applied = readApplied(present.metadata.annotations?.[APPLIED_ANNOTATION]);
  // Earlier versions of gw recorded no generation. For their objects the fields of `spec` are compared.
  if (applied === undefined) return !isChangedByOthers(present) && covers(present.spec, desired.spec);
  return applied.generation === present.metadata.generation && applied.hash === fingerprintOf(desired.spec);
}

/** Tells whether an object needs no write: `spec` and gw's part of `metadata` are as desired. */
export function isAsDesired(present: KubernetesObject, desired: KubernetesObject): boolean {
  const { labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = desired.metadata;
  const { metadata } = present;
  return readApplied(metadata.annotations?.[APPLIED_ANNOTATION]) !== undefined && hasDesiredSpec(present, desired) &&
    hasEntries(metadata.labels, labels) && hasEntries(metadata.annotations, annotations) &&
    finalizers.every((finalizer) => metadata.finalizers?.includes(finalizer)) &&
    ownerReferences.every((wanted) => metadata.ownerReferences?.some((reference) => covers(reference, wanted)));
}

/** Makes the object that gw creates: the desired object, with the annotation that records the write. */
export function stateAtFirst(desired: KubernetesObject): KubernetesObject {
  return withRecord(desired, desired.spec, 1);
}

/**
 * Makes the object that replaces the present one: the desired `spec`, with the labels, annotations, finalizers, owners
 * and listeners that other clients have added. It has the `resourceVersion` of the present object, so that a concurrent
 * change isn't overwritten.
 */
export function nextState(present: KubernetesObject, desired: KubernetesObject): KubernetesObject {
  const { metadata } = present;
  const { labels, annotations, finalizers = [], ownerReferences = [] } = desired.metadata;
  const others = {
    finalizers: (metadata.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER),
    ownerReferences: (metadata.ownerReferences ?? []).filter(({ apiVersion }) => apiVersion !== API_VERSION),
  };
  const merged: KubernetesObject = {
    ...desired,
    metadata: {
      ...metadata,
      labels: { ...entriesOfOthers(metadata.labels), ...labels },
      annotations: { ...entriesOfOthers(metadata.annotations), ...annotations },
      finalizers: [...others.finalizers, ...finalizers],
      ownerReferences: [...ownerReferences, ...others.ownerReferences],
    },
    spec: withListenersOfOthers(present, desired),
  };
  const isSame = hasDesiredSpec(present, desired);
  return withRecord(merged, desired.spec, (metadata.generation ?? 0) + (isSame ? 0 : 1));
}

/** Tells whether the annotation of an object records its present generation. */
export function isRecordRight({ metadata: { annotations, generation } }: KubernetesObject): boolean {
  return readApplied(annotations?.[APPLIED_ANNOTATION])?.generation === generation;
}

/** Corrects the recorded generation of a written object. Before the write, gw could only predict it. */
export function withRightRecord(written: KubernetesObject, { spec }: KubernetesObject): KubernetesObject {
  return withRecord(written, spec, written.metadata.generation ?? 0);
}

function withRecord(object: KubernetesObject, desiredSpec: unknown, generation: number): KubernetesObject {
  const { metadata } = object;
  const listeners = object.kind === "Gateway" ? listenersOf(desiredSpec).map(({ name }) => String(name)) : undefined;
  const annotations = {
    ...metadata.annotations,
    [APPLIED_ANNOTATION]: `${fingerprintOf(desiredSpec)} ${generation}`,
    ...(listeners === undefined ? {} : { [LISTENERS_ANNOTATION]: listeners.join(" ") }),
  };
  return { ...object, metadata: { ...metadata, annotations } };
}

/** Parses the annotation of a write; `undefined` if an earlier version of gw wrote it without a generation. */
function readApplied(text: string | undefined): { hash: string; generation: number } | undefined {
  const [, hash, generation] = /^(\S+) (\d+)$/.exec(text ?? "") ?? [];
  return hash === undefined ? undefined : { hash, generation: Number(generation) };
}

/**
 * Tells whether labels or annotations have all wanted entries, and with gw's prefix no others. The records of writes
 * don't count.
 */
function hasEntries(present: ObjectMeta["labels"], wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => present?.[key] === value) &&
    Object.keys(present ?? {}).every((key) => !key.startsWith(OWN_PREFIX) || key in wanted || RECORDS.has(key));
}

function entriesOfOthers(present: ObjectMeta["labels"]): Record<string, string> {
  return Object.fromEntries(Object.entries(present ?? {}).filter(([key]) => !key.startsWith(OWN_PREFIX)));
}

/** Returns the desired `spec`, for a Gateway with the present listeners that other clients have added. */
function withListenersOfOthers(
  { metadata, spec: present }: KubernetesObject,
  { kind, spec }: KubernetesObject,
): unknown {
  if (kind !== "Gateway" || !isObject(spec)) return spec;
  const own = new Set([
    ...listenersOf(spec).map(({ name }) => name),
    ...(metadata.annotations?.[LISTENERS_ANNOTATION] ?? "").split(" "),
  ]);
  const others = listenersOf(present).filter(({ name }) => !own.has(name));
  return { ...spec, listeners: [...listenersOf(spec), ...others] };
}

function listenersOf(spec: unknown): JsonObject[] {
  const listeners = isObject(spec) ? spec["listeners"] : undefined;
  return Array.isArray(listeners) ? listeners.filter(isObject) : [];
}
