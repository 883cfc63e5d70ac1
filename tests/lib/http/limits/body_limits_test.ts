import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { readBody } from "../../../../lib/http/body.ts";
import { type BodyLimits, READ_AHEAD, UnreadBodyError } from "../../../../lib/http/limits/body_limits.ts";
import type { Bytes } from "../../../../lib/http/handler.ts";
import { MemoryBudget } from "../../../../lib/http/limits/memory_budget.ts";

const MIB = 1024 * 1024;
const LIMIT = 16 * MIB;

/** A request whose body is written by the test. */
function upload(headers: Record<string, string> = {}): {
  request: Request;
  writer: WritableStreamDefaultWriter<Bytes>;
} {
  const { readable, writable } = new TransformStream<Bytes, Bytes>();
  const init = { method: "POST", body: readable, headers, duplex: "half" };
  return { request: new Request("http://localhost/", init), writer: writable.getWriter() };
}

/** Limits whose watch is driven by the test. */
function limitsOf(
  most: number,
): { limits: BodyLimits; giveUp: () => void; progress: () => number; watched: () => number } {
  const watched = new Set<() => void>();
  let progress = 0;
  return {
    limits: {
      memory: new MemoryBudget(most),
      watch(giveUp) {
        watched.add(giveUp);
        return { progress: () => void progress++, stop: () => void watched.delete(giveUp) };
      },
    },
    giveUp: () => watched.forEach((giveUp) => giveUp()),
    progress: () => progress,
    watched: () => watched.size,
  };
}

async function refusalOf(reading: Promise<unknown>): Promise<UnreadBodyError> {
  const error = await reading.then(() => undefined, (error: unknown) => error);
  assert.ok(error instanceof UnreadBodyError, String(error));
  return error;
}

Deno.test("the memory of a body is reserved as its bytes arrive, and released when it was read", async () => {
  const { limits: { memory }, limits } = limitsOf(8 * MIB);
  const { request, writer } = upload();
  const reading = readBody(request, LIMIT, limits);
  assert.equal(memory.used, READ_AHEAD);
  for (let at = 0; at < 4; at++) await writer.write(new Uint8Array(MIB).fill(at));
  assert.ok(memory.used > 3 * MIB && memory.used <= 5 * MIB, String(memory.used));
  await writer.close();
  const read = await reading;
  assert.ok(read.kind === "bytes");
  assert.deepEqual([0, MIB, 2 * MIB, 4 * MIB - 1].map((at) => read.bytes[at]), [0, 1, 2, 3]);
  assert.deepEqual([read.bytes.length, memory.used], [4 * MIB, 0]);
});

Deno.test("chunks of any size are joined in their order", async () => {
  const chunks = Array.from({ length: 300 }, (_, index) => new Uint8Array((index * 7919) % 20_011).fill(index));
  const { request, writer } = upload();
  const reading = readBody(request, LIMIT, limitsOf(64 * MIB).limits);
  for (const chunk of chunks) await writer.write(chunk);
  await writer.close();
  const read = await reading;
  assert.ok(read.kind === "bytes");
  assert.deepEqual(new Uint8Array(await new Blob(chunks).arrayBuffer()), read.bytes);
});

Deno.test("a body beyond the memory of all bodies is refused with 503; one that could not begin isn't looked at", async () => {
  const { limits } = limitsOf(2 * READ_AHEAD);
  const [first, second, third] = [upload(), upload(), upload()];
  const [reading, growing] = [readBody(first.request, LIMIT, limits), readBody(second.request, LIMIT, limits)];
  const { problem, headers } = await refusalOf(readBody(third.request, LIMIT, limits));
  assert.deepEqual([problem.status, Object.fromEntries(headers)["retry-after"]], [503, "5"]);
  assert.equal(third.request.bodyUsed, false);
  const headersOfShort = { "content-length": "1000" };
  const short = new Request("http://localhost/", {
    method: "POST",
    body: new Uint8Array(1000),
    headers: headersOfShort,
  });
  assert.equal((await refusalOf(readBody(short, LIMIT, limits))).problem.status, 503);

  void second.writer.write(new Uint8Array(2 * READ_AHEAD)).then(() => second.writer.close(), () => {});
  assert.equal((await refusalOf(growing)).problem.status, 503);
  await first.writer.write(new Uint8Array(READ_AHEAD));
  await first.writer.close();
  assert.equal((await reading).kind, "bytes");
});

