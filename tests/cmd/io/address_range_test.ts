import assert from "node:assert/strict";
import { addressRange } from "../../../cmd/io/address_range.ts";
import { createRangeTest } from "../../../cmd/io/files/within_ranges.ts";

Deno.test("createRangeTest() tells the addresses within ranges", () => {
  const isWithin = createRangeTest(["10.0.0.0/8", "192.0.2.1", "fd00::/8"].map(addressRange));
  for (const address of ["10.0.0.1", "10.255.0.0", "192.0.2.1", "fd12::1", "::ffff:10.1.2.3"]) {
    assert.equal(isWithin(address), true, address);
  }
  for (const address of ["11.0.0.1", "192.0.2.2", "fe80::1", "localhost", ""]) {
    assert.equal(isWithin(address), false, address);
  }
});

Deno.test("addressRange() takes addresses and prefixes only", () => {
  for (
    const written of [
      "10.0.0.0/33",
      "fd00::/129",
      "localhost",
      "10.0.0/8",
      "10.0.0.256",
      "010.0.0.1",
      "::1]@[::1",
      "fe80::1%25eth0",
      "10.0.0.0/",
      "10.0.0.0/-1",
      "*",
      "",
    ]
  ) {
    assert.throws(
      () => addressRange(written),
      /^RangeError: addresses such as 10\.0\.0\.0\/8 or fd00::\/8 are meant here/,
    );
  }
  assert.deepEqual(addressRange("::1"), { address: "::1", prefix: 128 });
});
