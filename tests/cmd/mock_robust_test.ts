import assert from "node:assert/strict";
import { textOf, TODO } from "./definitions.ts";
import { commandOf, GW, startGw } from "./process.ts";
import { sendRaw } from "./raw.ts";

/** Malformed or unusual requests, and the expected responses: a 4xx that gw itself answers must say why. */
const REQUESTS: Record<string, { head: string; want: RegExp }> = {
  "bad percent-encoding": { head: "GET /todos/%zz HTTP/1.1\r\nhost: a", want: /^HTTP\/1\.1 [24]\d\d / },
  "bad percent-encoding in the query": {
    head: "GET /todos?limit=%zz HTTP/1.1\r\nhost: a",
    want: /^HTTP\/1\.1 400 [^]*limit/,
  },
  "an absolute target": { head: "GET http://other.example/todos HTTP/1.1\r\nhost: a", want: /^HTTP\/1\.1 200 / },
  "an asterisk as target": { head: "OPTIONS * HTTP/1.1\r\nhost: a", want: /^HTTP\/1\.1 [24]\d\d / },
  "an authority as target": { head: "CONNECT a:80 HTTP/1.1\r\nhost: a", want: /^HTTP\/1\.1 4\d\d / },
  "a target without a slash": { head: "GET todos HTTP/1.1\r\nhost: a", want: /^HTTP\/1\.1 400 / },
  "a target with two slashes": { head: "GET //todos HTTP/1.1\r\nhost: a", want: /^HTTP\/1\.1 404 [^]*detail/ },
  "dots in the target": { head: "GET /../../etc/passwd HTTP/1.1\r\nhost: a", want: /^HTTP\/1\.1 404 [^]*detail/ },
  "a null byte in the path": { head: "GET /todos/%00 HTTP/1.1\r\nhost: a", want: /^HTTP\/1\.1 [24]\d\d / },
  "no host": { head: "GET /todos HTTP/1.1", want: /^HTTP\/1\.1 (200|400) / },
  "a host that is none": { head: "GET /todos HTTP/1.1\r\nhost: a b/<>", want: /^HTTP\/1\.1 400 [^]*Host/ },
  "a host with a path": { head: "GET / HTTP/1.1\r\nhost: a/todos", want: /^HTTP\/1\.1 400 [^]*Host/ },
  "HTTP/1.0": { head: "GET /todos HTTP/1.0", want: /^HTTP\/1\.[01] 200 / },
  "an unknown method": { head: "BREW /todos HTTP/1.1\r\nhost: a", want: /^HTTP\/1\.1 405 [^]*allow: GET, POST/i },
  "a method named like a property": { head: "constructor /todos HTTP/1.1\r\nhost: a", want: /^HTTP\/1\.1 405 / },
  "a path named like a property": { head: "GET /__proto__ HTTP/1.1\r\nhost: a", want: /^HTTP\/1\.1 404 / },
  "a path of 60 KB": { head: `GET /${"a/".repeat(30_000)} HTTP/1.1\r\nhost: a`, want: /^HTTP\/1\.1 4\d\d / },
  "headers of 1 MB": {
    head: `GET /todos HTTP/1.1\r\nhost: a\r\nx: ${"b".repeat(1 << 20)}`,
    want: /^HTTP\/1\.1 4\d\d /,
  },
  "5,000 headers": { head: `GET /todos HTTP/1.1\r\nhost: a${"\r\nx: b".repeat(5000)}`, want: /^HTTP\/1\.1 4\d\d / },
  "an Accept of 30 KB": {
    head: `GET /todos HTTP/1.1\r\nhost: a\r\naccept: ${"a/b;q=0.1, ".repeat(2700)}text/plain`,
    want: /^HTTP\/1\.1 200 [^]*text\/plain/,
  },
  "an Accept that is none": {
    head: "GET /todos HTTP/1.1\r\nhost: a\r\naccept: ;;=,/,,",
    want: /^HTTP\/1\.1 [24]\d\d /,
  },
  "a Prefer that is none": { head: 'GET /todos HTTP/1.1\r\nhost: a\r\nprefer: code="', want: /^HTTP\/1\.1 [24]\d\d / },
  "no HTTP at all": { head: "\u0016\u0003\u0001\u0002", want: /^(HTTP\/1\.1 400 [^]*)?$/ },
};

