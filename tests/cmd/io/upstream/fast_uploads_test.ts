import assert from "node:assert/strict";
import { enterFast, type Leave, MOST_FAST } from "../../../../cmd/io/upstream/fast_uploads.ts";
import { createUpload } from "../../../../cmd/io/upstream/upload.ts";
import type { Bytes } from "../../../../lib/http/handler.ts";

const { signal } = new AbortController();

async function entered(count: number): Promise<Leave[]> {
  const leaves = await Promise.all(Array.from({ length: count }, () => enterFast(0, signal)));
  return leaves.filter((leave) => leave !== undefined);
}

Deno.test("fast uploads beyond the limit wait in their order, until others end", async () => {
  const [first, ...others] = await entered(MOST_FAST);
  const waiting = [enterFast(0, signal), enterFast(0, signal)];
  first?.();
  first?.();
  const next = await waiting[0];
  assert.ok(next);
  assert.equal(await Promise.race([waiting[1], "waits"]), "waits");
  next();
  (await waiting[1])?.();
  for (const leave of others) leave();
  for (const leave of await entered(MOST_FAST)) leave();
});

Deno.test("a fast upload that may not begin in time, or that nobody needs any more, waits no longer", async () => {
  const leaves = await entered(MOST_FAST);
  const controller = new AbortController();
  const aborted = enterFast(0, controller.signal);
  controller.abort();
  assert.equal(await aborted, undefined);
  assert.equal(await enterFast(1, signal), undefined);
  for (const leave of leaves) leave();
  for (const leave of await entered(MOST_FAST)) leave();
});

Deno.test("an upload that turns out to be fast waits, and is freed when it is cancelled", async () => {
  const leaves = await entered(MOST_FAST);
  const body = (): ReadableStream<Bytes> => new Response(new Uint8Array(100_000)).body ?? new ReadableStream();
  const upload = createUpload(body(), 0);
  const reading = upload.chunks[Symbol.asyncIterator]().next();
  assert.equal(await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, 5, "waits"))]), "waits");
  upload.cancel();
  await assert.rejects(reading, /cancelled/);
  leaves.pop()?.();
  for await (const chunk of createUpload(body(), 0).chunks) assert.ok(chunk.byteLength > 0);
  for (const leave of leaves) leave();
  for (const leave of await entered(MOST_FAST)) leave();
});
