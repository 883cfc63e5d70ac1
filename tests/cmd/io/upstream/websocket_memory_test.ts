import assert from "node:assert/strict";
import { MessageMemory } from "../../../../cmd/io/upstream/websocket_memory.ts";

/** A connection whose counts the test sets. */
function connection(): { received: number | undefined; waiting: number; isAborted: boolean } {
  return { received: 0, waiting: 0, isAborted: false };
}

function add(memory: MessageMemory, counts: ReturnType<typeof connection>): ReturnType<MessageMemory["add"]> {
  return memory.add({
    received: () => counts.received,
    waiting: () => counts.waiting,
    abort: () => counts.isAborted = true,
  });
}

Deno.test("a connection ends when its message is too large, however many messages came before", () => {
  const memory = new MessageMemory({ message: 100, all: 1000 });
  const [large, chatty, unknown] = [connection(), connection(), connection()];
  const meters = [large, chatty, unknown].map((counts) => add(memory, counts));
  unknown.received = undefined;
  for (let count = 1; count <= 50; count++) {
    chatty.received = count * 90;
    memory.look();
    meters[1]?.onMessage();
  }
  large.received = 101;
  memory.look();
  assert.deepEqual([large, chatty, unknown].map(({ isAborted }) => isAborted), [true, false, false]);
  for (const meter of meters) meter.stop();
});

Deno.test("the largest connections end when all together take too much, received and waiting", () => {
  const memory = new MessageMemory({ message: 100, all: 250 });
  const all = [90, 40, 80, 70].map((received) => ({ ...connection(), received: 0, target: received }));
  const meters = all.map((counts) => add(memory, counts));
  for (const counts of all) counts.received = counts.target;
  memory.look();
  assert.deepEqual(all.map(({ isAborted }) => isAborted), [true, false, false, false]);
  const [, second, third] = all;
  if (second !== undefined) second.waiting = 200;
  memory.look();
  assert.deepEqual(all.map(({ isAborted }) => isAborted), [true, true, false, false]);
  assert.equal(third?.isAborted, false);
  for (const meter of meters) meter.stop();
});
