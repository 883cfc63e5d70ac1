import assert from "node:assert/strict";
import { foreignFields, withoutForeignFields } from "../../../lib/cluster/managed_fields.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";

/** An entry of `managedFields`, as an API server writes it. */
function entry(manager: string, fieldsV1: unknown, others: Record<string, unknown> = {}): unknown {
  const operation = manager === "gw" ? "Apply" : "Update";
  return {
    manager,
    operation,
    apiVersion: "v1",
    time: "2026-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1,
    ...others,
  };
}

function object(...managedFields: readonly unknown[]): KubernetesObject {
  return { apiVersion: "v1", kind: "Test", metadata: { name: "test", managedFields } };
}

const OWN = entry("gw", {
  "f:metadata": { "f:labels": { "f:a": {} } },
  "f:spec": {
    "f:extAuth": { "f:http": { "f:path": {} } },
    "f:rules": {},
    "f:listeners": { 'k:{"name":"http"}': { ".": {}, "f:name": {}, "f:port": {} } },
    "f:tags": { 'v:"a"': {} },
  },
});

const cases: { name: string; others: readonly unknown[]; want: readonly string[] }[] = [
  { name: "nobody else's", others: [], want: [] },
  {
    name: "below a field of its own",
    others: [{ "f:spec": { "f:extAuth": { "f:failOpen": {} } } }],
    want: ["spec.extAuth.failOpen"],
  },
  { name: "right under spec", others: [{ "f:spec": { "f:cors": { ".": {}, "f:max": {} } } }], want: ["spec.cors.max"] },
  { name: "the same field, with the same value", others: [{ "f:spec": { "f:rules": {} } }], want: [] },
  {
    name: "in an item of its own",
    others: [{ "f:spec": { "f:listeners": { 'k:{"name":"http"}': { "f:tls": {} } } } }],
    want: ['spec.listeners[{"name":"http"}].tls'],
  },
  {
    name: "an item of a list that others may add to",
    others: [{ "f:spec": { "f:listeners": { 'k:{"name":"x"}': { ".": {}, "f:name": {} } } } }],
    want: [],
  },
  { name: "a value of a set", others: [{ "f:spec": { "f:tags": { 'v:"b"': {} } } }], want: ['spec.tags["b"]'] },
  { name: "labels", others: [{ "f:metadata": { "f:labels": { "f:b": {} } } }], want: [] },
  {
    name: "what two others have added",
    others: [{ "f:spec": { "f:x": {} } }, { "f:spec": { "f:x": {}, "f:y": {} } }],
    want: ["spec.x", "spec.y"],
  },
];
for (const { name, others, want } of cases) {
  Deno.test(`foreignFields() tells ${name}: ${want.join(" ")}`, () => {
    const entries = others.map((fields, index) => entry(`kubectl-edit-${index}`, fields));
    assert.deepEqual(foreignFields(object(OWN, ...entries), "gw"), want);
  });
}

Deno.test("foreignFields() tells what was changed: it is no longer one's own", () => {
  const { "f:rules": _rules, ...spec } = Object(OWN).fieldsV1["f:spec"];
  const entries = [entry("gw", { "f:spec": spec }), entry("kubectl-edit", { "f:spec": { "f:rules": {} } })];
  assert.deepEqual(foreignFields(object(...entries), "gw"), ["spec.rules"]);
});

Deno.test("foreignFields() takes all for somebody's when nobody is known to have written it", () => {
  assert.deepEqual(foreignFields(object(entry("somebody", { "f:metadata": {} })), "gw"), ["spec"]);
});

Deno.test("foreignFields() leaves out who writes the status, and bears what is no such list", () => {
  const status = entry("envoy-gateway", { "f:spec": { "f:x": {} } }, { subresource: "status" });
  assert.deepEqual(foreignFields(object(OWN, status), "gw"), []);
  for (const managedFields of [undefined, null, "x", [OWN, 1, {}, { manager: "x", fieldsV1: 1 }]]) {
    assert.deepEqual(foreignFields({ ...object(), metadata: { name: "test", managedFields } }, "gw"), []);
  }
});

Deno.test("withoutForeignFields() leaves others what isn't in spec", () => {
  const label = { "f:metadata": { "f:labels": { "f:b": {} } } };
  const both = entry("kubectl-edit", { ...label, "f:spec": { "f:x": {} } });
  const status = entry("envoy-gateway", { "f:status": {} }, { subresource: "status" });
  assert.deepEqual(
    withoutForeignFields([OWN, both, status, entry("somebody", { "f:spec": { "f:y": {} } })], "gw"),
    [OWN, entry("kubectl-edit", label), status],
  );
});
