import assert from "node:assert/strict";
import { Events } from "../../../../cmd/cluster/controller/events.ts";
import type { KubernetesObject, StatusCondition } from "../../../../lib/cluster/object.ts";

const object: KubernetesObject = {
  apiVersion: "gateway.x-svc.io/v1alpha1",
  kind: "API",
  metadata: { namespace: "shop", name: "todo" },
};

function condition(type: string, status: StatusCondition["status"], reason = type): StatusCondition {
  return { type, status, reason, message: `${type} is ${status}.` };
}

const accepted = condition("Accepted", "True");
const programmed = condition("Programmed", "True");
const resolved = condition("ResolvedRefs", "True");
const pending = condition("Programmed", "False", "Pending");
const unresolved = condition("ResolvedRefs", "False", "BackendNotFound");

const cases: { name: string; before: StatusCondition[]; after: StatusCondition[]; want: string[] }[] = [
  {
    name: "that it is on the air, not also that it is accepted",
    before: [],
    after: [accepted, programmed, resolved],
    want: ["Programmed"],
  },
  { name: "that it is accepted, while the gateway thinks", before: [], after: [accepted, pending], want: ["Accepted"] },
  {
    name: "that it is on the air then",
    before: [accepted, pending],
    after: [accepted, programmed, resolved],
    want: ["Programmed"],
  },
  {
    name: "that a Service is gone, and is back",
    before: [accepted, programmed, resolved],
    after: [accepted, programmed, unresolved],
    want: ["BackendNotFound"],
  },
  { name: "nothing twice", before: [accepted, programmed], after: [accepted, programmed], want: [] },
];

for (const { name, before, after, want } of cases) {
  Deno.test(`Events tell ${name}`, async () => {
    const reasons: unknown[] = [];
    const events = new Events({
      client: {
        create: (_, event) => {
          reasons.push(event["reason"]);
          return Promise.resolve(event);
        },
      },
      identity: "a",
      now: () => 0,
      onError: (error) => assert.fail(String(error)),
    });
    await events.write(object, before, after);
    assert.deepEqual(reasons, want);
  });
}

Deno.test("The note of an Event has 1,024 bytes at most, and ends after a whole character", async (test) => {
  const cases: { name: string; message: string; want: string }[] = [
    { name: "one that fits", message: "ä".repeat(512), want: "ä".repeat(512) },
    { name: "two bytes a character", message: "ä".repeat(513), want: `${"ä".repeat(510)}...` },
    { name: "cut within a character of three bytes", message: "€".repeat(342), want: `${"€".repeat(340)}...` },
    { name: "four bytes, two code units", message: "😀".repeat(257), want: `${"😀".repeat(255)}...` },
    { name: "ASCII", message: "a".repeat(1025), want: `${"a".repeat(1021)}...` },
  ];
  for (const { name, message, want } of cases) {
    await test.step(name, async () => {
      const notes: unknown[] = [];
      const events = new Events({
        client: { create: (_, event) => (notes.push(event["note"]), Promise.resolve(event)) },
        identity: "a",
        now: () => 0,
        onError: (error) => assert.fail(String(error)),
      });
      await events.write(object, [], [{ ...condition("Accepted", "False"), message }]);
      assert.deepEqual(notes, [want]);
      assert.ok(new TextEncoder().encode(want).length <= 1024);
    });
  }
});
