import assert from "node:assert/strict";
import { fingerprintOf, sortedJson } from "../../../lib/gateway/hash.ts";
import { hashOf } from "../../../lib/http/hash.ts";

Deno.test("sortedJson() is the same JSON for the same value with any order of keys", () => {
  const value = { b: [1, { d: null, c: undefined }, undefined], a: 'x"y' };
  assert.equal(sortedJson(value), '{"a":"x\\"y","b":[1,{"d":null},null]}');
  assert.deepEqual(JSON.parse(sortedJson(value)), JSON.parse(JSON.stringify(value)));
  assert.equal(fingerprintOf({ a: 1, b: 2 }), fingerprintOf({ b: 2, a: 1 }));
  assert.notEqual(fingerprintOf({ a: 1 }), fingerprintOf({ a: 2 }));
});

Deno.test("hashOf() spreads paths evenly over each of its first bits", () => {
  const hashes = Array.from({ length: 2000 }, (_, index) => hashOf(`/things/${index}`));
  for (let bit = 0; bit < 6; bit++) {
    const ones = hashes.filter((hash) => ((hash >>> bit) & 1) === 1).length;
    assert.ok(ones > 850 && ones < 1150, `bit ${bit}: ${ones} of 2000`);
  }
});
