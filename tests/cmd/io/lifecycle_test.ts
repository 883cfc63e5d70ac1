import assert from "node:assert/strict";
import {
  afterDrain,
  createBackground,
  createDrain,
  surviveErrors,
  type SystemClock,
  untilStopped,
} from "../../../cmd/io/lifecycle.ts";

/** A fake clock. It advances when code waits, and runs the events of that time. */
function createClock(events: readonly { at: number; run: () => void }[]): SystemClock {
  let time = 1_000;
  const start = time;
  return {
    now: () => time,
    wait(milliseconds) {
      const end = time + milliseconds;
      for (const { at, run } of events.filter(({ at }) => start + at > time && start + at <= end)) {
        time = start + at;
        run();
      }
      time = end;
      return Promise.resolve();
    },
  };
}

Deno.test("createDrain() ends when no request has come for a while", async () => {
  const clock = createClock([20, 40, 60, 80, 100].map((at) => ({ at, run: () => drain.note() })));
  const drain = createDrain({ quiet: 50, most: 60_000 }, clock);
  drain.note();
  assert.equal(drain.isEnding, false);
  const ended = drain.begin();
  assert.equal(drain.isEnding, true);
  await ended;
  assert.equal(clock.now(), 1_150);
});

Deno.test("createDrain() ends after its longest time in spite of requests", async () => {
  const clock = createClock(Array.from({ length: 50 }, (_, index) => ({ at: 10 * index, run: () => drain.note() })));
  const drain = createDrain({ quiet: 60, most: 100 }, clock);
  await drain.begin();
  assert.equal(clock.now(), 1_100);
});

Deno.test("createDrain() ends at once without a time", async () => {
  await createDrain({ quiet: 0, most: 0 }).begin();
});

Deno.test("afterDrain() delays the first stop signal until the drain has ended, and passes the second at once", async () => {
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

Deno.test("createBackground() waits for all work, also for work that is added meanwhile", async () => {
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

Deno.test("createBackground() begins without work", async () => {
  await createBackground().settled();
});

Deno.test("surviveErrors() reports an unhandled rejection, and goes on", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const forget = surviveErrors(resolve);
  void Promise.reject(new Error("unexpected"));
  assert.match(String(await promise), /unexpected/);
  forget();
});

Deno.test("surviveErrors() reports an error in a callback, and goes on", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const forget = surviveErrors(resolve);
  setTimeout(() => {
    throw new Error("unexpected");
  });
  assert.match(String(await promise), /unexpected/);
  forget();
});

Deno.test("a second stop signal ends requests in flight, unless it is the first one again", async () => {
  let now = 1_000;
  let signal = (): void => {};
  let shutdowns = 0;
  let hasStopped = false;
  const server = { shutdown: () => void shutdowns++, finished: new Promise<void>(() => {}) };
  const onStop = (listener: () => void): () => void => {
    signal = listener;
    return () => {};
  };
  const stopped = untilStopped(server, onStop, { settled: () => Promise.resolve() }, { now: () => now })
    .then(() => hasStopped = true);
  signal();
  signal();
  now += 20;
  signal();
  await Promise.resolve();
  assert.deepEqual({ shutdowns, hasStopped }, { shutdowns: 1, hasStopped: false });
  now += 1_000;
  signal();
  await stopped;
});
