import assert from "node:assert/strict";
import { createLog } from "../../../../cmd/io/terminal/log.ts";
import { createOutput, type Sink } from "../../../../cmd/io/terminal/terminal.ts";

/** A sink that records each write, and accepts at most `most` bytes of it. */
function createSink(most = Infinity): Sink & { writes: string[] } {
  const writes: string[] = [];
  return {
    writes,
    write(bytes) {
      const taken = bytes.subarray(0, most);
      writes.push(new TextDecoder().decode(taken));
      return Promise.resolve(taken.length);
    },
  };
}

Deno.test("createOutput() writes many lines at once", async () => {
  const sink = createSink();
  const output = createOutput(sink, { color: false });
  for (let line = 0; line < 100; line++) output.write(`${line}\n`);
  assert.equal(sink.writes.length, 0);
  await output.flush();
  assert.equal(sink.writes.length, 1);
  assert.equal(sink.writes[0]?.split("\n").length, 101);
});

Deno.test("createOutput() writes within milliseconds, without a flush", async () => {
  const sink = createSink();
  const { promise, resolve } = Promise.withResolvers<void>();
  const output = createOutput({ write: (bytes) => sink.write(bytes).finally(resolve) }, { color: false });
  output.write("line\n");
  await promise;
  assert.deepEqual(sink.writes, ["line\n"]);
});

Deno.test("createOutput() writes after an empty text", async () => {
  const sink = createSink();
  const { promise, resolve } = Promise.withResolvers<void>();
  const output = createOutput({ write: (bytes) => sink.write(bytes).finally(resolve) }, { color: false });
  output.write("");
  // Outputs write their batches in the order in which the batches began. So when the second output has written, the
  // first output would have written its empty text too.
  const later = Promise.withResolvers<void>();
  createOutput({ write: (bytes) => createSink().write(bytes).finally(later.resolve) }, { color: false }).write(
    "line\n",
  );
  await later.promise;
  output.write("line\n");
  await promise;
  assert.deepEqual(sink.writes, ["line\n"]);
});

Deno.test("createOutput() keeps the order, and writes the rest after a partial write", async () => {
  const sink = createSink(7);
  const output = createOutput(sink, { color: false });
  const text = Array.from({ length: 50 }, (_, index) => `line ${index}\n`).join("");
  for (const character of text) output.write(character);
  await output.flush();
  assert.equal(sink.writes.join(""), text);
});

Deno.test("createOutput() drops text for a closed pipe", async () => {
  const output = createOutput({ write: () => Promise.reject(new Deno.errors.BrokenPipe()) }, { color: false });
  output.write("lost\n");
  assert.equal(output.isClosed, false);
  await output.flush();
  assert.equal(output.isClosed, true);
  output.write("lost too\n");
  await output.flush();
  assert.equal(output.waiting, 0);
});

Deno.test("createOutput() goes on after a write that failed, and keeps its error", async () => {
  const sink = createSink();
  const errors = [new Error("No space left on device"), new Error("another")];
  const output = createOutput({
    write: (bytes) => {
      const error = errors.shift();
      return error === undefined ? sink.write(bytes) : Promise.reject(error);
    },
  }, { color: false });
  for (const text of ["lost\n", "lost too\n", "written\n"]) {
    output.write(text);
    await output.flush();
  }
  assert.deepEqual(sink.writes, ["written\n"]);
  assert.equal(output.isClosed, false);
  assert.equal((output.failure as Error).message, "No space left on device");
});

Deno.test("createLog() leaves out lines of requests, and counts them, when its reader is too slow", async () => {
  const written: string[] = [];
  const open = Promise.withResolvers<void>();
  const slow = createOutput({
    write: async (bytes) => {
      await open.promise;
      written.push(new TextDecoder().decode(bytes));
      return bytes.length;
    },
  }, { color: false });
  const log = createLog({ stdout: slow, stderr: createOutput(createSink(), { color: false }) }, {
    format: "text",
    quiet: false,
  });
  const entry = {
    method: "GET",
    target: `/${"x".repeat(100_000)}`,
    status: 200,
    mediaType: "",
    source: "status",
    duration: 1,
  };
  for (let request = 0; request < 100; request++) log.request(entry);
  assert.ok(slow.waiting < 5_000_000);
  open.resolve();
  await slow.flush();
  log.request({ ...entry, target: "/last" });
  await slow.flush();
  assert.match(
    written.join(""),
    /\n\d+ lines left out: the reader of this log is slower than the server\.\n.* GET \/last /,
  );
});

Deno.test("createLog() paints statuses for a terminal alone", async (t) => {
  for (
    const [status, color, want] of [[200, true, "\u001b[32m200"], [404, true, "\u001b[33m404"], [
      500,
      true,
      "\u001b[31m500",
    ], [200, false, " 200 "]] as const
  ) {
    await t.step(`${status}${color ? "" : " without colour"}`, async () => {
      const sink = createSink();
      const stdout = createOutput(sink, { color });
      const log = createLog({ stdout, stderr: stdout }, { format: "text", quiet: false });
      log.request({ method: "GET", target: "/", status, mediaType: "", source: "status", duration: 1.239 });
      await stdout.flush();
      assert.ok(sink.writes[0]?.includes(want));
      assert.match(sink.writes[0] ?? "", / 1\.24 ms\n$/);
    });
  }
});

Deno.test("createOutput() gives up a reader that doesn't read", async () => {
  const output = createOutput({ write: () => new Promise(() => {}) }, { color: false });
  output.write("never read\n");
  await output.flush(1);
  output.write("neither\n");
  await output.flush();
  assert.equal(output.waiting, 0);
});

Deno.test("createLog() escapes control characters that clients send", async () => {
  const sink = createSink();
  const stdout = createOutput(sink, { color: false });
  const log = createLog({ stdout, stderr: stdout }, { format: "text", quiet: false });
  const remarks = ["not \u001b[31m red"];
  log.request({ method: "GET", target: "/\u009b2J", status: 200, mediaType: "", source: "", duration: 1, remarks });
  await stdout.flush();
  assert.doesNotMatch(sink.writes.join("").replaceAll("\n", ""), /\p{Cc}/u);
});

Deno.test("createOutput() writes no control characters but the sequences that gw writes to a terminal", async (t) => {
  const text = "\u001b[31mred\u001b[39m \u001b]0;title\u0007 \u202e\u2028\r\n\u001b[2J\n";
  const cases = [
    { color: false, want: "\ufffd[31mred\ufffd[39m \ufffd]0;title\ufffd \ufffd\ufffd\n\ufffd[2J\n" },
    { color: true, want: "\u001b[31mred\u001b[39m \ufffd]0;title\ufffd \ufffd\ufffd\n\ufffd[2J\n" },
  ];
  for (const { color, want } of cases) {
    await t.step(`color: ${color}`, async () => {
      const sink = createSink();
      const output = createOutput(sink, { color });
      output.write(text);
      await output.flush();
      assert.equal(sink.writes.join(""), want);
    });
  }
});
