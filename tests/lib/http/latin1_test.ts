import assert from "node:assert/strict";
import { latin1Bytes, latin1Text, textByUnits } from "../../../lib/http/latin1.ts";

Deno.test("latin1Text() has one character for each byte, in every runtime", () => {
  for (const length of [0, 1, 255, 256, 48 * 1024, 100_001]) {
    const bytes = Uint8Array.from({ length }, (_, at) => at % 251 + at % 5);
    const text = latin1Text(bytes);
    assert.equal(text, Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    assert.equal(text, textByUnits(bytes));
    assert.deepEqual(latin1Bytes(text), bytes);
  }
});
