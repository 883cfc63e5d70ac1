import assert from "node:assert/strict";
import { covers } from "../../../lib/cluster/object.ts";

const cases: { name: string; observed: unknown; desired: unknown; want: boolean }[] = [
  { name: "the same", observed: { a: [1, "b"] }, desired: { a: [1, "b"] }, want: true },
  { name: "defaults beside", observed: { a: 1, kind: "Gateway" }, desired: { a: 1 }, want: true },
  {
    name: "defaults in items",
    observed: { refs: [{ name: "a", weight: 1 }] },
    desired: { refs: [{ name: "a" }] },
    want: true,
  },
  { name: "another value", observed: { a: 2 }, desired: { a: 1 }, want: false },
  { name: "a missing field", observed: {}, desired: { a: 1 }, want: false },
  { name: "one more item", observed: { rules: [1, 2] }, desired: { rules: [1] }, want: false },
  { name: "one item less", observed: { rules: [1] }, desired: { rules: [1, 2] }, want: false },
  { name: "an empty object that isn't kept", observed: {}, desired: { a: {} }, want: true },
  { name: "an empty list that isn't kept", observed: {}, desired: { a: [] }, want: true },
  { name: "undefined in what is wanted", observed: {}, desired: { a: undefined }, want: true },
];

for (const { name, observed, desired, want } of cases) {
  Deno.test(`covers() is ${want} for ${name}`, () => assert.equal(covers(observed, desired), want));
}