Deno.test("gw mock takes every request, however malformed", async (t) => {
  await using gw = await startGw({ args: ["mock", TODO, "--validate", "error"] });
  for (const [what, { head, want }] of Object.entries(REQUESTS)) {
    await t.step(what, async () => {
      assert.match(await sendRaw(gw.port, `${head}\r\n\r\n`), want);
    });
  }
  assert.match(await textOf(gw, "/todos"), /Buy milk/);
  assert.doesNotMatch(gw.text(), /This is an error of gw/);
});

Deno.test("gw mock answers others while bodies never end", async () => {
  await using gw = await startGw({ args: ["mock", TODO, "--validate", "error"] });
  const head = "POST /todos HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n";
  const endless = await Promise.all(Array.from({ length: 50 }, async (_, index) => {
    const connection = await Deno.connect({ port: gw.port });
    const framing = index % 2 === 0
      ? "content-length: 1000000\r\n\r\n{"
      : "transfer-encoding: chunked\r\n\r\n1\r\n{\r\n";
    await connection.write(new TextEncoder().encode(head + framing));
    return connection;
  }));
  assert.match(await textOf(gw, "/todos"), /Buy milk/);
  for (const connection of endless) connection.close();
  assert.match(await textOf(gw, "/todos"), /Buy milk/);
});

Deno.test("gw mock answers beside thousands of idle connections", async () => {
  await using gw = await startGw({ args: ["mock", TODO, "--quiet"] });
  const idle: Deno.Conn[] = [];
  try {
    while (idle.length < 10_000) {
      const batch = await Promise.allSettled(Array.from({ length: 500 }, () => Deno.connect({ port: gw.port })));
      const opened = batch.flatMap((outcome) => outcome.status === "fulfilled" ? [outcome.value] : []);
      idle.push(...opened);
      // The system allows no more open files.
      if (opened.length < batch.length) break;
    }
    for (const connection of idle.splice(0, 20)) connection.close();
    assert.match(await textOf(gw, "/todos"), /Buy milk/);
  } finally {
    for (const connection of idle) connection.close();
  }
  assert.match(await textOf(gw, "/todos"), /Buy milk/);
});

Deno.test({
  name: "gw mock goes on when it may open no more files",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const program = ["sh", "-c", 'ulimit -n 100; exec "$@"', "sh", ...GW];
    await using gw = await startGw({ program, args: ["mock", TODO] });
    const idle: Deno.Conn[] = [];
    try {
      while (!gw.text().includes("Cannot accept more connections")) {
        const connection = await Deno.connect({ port: gw.port }).catch(() => undefined);
        if (connection !== undefined) idle.push(connection);
        else await gw.until(/Cannot accept more connections: .*Too many open files/);
      }
    } finally {
      for (const connection of idle) connection.close();
    }
    // The server listens again within a tenth of a second.
    let answer: string | undefined;
    while (answer === undefined) answer = await textOf(gw, "/todos").catch(() => undefined);
    assert.match(answer, /Buy milk/);
  },
});

Deno.test("gw mock goes on after the reader of its log has gone", async () => {
  await using gw = commandOf({ args: ["mock", TODO, "--port", "0"] }).spawn();
  const reader = gw.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("Watching")) text += (await reader.read()).value ?? "";
  await reader.cancel();
  const url = /http:[^\s]+/.exec(text)?.[0] ?? "";
  for (let request = 0; request < 3; request++) {
    assert.match(await textOf({ url }, "/todos"), /Buy milk/);
    // Give gw time to write its log to the closed pipe.
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  gw.kill();
  await gw.stderr.cancel();
  assert.equal((await gw.status).code, 0);
});
