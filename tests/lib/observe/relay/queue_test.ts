import assert from "node:assert/strict";
import { createQueue } from "../../../../lib/observe/relay/queue.ts";

Deno.test("a queue runs its tasks one after the other, even after a task that failed", async () => {
  const queue = createQueue();
  let running = 0;
  const task = async (name: string): Promise<string> => {
    assert.equal(++running, 1);
    await new Promise((resolve) => setTimeout(resolve));
    running--;
    if (name === "b") throw new Error("b fails");
    return name;
  };
  const results = await Promise.allSettled(["a", "b", "c"].map((name) => queue(() => task(name))));
  assert.deepEqual(results.map((result) => result.status === "fulfilled" ? result.value : result.reason.message), [
    "a",
    "b fails",
    "c",
  ]);
});
