import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { createListener } from "../../adapters/node.ts";
import { mockApiWith } from "../../adapters/shared/mock_api.ts";
import { withDelays } from "../../adapters/shared/sleep.ts";
import { createMockServer, type MockOptions } from "../../mod.ts";

const PETS = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "http://pets.test" }],
  paths: {
    "/pets": {
      get: { responses: { "200": { description: "", content: { "text/plain": { example: "0123456789" } } } } },
    },
  },
};

/** Timers that the test advances, in place of `setTimeout`. */
function fakeTimers(): Disposable & { advance(milliseconds: number): void; readonly waits: number[] } {
  const { setTimeout, clearTimeout } = globalThis;
  const timers = new Map<number, { at: number; run: () => void }>();
  const waits: number[] = [];
  let now = 0;
  let next = 1;
  Reflect.set(globalThis, "setTimeout", (run: () => void, milliseconds = 0) => {
    waits.push(milliseconds);
    timers.set(next, { at: now + milliseconds, run });
    return next++;
  });
  Reflect.set(globalThis, "clearTimeout", (timer: number) => timers.delete(timer));
  return {
    waits,
    advance(milliseconds) {
      now += milliseconds;
      for (const [timer, { at, run }] of timers) {
        if (at > now) continue;
        timers.delete(timer);
        run();
      }
    },
    [Symbol.dispose]() {
      Object.assign(globalThis, { setTimeout, clearTimeout });
    },
  };
}

/** Starts the mock server of a test file, and returns the end of it. */
async function startApi(options: MockOptions) {
  const befores: (() => Promise<void>)[] = [];
  const afters: (() => void)[] = [];
  const hooks = {
    beforeAll: (run: () => Promise<void>) => void befores.push(run),
    afterEach: () => {},
    afterAll: (run: () => void) => void afters.push(run),
  };
  const api = mockApiWith(hooks, PETS, options);
  for (const run of befores) await run();
  return { api, [Symbol.dispose]: () => afters.forEach((run) => run()) };
}

/** Resolves with what a promise has become after all that could happen without a timer. */
async function stateOf(promise: Promise<unknown>): Promise<"pending" | "settled"> {
  let state: "pending" | "settled" = "pending";
  promise.then(() => state = "settled", () => state = "settled");
  for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
  return state;
}

Deno.test("mockApi() waits for the delays of rules by the timers of the test", async () => {
  using started = await startApi({});
  const { api } = started;
  await api.rules.add("GET /pets: delay 300");
  await fetch("http://pets.test/pets", { headers: { prefer: "code=200" }, signal: AbortSignal.timeout(0) }).catch(
    () => {},
  );
  using timers = fakeTimers();
  const answers = [fetch("http://pets.test/pets"), api.fetch("http://pets.test/pets")];
  for (const answer of answers) assert.equal(await stateOf(answer), "pending");
  timers.advance(299);
  for (const answer of answers) assert.equal(await stateOf(answer), "pending");
  timers.advance(1);
  for (const answer of answers) assert.equal(await (await answer).text(), "0123456789");
});

Deno.test("mockApi() doesn't wait with another `sleep`", async () => {
  const waits: number[] = [];
  using started = await startApi({ sleep: (milliseconds) => Promise.resolve(void waits.push(milliseconds)) });
  await started.api.rules.add("GET /pets: delay 300");
  assert.equal((await fetch("http://pets.test/pets")).status, 200);
  assert.deepEqual(waits, [300]);
});

Deno.test("a request that aborts isn't waited for", async () => {
  using started = await startApi({});
  await started.api.rules.add("GET /pets: delay 600000");
  const reason = new Error("too late");
  const controller = new AbortController();
  const answer = started.api.fetch("http://pets.test/pets", { signal: controller.signal });
  assert.equal(await stateOf(answer), "pending");
  controller.abort(reason);
  await assert.rejects(answer, reason);
});

Deno.test("slow bodies come in parts", async () => {
  using started = await startApi({});
  await started.api.rules.add("GET /pets: slow 40");
  const response = await started.api.fetch("http://pets.test/pets");
  const sizes: number[] = [];
  for await (const chunk of response.body ?? []) sizes.push(chunk.length);
  assert.deepEqual(sizes, [4, 4, 2]);
});

Deno.test("requests of adapters are delayed, those of the library are not", async () => {
  const mock = await createMockServer(PETS, { rules: [{ operation: "GET /pets", delay: 300 }] });
  const request = (): Request => new Request("http://pets.test/pets");
  assert.equal(await stateOf(mock.fetch(request())), "settled");
  using timers = fakeTimers();
  const answer = mock.fetch(withDelays(request()));
  assert.equal(await stateOf(answer), "pending");
  timers.advance(300);
  assert.equal((await answer).status, 200);
});

Deno.test("createListener() waits for the delays of rules", async () => {
  const mock = await createMockServer(PETS, { rules: [{ operation: "GET /pets", delay: 30 }] });
  const server = createServer(createListener(mock)).listen(0);
  await once(server, "listening");
  const address = server.address();
  using timers = fakeTimers();
  const answer = fetch(`http://127.0.0.1:${Object(address).port}/pets`);
  while (!timers.waits.includes(30)) await new Promise<void>((resolve) => setImmediate(resolve));
  timers.advance(30);
  assert.equal(await (await answer).text(), "0123456789");
  server.close();
});
