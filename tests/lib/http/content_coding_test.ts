import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { parseContentEncoding, readBytes, readPlainBytes, TooLargeError } from "../../../lib/http/content_coding.ts";
import type { Bytes } from "../../../lib/http/handler.ts";

const LIMIT = 1024 * 1024;
const MEGABYTE = 1024 * 1024;

Deno.test("parseContentEncoding() reads the codings that can be undone, in their order", async (t) => {
  const cases: [value: string | null, want: readonly string[] | undefined][] = [
    [null, []],
    ["", []],
    ["identity", []],
    ["gzip", ["gzip"]],
    [" X-GZip ", ["gzip"]],
    ["deflate, gzip", ["deflate", "gzip"]],
    ["gzip, identity", ["gzip"]],
    ["br", undefined],
    ["zstd", undefined],
    ["gzip, br", undefined],
    ["gzip, gzip, gzip, gzip", undefined],
  ];
  for (const [value, want] of cases) {
    await t.step(String(value), () => assert.deepEqual(parseContentEncoding(value), want));
  }
});

Deno.test("readBytes() undoes codings", async (t) => {
  const text = Buffer.from("Tom".repeat(10_000));
  const cases = [
    { name: "none", bytes: text, codings: [] },
    { name: "gzip", bytes: gzipSync(text), codings: ["gzip"] },
    { name: "deflate", bytes: deflateSync(text), codings: ["deflate"] },
    { name: "deflate, then gzip", bytes: gzipSync(deflateSync(text)), codings: ["deflate", "gzip"] },
  ] as const;
  for (const { name, bytes, codings } of cases) {
    for (const size of [7, 4096, bytes.length]) {
      await t.step(`${name}, ${size} bytes at a time`, async () => {
        assert.deepEqual(Buffer.from(await readBytes(chunksOf(bytes, size), LIMIT, { codings })), text);
      });
    }
  }
  await t.step("other bytes than they say", async () => {
    await assert.rejects(readBytes(chunksOf(brotliCompressSync(text), 4096), LIMIT, { codings: ["gzip"] }), TypeError);
  });
});

Deno.test("readBytes() never decompresses more than a few megabytes beyond its limit", async (t) => {
  const zeros = Buffer.alloc(256 * MEGABYTE);
  const bomb = gzipSync(zeros);
  // A decompression bomb: empty DEFLATE blocks are large after the first decompression, and empty after the second.
  const blocks = Buffer.alloc(64 * MEGABYTE, Buffer.from([0, 0, 0, 0xff, 0xff]));
  const empties = gzipSync(Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), blocks]));
  const cases = [
    { name: "gzip", bytes: bomb, codings: ["gzip"] },
    { name: "deflate", bytes: deflateSync(zeros), codings: ["deflate"] },
    { name: "gzip in gzip", bytes: gzipSync(bomb), codings: ["gzip", "gzip"] },
    { name: "empty blocks in gzip", bytes: empties, codings: ["gzip", "gzip"] },
    { name: "no coding", bytes: bomb, codings: [], limit: 10_000 },
  ] as const;
  for (const { name, bytes, codings, ...rest } of cases) {
    for (const size of [16 * 1024, bytes.length]) {
      await t.step(`${name}, ${size} bytes at a time`, async () => {
        using decompressed = countDecompressed();
        const limit = "limit" in rest ? rest.limit : LIMIT;
        await assert.rejects(readBytes(chunksOf(bytes, size), limit, { codings }), TooLargeError);
        assert.ok(decompressed.bytes < 16 * MEGABYTE, `${decompressed.bytes} bytes were decompressed`);
      });
    }
  }
});

Deno.test("readBytes() cancels a body that is too large", async () => {
  let isCancelled = false;
  const endless = new ReadableStream<Bytes>({
    pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
    cancel: () => void (isCancelled = true),
  });
  await assert.rejects(readBytes(endless, LIMIT), TooLargeError);
  assert.ok(isCancelled);
});

function chunksOf(bytes: Uint8Array, size: number): ReadableStream<Bytes> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(new Uint8Array(bytes.subarray(at, at += size)));
    },
  });
}

/** Counts the bytes that decompressors return, until the end of the block. */
function countDecompressed(): { bytes: number } & Disposable {
  const original = DecompressionStream;
  const count = {
    bytes: 0,
    [Symbol.dispose]: () => void (globalThis.DecompressionStream = original),
  };
  globalThis.DecompressionStream = class extends original {
    override get readable(): ReadableStream<Bytes> {
      return super.readable.pipeThrough(
        new TransformStream<Bytes, Bytes>({
          transform(chunk, controller) {
            count.bytes += chunk.byteLength;
            controller.enqueue(chunk);
          },
        }),
      );
    }
  };
  return count;
}

Deno.test("readPlainBytes() allocates no long body that was only declared", async (t) => {
  const cases = [
    { declared: 2, sent: 2, wholes: 1 },
    { declared: 64 * 1024, sent: 64 * 1024, wholes: 1 },
    { declared: 9_000_000, sent: 1, wholes: 0 },
    { declared: NaN, sent: 5, wholes: 0 },
    { declared: NaN, sent: 0, wholes: 0 },
  ];
  for (const { declared, sent, wholes } of cases) {
    await t.step(`${declared} bytes declared, ${sent} sent`, async () => {
      let asked = 0;
      const message = new Response(sent === 0 ? null : new Uint8Array(sent));
      const { body } = message;
      const arrayBuffer = (): Promise<ArrayBuffer> => {
        asked++;
        return message.arrayBuffer();
      };
      const bytes = await readPlainBytes({ body, arrayBuffer }, declared, 10_000_000);
      assert.deepEqual([bytes.byteLength, asked], [sent, wholes]);
    });
  }
});
