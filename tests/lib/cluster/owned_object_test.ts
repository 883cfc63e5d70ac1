import assert from "node:assert/strict";
import { API_VERSION, FINALIZER, GROUP, LABELS } from "../../../lib/cluster/names.ts";
import type { KubernetesObject, ObjectMeta } from "../../../lib/cluster/object.ts";
import {
  APPLIED_ANNOTATION,
  hasDesiredSpec,
  isAsDesired,
  isChangedByOthers,
  isOwned,
  isRecordRight,
  nextState,
  stateAtFirst,
  withRightRecord,
} from "../../../lib/cluster/owned_object.ts";
import { isEqual } from "../../../lib/schema/json/equal.ts";

const OWNER = { apiVersion: API_VERSION, kind: "API", name: "todo", uid: "1" };

/** A desired policy, with changes. */
function policy(spec: unknown = { path: "/auth" }, metadata: Partial<ObjectMeta> = {}): KubernetesObject {
  const labels = { [LABELS.managedBy]: "gw", [LABELS.api]: "todo" };
  return {
    apiVersion: "v1",
    kind: "SecurityPolicy",
    metadata: { name: "todo", namespace: "shop", labels, ownerReferences: [OWNER], ...metadata },
    spec,
  };
}

/** Stores an object as an API server does: a change of `spec` increases the generation. */
function stored(object: KubernetesObject, before?: KubernetesObject): KubernetesObject {
  const { generation = 0, resourceVersion = "0" } = before?.metadata ?? {};
  const isSame = before !== undefined && isEqual(before.spec, object.spec);
  const metadata = {
    ...object.metadata,
    uid: "7",
    generation: generation + (isSame ? 0 : 1),
    resourceVersion: String(Number(resourceVersion) + 1),
  };
  return { ...object, metadata };
}

/** An object that gw wrote and another client edited. */
function edited(spec: unknown, desired = policy()): KubernetesObject {
  const written = stored(stateAtFirst(desired));
  return stored({ ...written, spec }, written);
}

Deno.test("An object that gw has created is as desired, and nobody else's", () => {
  const present = stored(stateAtFirst(policy()));
  assert.ok(isOwned(present) && isAsDesired(present, policy()) && hasDesiredSpec(present, policy()));
  assert.ok(!isChangedByOthers(present));
});

const changes: { name: string; spec: unknown }[] = [
  { name: "a field that was added", spec: { path: "/auth", failOpen: true } },
  { name: "a field deep in it", spec: { path: "/auth", cors: { origins: ["*"] } } },
  { name: "another value", spec: { path: "/open" } },
  { name: "a field that was removed", spec: {} },
];
for (const { name, spec } of changes) {
  Deno.test(`A change of spec by somebody else is seen and replaced: ${name}`, () => {
    const present = edited(spec);
    assert.ok(isChangedByOthers(present) && !hasDesiredSpec(present, policy()) && !isAsDesired(present, policy()));
    const next = nextState(present, policy());
    assert.deepEqual(next.spec, policy().spec);
    const replaced = stored(next, present);
    assert.ok(isRecordRight(replaced) && isAsDesired(replaced, policy()) && !isChangedByOthers(replaced));
  });
}

Deno.test("An edit that was undone is a change too, until gw has written the object again", () => {
  const present = stored({ ...edited({}), spec: policy().spec }, edited({}));
  assert.ok(isChangedByOthers(present));
  const replaced = stored(nextState(present, policy()), present);
  // The record expects a higher generation, which the write would have caused if it had changed the spec.
  assert.ok(!isRecordRight(replaced));
  const corrected = stored(withRightRecord(replaced, policy()), replaced);
  assert.ok(isAsDesired(corrected, policy()) && !isChangedByOthers(corrected));
});

Deno.test("Defaults of the API server are no change, and a change of labels is none of spec", () => {
  const created = stored(stateAtFirst(policy()));
  const present = { ...created, spec: { path: "/auth", statusOnError: 403 } };
  assert.ok(isAsDesired(present, policy()));
  const relabelled = policy(undefined, { labels: { ...policy().metadata.labels, [LABELS.fleet]: "edge" } });
  assert.ok(hasDesiredSpec(present, relabelled) && !isAsDesired(present, relabelled));
  assert.ok(isRecordRight(nextState(present, relabelled)));
});

Deno.test("Labels, annotations, finalizers and owners of others stay; those of gw that aren't desired go", () => {
  const desired = policy(undefined, { finalizers: [FINALIZER], annotations: { [`${GROUP}/protection`]: "closed" } });
  const theirs = { apiVersion: "v1", kind: "ConfigMap", name: "theirs", uid: "9" };
  const { metadata, ...rest } = stored(stateAtFirst(desired));
  const present = {
    ...rest,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, theirs: "1", [`${GROUP}/stale`]: "1" },
      annotations: { ...metadata.annotations, theirs: "2", [`${GROUP}/stale`]: "2" },
      finalizers: [FINALIZER, "theirs/finalizer"],
      ownerReferences: [{ ...OWNER, uid: "0" }, theirs],
    },
  };
  assert.ok(!isAsDesired(present, desired));
  const next = nextState(present, desired).metadata;
  assert.deepEqual(next.labels, { ...desired.metadata.labels, theirs: "1" });
  const { [APPLIED_ANNOTATION]: applied, ...annotations } = next.annotations ?? {};
  assert.equal(applied, metadata.annotations?.[APPLIED_ANNOTATION]);
  assert.deepEqual(annotations, { theirs: "2", [`${GROUP}/protection`]: "closed" });
  assert.deepEqual(next.finalizers, ["theirs/finalizer", FINALIZER]);
  assert.deepEqual(next.ownerReferences, [OWNER, theirs]);
  assert.deepEqual([next.uid, next.resourceVersion], [metadata.uid, metadata.resourceVersion]);
});

Deno.test("A Gateway keeps the listeners that gw has never written, and only these", () => {
  const gateway = (...listeners: unknown[]): KubernetesObject => ({
    ...policy({ gatewayClassName: "eg", listeners }),
    kind: "Gateway",
  });
  const [http, https, theirs] = [{ name: "http", port: 80 }, { name: "https", port: 443 }, { name: "theirs", port: 1 }];
  const written = stored(stateAtFirst(gateway(http, https)));
  const present = stored({
    ...written,
    ...gateway({ ...http, hostname: "x" }, https, theirs),
    metadata: written.metadata,
  }, written);
  assert.deepEqual(nextState(present, gateway(http)).spec, gateway(http, theirs).spec);
  assert.deepEqual(nextState(present, gateway(http, https)).spec, gateway(http, https, theirs).spec);
});

Deno.test("An object of an earlier version of gw, which recorded no generation, is compared field by field", () => {
  const { metadata, ...rest } = stored(policy());
  const earlier = { ...rest, metadata: { ...metadata, annotations: { [APPLIED_ANNOTATION]: "c2hhMjU2" } } };
  assert.ok(isOwned(earlier) && !isChangedByOthers(earlier) && hasDesiredSpec(earlier, policy()));
  assert.ok(!hasDesiredSpec(earlier, policy({ path: "/other" })));
  // The object must still be written: the annotation that records its generation is missing.
  assert.ok(!isAsDesired(earlier, policy()));
});

Deno.test("An object without a record was changed by others", () => {
  assert.ok(isChangedByOthers(stored(policy())) && !hasDesiredSpec(stored(policy()), policy()));
});
