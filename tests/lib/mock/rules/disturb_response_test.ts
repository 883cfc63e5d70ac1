import assert from "node:assert/strict";
import { MOST_DELAY } from "../../../../lib/mock/rules/delay.ts";
import { disturbResponse } from "../../../../lib/mock/rules/disturb_response.ts";

Deno.test("a slow body waits at most as long as a delay between two chunks, at any rate", async (t) => {
  for (
    const { rate, want } of [
      { rate: 1e-300, want: [MOST_DELAY, MOST_DELAY] },
      { rate: 1e-9, want: [MOST_DELAY, MOST_DELAY] },
      { rate: 0.001, want: [MOST_DELAY, MOST_DELAY] },
      { rate: 0.01, want: [100_000, 100_000] },
      { rate: 2, want: [500, 500] },
      { rate: 1e300, want: [100] },
      { rate: Number.MAX_VALUE, want: [100] },
    ]
  ) {
    await t.step(`${rate} bytes per second`, async () => {
      const waits: number[] = [];
      const sleep = (milliseconds: number): Promise<void> => {
        waits.push(milliseconds);
        return Promise.resolve();
      };
      const world = { sleep, drop: (_: unknown, response: Response) => Promise.resolve(response) };
      const { signal } = new AbortController();
      const slow = await disturbResponse(new Response("ab"), signal, { fault: { kind: "slow", rate } }, world);
      assert.equal(await slow.text(), "ab");
      assert.deepEqual(waits, want);
    });
  }
});
