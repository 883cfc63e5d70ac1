import assert from "node:assert/strict";
import type { Bytes } from "../../../../lib/http/handler.ts";
import { MemoryBudget } from "../../../../lib/http/limits/memory_budget.ts";
import { BodyTap } from "../../../../lib/observe/relay/body_tap.ts";

const ENCODER = new TextEncoder();

/** A stream of chunks. A chunk `"!"` makes the stream fail. */
function bodyOf(...chunks: string[]): ReadableStream<Bytes> {
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk === undefined) controller.close();
      else if (chunk === "!") controller.error(new Error("reset"));
      else controller.enqueue(ENCODER.encode(chunk));
    },
  });
}

const NEVER = new Promise<void>(() => {});

function tapOf(chunks: readonly string[], limit = 100, budget = new MemoryBudget(1e6)): BodyTap {
  return new BodyTap(bodyOf(...chunks), { limit, budget });
}

async function textOf(body: Bytes | ReadableStream<Bytes>): Promise<string> {
  return await new Response(body).text();
}

Deno.test("BodyTap passes a body on unchanged and copies it up to the limit", async (t) => {
  const cases: { name: string; chunks: string[]; limit: number; kept: string }[] = [
    { name: "empty", chunks: [], limit: 10, kept: "whole " },
    { name: "within the limit", chunks: ["abc", "def"], limit: 6, kept: "whole abcdef" },
    { name: "above the limit", chunks: ["abc", "defg", "h"], limit: 6, kept: "lost" },
    { name: "above the limit at once", chunks: ["abcdefghijk"], limit: 6, kept: "lost" },
  ];
  for (const { name, chunks, limit, kept } of cases) {
    for (const holds of [false, true]) {
      await t.step(`${name}, ${holds ? "held back" : "passing"}`, async () => {
        const tap = tapOf(chunks, limit);
        if (holds) await tap.hold(limit, NEVER);
        assert.equal(await textOf(tap.body()), chunks.join(""));
        const copy = await tap.ended;
        assert.match(
          copy.kind === "whole" ? `whole ${new TextDecoder().decode(copy.bytes)}` : "lost",
          new RegExp(kept),
        );
      });
    }
  }
});

Deno.test("BodyTap passes a held-back body on from its start", async () => {
  const { promise: release, resolve } = Promise.withResolvers<void>();
  const { readable, writable } = new TransformStream<Bytes, Bytes>();
  const writer = writable.getWriter();
  const tap = new BodyTap(readable, { limit: 100, budget: new MemoryBudget(1e6) });
  const holding = tap.hold(100, release);
  await writer.write(ENCODER.encode("one "));
  resolve();
  assert.equal(await holding, false);
  const passing = textOf(tap.body());
  await writer.write(ENCODER.encode("two"));
  await writer.close();
  assert.equal(await passing, "one two");
  assert.equal((await tap.ended).kind, "whole");
});

Deno.test("BodyTap reports a body that breaks off", async () => {
  const tap = tapOf(["abc", "!"]);
  await assert.rejects(textOf(tap.body()), /reset/);
  assert.deepEqual(await tap.ended, { kind: "lost", reason: "It broke off.", failure: "reset" });
  const held = tapOf(["abc", "!"]);
  assert.equal(await held.hold(100, NEVER), false);
  assert.equal(held.state, "failed");
  assert.equal(held.failure, "reset");
});

Deno.test("BodyTap cancels the source when its reader cancels", async () => {
  const { promise: cancelled, resolve } = Promise.withResolvers<unknown>();
  const tap = new BodyTap(new ReadableStream({ cancel: resolve }), { limit: 9, budget: new MemoryBudget(9) });
  const body = tap.body();
  assert.ok(body instanceof ReadableStream);
  await body.cancel("enough");
  assert.equal(await cancelled, "enough");
  assert.equal((await tap.ended).kind, "lost");
});

Deno.test("BodyTap respects the budget and returns its part", async () => {
  const budget = new MemoryBudget(40_000);
  const first = tapOf(["a".repeat(20_000)], 50_000, budget);
  const second = tapOf(["b".repeat(30_000), "c"], 50_000, budget);
  assert.equal((await textOf(first.body())).length, 20_000);
  assert.equal(await second.hold(50_000, NEVER), false);
  assert.equal((await textOf(second.body())).length, 30_001);
  assert.deepEqual(await second.ended, { kind: "lost", reason: "Too many bodies are read at the same time." });
  assert.equal((await first.ended).kind, "whole");
  first.release();
  second.release();
  assert.equal(budget.used, 0);
});

Deno.test("BodyTap takes little more memory than the bytes of many small chunks", async () => {
  const budget = new MemoryBudget(1e9);
  const tap = tapOf(Array.from({ length: 20_000 }, () => "x"), 1e6, budget);
  assert.equal((await textOf(tap.body())).length, 20_000);
  await tap.ended;
  assert.ok(budget.used < 50_000, String(budget.used));
});
