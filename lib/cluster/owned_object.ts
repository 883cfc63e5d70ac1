/**
 * Objects whose `spec` belongs to gw as a whole: gw replaces `spec` in one write, and overwrites the changes of others.
 *
 * An annotation records a hash of the `spec` that gw wrote and the generation that the object got by that write. The
 * API server increments `metadata.generation` with every change of `spec`, so another generation means that another
 * client has changed `spec`. The annotation is still there after restarts and changes of leader. Defaults that the API
 * server adds to `spec` make no difference.
 *
 * In `metadata`, gw owns the labels and annotations of its own prefix, its finalizer, and the references to owners of
 * its own kinds. Other clients may add labels and annotations of their own, and listeners to a Gateway.
 *
 * @module
 */
import { fingerprintOf } from "../gateway/hash.ts";
import { isObject, type JsonObject } from "../schema/node.ts";
import { API_VERSION, FIELD_MANAGER, FINALIZER, GROUP, LABELS } from "./names.ts";
import { covers, type KubernetesObject, type ObjectMeta } from "./object.ts";

/** The annotation that records the last write: hash of `spec`, a space, and the generation. */
export const APPLIED_ANNOTATION = `${GROUP}/applied`;

/**
 * The annotation with the names of the listeners that gw has written into a Gateway. All others are those of other
 * clients.
 */
const LISTENERS_ANNOTATION = `${GROUP}/listeners`;

/** Annotations that describe a write, and aren't part of the desired object. */
const RECORDS: ReadonlySet<string> = new Set([APPLIED_ANNOTATION, LISTENERS_ANNOTATION]);

const OWN_PREFIX = `${GROUP}/`;

/** Whether gw has made an object. The annotation of gw's last write shows that too, if the label was removed. */
export function isOwned({ metadata: { labels, annotations } }: KubernetesObject): boolean {
  return labels?.[LABELS.managedBy] === FIELD_MANAGER || annotations?.[APPLIED_ANNOTATION] !== undefined;
}

/**
 * Whether others have changed the `spec` of an object since gw wrote it, or have removed the annotation that records
 * the write.
 */
export function isChangedByOthers({ metadata: { annotations, generation } }: KubernetesObject): boolean {
  const written = annotations?.[APPLIED_ANNOTATION];
  const applied = readApplied(written);
  return written === undefined || (applied !== undefined && applied.generation !== generation);
}

/** Whether `spec` of an object is as desired; labels and annotations don't matter. */
export function hasDesiredSpec(present: KubernetesObject, desired: KubernetesObject): boolean {
  const applied = readApplied(present.metadata.annotations?.[APPLIED_ANNOTATION]);
  // Earlier versions of gw recorded no generation: then the fields are compared.
  if (applied === undefined) return !isChangedByOthers(present) && covers(present.spec, desired.spec);
  return applied.generation === present.metadata.generation && applied.hash === fingerprintOf(desired.spec);
}

/** Whether an object is as desired and needs no write. */
export function isAsDesired(present: KubernetesObject, desired: KubernetesObject): boolean {
  const { labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = desired.metadata;
  const { metadata } = present;
  return readApplied(metadata.annotations?.[APPLIED_ANNOTATION]) !== undefined && hasDesiredSpec(present, desired) &&
    hasEntries(metadata.labels, labels) && hasEntries(metadata.annotations, annotations) &&
    finalizers.every((finalizer) => metadata.finalizers?.includes(finalizer)) &&
    ownerReferences.every((wanted) => metadata.ownerReferences?.some((reference) => covers(reference, wanted)));
}

/** The object as gw creates it: the desired one, with {@linkcode APPLIED_ANNOTATION}. */
export function firstState(desired: KubernetesObject): KubernetesObject {
  return withRecord(desired, desired.spec, 1);
}

/**
 * The object that replaces the present one: with the desired `spec`, and with the labels, annotations, finalizers and
 * owners of other clients. A Gateway also keeps the listeners of other clients. The object names the `resourceVersion`
 * of the present one, so that a concurrent change isn't overwritten.
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

/** Whether the annotation records the generation that the API server gave the written object. */
export function isRecordRight({ metadata: { annotations, generation } }: KubernetesObject): boolean {
  return readApplied(annotations?.[APPLIED_ANNOTATION])?.generation === generation;
}

/** Corrects the generation in the annotation of a written object. Before the write it could only be predicted. */
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

/** Reads the record of a write; `undefined` for that of an earlier version of gw, which has no generation. */
function readApplied(text: string | undefined): { hash: string; generation: number } | undefined {
  const [, hash, generation] = /^(\S+) (\d+)$/.exec(text ?? "") ?? [];
  return hash === undefined ? undefined : { hash, generation: Number(generation) };
}

/** Whether labels or annotations have all wanted entries, and no others of gw's prefix but the records of writes. */
function hasEntries(present: ObjectMeta["labels"], wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => present?.[key] === value) &&
    Object.keys(present ?? {}).every((key) => !key.startsWith(OWN_PREFIX) || key in wanted || RECORDS.has(key));
}

function entriesOfOthers(present: ObjectMeta["labels"]): Record<string, string> {
  return Object.fromEntries(Object.entries(present ?? {}).filter(([key]) => !key.startsWith(OWN_PREFIX)));
}

/** The desired `spec`. A Gateway also keeps its present listeners that gw hasn't written. */
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