Deno.test("a refused body counts until the client has sent its rest", async () => {
  const { limits: { memory }, limits } = limitsOf(MIB);
  const { request, writer } = upload();
  const reading = refusalOf(readBody(request, LIMIT, limits));
  void writer.write(new Uint8Array(2 * MIB));
  await reading;
  assert.equal(memory.used, READ_AHEAD);
  await writer.write(new Uint8Array(2 * MIB));
  await writer.close();
  while (memory.used > 0) await new Promise((resolve) => setTimeout(resolve));
});

Deno.test("a body that falls silent is refused with 408, of any length and in any coding", async (t) => {
  const coded = gzipSync(new Uint8Array(100_000));
  for (
    const { name, headers, sent } of [
      { name: "unknown length", headers: {}, sent: new Uint8Array(10) },
      { name: "long", headers: { "content-length": "1000000" }, sent: new Uint8Array(100_000) },
      { name: "short", headers: { "content-length": "1000" }, sent: new Uint8Array(10) },
      { name: "coded", headers: { "content-encoding": "gzip" }, sent: coded.subarray(0, 20) },
    ]
  ) {
    await t.step(name, async () => {
      const { limits, giveUp, watched } = limitsOf(8 * MIB);
      const { request, writer } = upload(headers);
      const reading = refusalOf(readBody(request, LIMIT, limits));
      void writer.write(new Uint8Array(sent)).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve));
      assert.equal(watched(), 1);
      giveUp();
      const { problem, headers: answered } = await reading;
      assert.deepEqual([problem.status, Object.fromEntries(answered)["connection"]], [408, "close"]);
      assert.match(String(problem.detail), /has not gone on for 60 s\.$/);
      assert.deepEqual([limits.memory.used, watched()], [0, 0]);
    });
  }
});

Deno.test("each chunk of a slow body is progress, also in a coding that gives no output yet", async () => {
  for (const headers of [{}, { "content-encoding": "gzip" }]) {
    const { limits, progress } = limitsOf(8 * MIB);
    const { request, writer } = upload(headers);
    const reading = readBody(request, LIMIT, limits);
    const bytes = gzipSync("text");
    for (const byte of bytes) await writer.write(new Uint8Array([byte]));
    await writer.close();
    assert.equal((await reading).kind, "bytes");
    assert.ok(progress() >= bytes.length);
  }
});

Deno.test("a body that is too large, broken or cancelled gives its memory back", async () => {
  const { limits: { memory }, limits, watched } = limitsOf(8 * MIB);
  const large = upload();
  const reading = readBody(large.request, 1000, limits);
  void large.writer.write(new Uint8Array(2000)).then(() => large.writer.close(), () => {});
  assert.equal((await reading).kind, "too-large");
  const broken = upload();
  const breaking = readBody(broken.request, 1000, limits);
  await broken.writer.abort(new Error("reset"));
  assert.equal((await breaking).kind, "broken");
  const bomb = upload({ "content-encoding": "gzip" });
  const decoding = readBody(bomb.request, 1000, limits);
  void bomb.writer.write(new Uint8Array(gzipSync(new Uint8Array(MIB)))).catch(() => {});
  assert.equal((await decoding).kind, "too-large");
  while (memory.used > 0) await new Promise((resolve) => setTimeout(resolve));
  assert.equal(watched(), 0);
});
