import assert from "node:assert/strict";
import { afterDrain, createBackground, createDrain, surviveFaults } from "../../../cmd/io/lifecycle.ts";

Deno.test("createDrain() ends when no request has come for a while", async () => {
  const drain = createDrain({ quiet: 50, most: 60_000 });
  drain.note();
  assert.equal(drain.isEnding, false);
  const ended = drain.begin();
  assert.equal(drain.isEnding, true);
  let last = performance.now();
  for (let requests = 0; requests < 5; requests++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    drain.note();
    last = performance.now();
  }
  await ended;
  assert(performance.now() - last >= 45, `${performance.now() - last} ms after the last request`);
});

Deno.test("createDrain() ends after its longest time, whatever comes", async () => {
  const drain = createDrain({ quiet: 60_000, most: 100 });
  const requests = setInterval(() => drain.note(), 10);
  const begin = performance.now();
  await drain.begin();
  clearInterval(requests);
  assert(performance.now() - begin >= 95, `${performance.now() - begin} ms`);
});

Deno.test("createDrain() ends at once without a time", async () => {
  await createDrain({ quiet: 0, most: 0 }).begin();
});

Deno.test("afterDrain() tells of the first stop when the drain has ended, and of the second at once", async () => {
  const stops: (() => void)[] = [];
  const told: string[] = [];
  const drain = createDrain({ quiet: 60_000, most: 50 });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  afterDrain((listener) => (stops.push(listener), () => {}), drain)(() => {
    told.push(`stop ${told.length + 1}`);
    if (told.length === 2) resolve();
  });
  stops[0]?.();
  assert.deepEqual(told, []);
  stops[0]?.();
  assert.deepEqual(told, ["stop 1"]);
  await ended;
});

Deno.test("createBackground() waits for all work, also for what comes while it waits", async () => {
  const background = createBackground();
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  background.add(first.promise.then(() => {
    done.push("first");
    background.add(Promise.resolve().then(() => void done.push("second")));
  }));
  const settled = background.settled().then(() => done.push("settled"));
  assert.deepEqual(done, []);
  first.resolve();
  await settled;
  assert.deepEqual(done, ["first", "second", "settled"]);
});

Deno.test("createBackground() has nothing to wait for at first", async () => {
  await createBackground().settled();
});

Deno.test("surviveFaults() reports a rejection that nobody waits for, and goes on", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const forget = surviveFaults(resolve);
  void Promise.reject(new Error("unexpected"));
  assert.match(String(await promise), /unexpected/);
  forget();
});

Deno.test("surviveFaults() reports an error in a callback, and goes on", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const forget = surviveFaults(resolve);
  setTimeout(() => {
    throw new Error("unexpected");
  });
  assert.match(String(await promise), /unexpected/);
  forget();
});
