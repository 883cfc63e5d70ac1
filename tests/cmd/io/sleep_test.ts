import assert from "node:assert/strict";
import { sleep } from "../../../cmd/io/sleep.ts";

Deno.test("sleep() doesn't end at once for a time that no timer has, and ends when its signal aborts", async (t) => {
  for (const milliseconds of [2 ** 31, 1e12, Infinity]) {
    await t.step(`${milliseconds} ms`, async () => {
      const controller = new AbortController();
      const long = sleep(milliseconds, controller.signal).then(() => "long");
      // A timer that overflows has elapsed before one that is set later.
      assert.equal(await Promise.race([long, sleep(2).then(() => "short")]), "short");
      controller.abort();
      assert.equal(await long, "long");
    });
  }
  await sleep(2 ** 31, AbortSignal.abort());
});
