import assert from "node:assert/strict";
import { afterDrain, createDrain } from "../../../cmd/io/drain.ts";

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
