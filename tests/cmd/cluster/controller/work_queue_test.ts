import assert from "node:assert/strict";
import { WorkQueue } from "../../../../cmd/cluster/controller/work_queue.ts";
import { until } from "../../../cluster/support/until.ts";

/** A work queue that records the keys it works on. Work on a key ends when the test's promise resolves. */
function recordingQueue(
  work: (key: string) => Promise<void> = async () => {},
): { queue: WorkQueue; done: string[]; failed: string[] } {
  const done: string[] = [];
  const failed: string[] = [];
  const queue = new WorkQueue({
    async work(key) {
      await work(key);
      done.push(key);
    },
    workers: 2,
    backoff: { first: 10, most: 40 },
    onError: (key, _error, failures) => void failed.push(`${key} ${failures}`),
  });
  return { queue, done, failed };
}

Deno.test("Work that waits for nothing leaves timers and answers their turns", async () => {
  const { promise: isDone, resolve } = Promise.withResolvers<void>();
  let left = 50;
  const queue = new WorkQueue({
    async work() {
      for (const end = performance.now() + 2; performance.now() < end;);
      await Promise.resolve();
      if (--left === 0) resolve();
    },
    workers: 8,
    backoff: { first: 10, most: 40 },
    onError: () => assert.fail(),
  });
  for (let key = 0; key < 50; key++) queue.add(`key-${key}`);
  const seen: number[] = [];
  const timer = setInterval(() => seen.push(left), 1);
  await isDone;
  clearInterval(timer);
  assert.ok(seen.filter((left) => left > 0 && left < 50).length > 1);
});

Deno.test("A key that waits is worked on once, however often it is added", async () => {
  const gate = Promise.withResolvers<void>();
  const { queue, done } = recordingQueue(() => gate.promise);
  for (const key of ["a", "b", "c", "c", "c"]) queue.add(key);
  gate.resolve();
  await until(() => queue.length === 0);
  assert.deepEqual(done.toSorted(), ["a", "b", "c"]);
});

Deno.test("A key that is added while it is worked on is worked on again, not at the same time", async () => {
  let atOnce = 0;
  let most = 0;
  const { queue, done } = recordingQueue(async () => {
    most = Math.max(most, ++atOnce);
    // Let other tasks run meanwhile.
    await new Promise((resolve) => setTimeout(resolve));
    atOnce--;
  });
  queue.add("a");
  queue.add("a");
  queue.add("a");
  await until(() => queue.length === 0);
  assert.deepEqual(done, ["a", "a"]);
  assert.equal(most, 1);
});

Deno.test("A key that fails is tried again, later each time, and stops no other", async () => {
  let failures = 0;
  const { queue, done, failed } = recordingQueue((key) =>
    key === "bad" && failures++ < 3 ? Promise.reject(new Error("no")) : Promise.resolve()
  );
  queue.add("bad");
  for (let index = 0; index < 5; index++) queue.add(`good ${index}`);
  await until(() => done.length === 6);
  assert.deepEqual(failed, ["bad 1", "bad 2", "bad 3"]);
  assert.equal(done.at(-1), "bad");
});

Deno.test("Of several later times the earliest counts", async () => {
  const { queue, done } = recordingQueue();
  // 60 seconds never pass during the test.
  queue.addLater("a", 60_000);
  queue.addLater("a", 20);
  queue.addLater("a", 60_000);
  await until(() => done.length === 1);
});

Deno.test("A cleared queue drops the waiting keys, and lets the busy ones finish", async () => {
  const gate = Promise.withResolvers<void>();
  const { queue, done } = recordingQueue(() => gate.promise);
  for (const key of ["a", "b", "c"]) queue.add(key);
  queue.addLater("d", 1);
  const cleared = queue.clear();
  gate.resolve();
  await cleared;
  // The timer of "e" is set later than that of "d" would be. When "e" is done, "d" would have been done too.
  queue.addLater("e", 2);
  await until(() => done.includes("e"));
  assert.deepEqual(done, ["a", "b", "e"]);
});
