import assert from "node:assert/strict";
import { textOf, TODO } from "./definitions.ts";
import { commandOf, startGw } from "./process.ts";

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`gw mock finishes what is under way on ${signal}, and ends with 0`, async () => {
    const answers: (() => void)[] = [];
    const arrived = Promise.withResolvers<void>();
    // The upstream tells when requests have arrived, and ends its responses when the test allows it.
    await using upstream = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async () => {
      await new Promise<void>((resolve) => {
        answers.push(resolve);
        if (answers.length === 20) arrived.resolve();
      });
      return new Response("answered");
    });
    const proxy = `http://127.0.0.1:${upstream.addr.port}`;
    await using gw = await startGw({ args: ["mock", TODO, "--as-gateway", "--proxy", proxy] });
    const asked = Array.from({ length: 20 }, () => textOf(gw, "/todos/1", { method: "DELETE" }));
    // An idle connection, which must not delay the stop.
    using _idle = await Deno.connect({ port: gw.port });
    await arrived.promise;

    gw.signal(signal);
    await refused(gw.port);
    for (const answer of answers) answer();
    for (const answer of await Promise.all(asked)) assert.equal(answer, "answered");
    const { code, stdout } = await gw.ended;
    assert.equal(code, 0);
    // Each request was logged before the process ended.
    assert.equal(stdout.match(/DELETE \/todos\/1 200/g)?.length, 20);
  });
}

/** Resolves when the port refuses connections. */
async function refused(port: number): Promise<void> {
  for (;;) {
    const connection = await Deno.connect({ port }).catch(() => undefined);
    if (connection === undefined) return;
    connection.close();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Longer than the time in which gw takes several signals for one, in milliseconds. */
const NEXT_SIGNAL = 300;

Deno.test("gw mock ends at a second stop signal, without waiting for its requests", async () => {
  await using gw = await startGw({ args: ["mock", TODO, "--delay", "60000"] });
  const answer = fetch(`${gw.url}/todos`).then(() => "answered", () => "cut off");
  // The answer is delayed, so no event tells that the request has arrived: wait a little.
  await new Promise((resolve) => setTimeout(resolve, 150));
  gw.signal("SIGTERM");
  await refused(Number(new URL(gw.url).port));
  let hasEnded = false;
  const ended = gw.ended.finally(() => hasEnded = true);
  // gw would wait for its requests for 10 s. The first of these signals ends it, unless it is taken for a repeated one.
  for (let count = 0; !hasEnded; count++) {
    assert.ok(count < 15, "gw still waits for its requests.");
    await new Promise((resolve) => setTimeout(resolve, NEXT_SIGNAL));
    if (!hasEnded) gw.signal("SIGTERM");
  }
  assert.equal((await ended).code, 0);
  assert.equal(await answer, "cut off");
});

Deno.test("gw mock ends with 0 under load", async () => {
  await using gw = await startGw({ args: ["mock", TODO] });
  let isStopped = false;
  const clients = Array.from({ length: 8 }, async () => {
    let answered = 0;
    while (!isStopped) {
      const response = await fetch(`${gw.url}/todos`).catch(() => undefined);
      if (response === undefined) break;
      // A response that had begun before the stop is completed.
      assert.match(await response.text(), /Feed the cat/);
      answered++;
    }
    return answered;
  });
  await gw.until(/GET \/todos 200/);
  gw.signal("SIGTERM");
  assert.equal((await gw.ended).code, 0);
  isStopped = true;
  const answered = (await Promise.all(clients)).reduce((sum, number) => sum + number);
  assert.ok(answered > 0);
});

Deno.test("gw mock ends without a reader of its log", async () => {
  await using gw = commandOf({ args: ["mock", TODO, "--port", "0"] }).spawn();
  const reader = gw.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("Watching")) text += (await reader.read()).value ?? "";
  const url = /http:[^\s]+/.exec(text)?.[0] ?? "";
  // Each line of the log is longer than a pipe's buffer.
  const target = `/${"x".repeat(20_000)}`;
  for (let request = 0; request < 20; request++) assert.match(await textOf({ url }, target), /No path/);
  gw.kill();
  assert.equal((await gw.status).code, 0);
  await Promise.all([reader.cancel(), gw.stderr.cancel()]);
});
