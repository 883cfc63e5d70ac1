import assert from "node:assert/strict";
import { createLazyClient } from "../../../../cmd/io/upstream/lazy_client.ts";
import type { UpstreamOutcome, UpstreamRequest } from "../../../../lib/http/url/upstream.ts";

const REQUEST: UpstreamRequest = {
  method: "GET",
  headers: [],
  body: null,
  headTimeout: 0,
  idleTimeout: 0,
  signal: new AbortController().signal,
};

Deno.test("createLazyClient() loads the client again after a load that failed, and not after one that didn't", async () => {
  const outcome: UpstreamOutcome = { kind: "gone" };
  let loads = 0;
  let disposed = 0;
  const client = createLazyClient(() => undefined, () => {
    loads++;
    return loads === 1 ? Promise.reject(new TypeError("Failed to load the module.")) : Promise.resolve({
      createUpstreamClient: () => ({
        send: () => Promise.resolve(outcome),
        [Symbol.asyncDispose]: () => Promise.resolve(void disposed++),
      }),
    });
  });
  const send = (): Promise<UpstreamOutcome> => client.send("http://upstream.example/", REQUEST);
  await assert.rejects(send, /Failed to load/);
  await client[Symbol.asyncDispose]();
  assert.equal(disposed, 0);
  assert.deepEqual([await send(), await send()], [outcome, outcome]);
  assert.equal(loads, 2);
  await client[Symbol.asyncDispose]();
  assert.equal(disposed, 1);
});

Deno.test("createLazyClient() may load the client before the first request, which reports a load that failed", async () => {
  let loads = 0;
  const client = createLazyClient(() => undefined, () => {
    loads++;
    return loads === 1 ? Promise.reject(new TypeError("Failed to load the module.")) : Promise.resolve({
      createUpstreamClient: () => ({
        send: () => Promise.resolve({ kind: "gone" }),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
    });
  });
  await client.prepare();
  await client.prepare();
  assert.deepEqual(await client.send("http://upstream.example/", REQUEST), { kind: "gone" });
  assert.equal(loads, 2);
});

Deno.test("createLazyClient() disposes of a client that is still being loaded", async () => {
  const { promise: loaded, resolve: load } = Promise.withResolvers<void>();
  const events: string[] = [];
  const client = createLazyClient(() => undefined, async () => {
    await loaded;
    return {
      createUpstreamClient: () => ({
        send: () => Promise.resolve({ kind: "gone" }),
        [Symbol.asyncDispose]: () => Promise.resolve(void events.push("disposed")),
      }),
    };
  });
  const sent = client.send("http://upstream.example/", REQUEST);
  const disposed = client[Symbol.asyncDispose]();
  load();
  await Promise.all([sent, disposed]);
  assert.deepEqual(events, ["disposed"]);
});
