import assert from "node:assert/strict";
import { restoringPatch } from "../../../lib/cluster/restore.ts";

const cases: { name: string; observed: Record<string, unknown>; desired: Record<string, unknown>; want: unknown }[] = [
  { name: "nothing where nothing differs", observed: { a: { b: [1] } }, desired: { a: { b: [1] } }, want: {} },
  {
    name: "what was added, at any depth",
    observed: { a: { b: 1, c: 2 }, d: 3 },
    desired: { a: { b: 1 } },
    want: { a: { c: null }, d: null },
  },
  { name: "what was changed and taken away", observed: { a: 2 }, desired: { a: 1, b: 1 }, want: { a: 1, b: 1 } },
  { name: "a list whole", observed: { a: [{ b: 1, c: 2 }] }, desired: { a: [{ b: 1 }] }, want: { a: [{ b: 1 }] } },
  {
    name: "a list that others may add to, with theirs",
    observed: { listeners: [{ name: "x", port: 1 }, { name: "a", port: 2, tls: {} }] },
    desired: { listeners: [{ name: "a", port: 2 }] },
    want: { listeners: [{ name: "a", port: 2 }, { name: "x", port: 1 }] },
  },
  { name: "nothing of what isn't said", observed: { a: 1 }, desired: { a: 1, b: undefined }, want: {} },
];
for (const { name, observed, desired, want } of cases) {
  Deno.test(`restoringPatch() has ${name}`, () => assert.deepEqual(restoringPatch(observed, desired), want));
}
