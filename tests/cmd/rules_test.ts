import assert from "node:assert/strict";
import { runGw, type Running, startGw } from "./process.ts";
import { sendRaw } from "./raw.ts";

const DEFINITION = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    get:
      responses:
        "200":
          description: Pets
          content:
            application/json:
              schema: {type: array, items: {type: object, properties: {name: {type: string}}}}
              examples: {two: {value: [{name: Tom}, {name: Kit}]}, none: {value: []}}
  /orders:
    x-svc: {mocking: {sequence: [503, ok, example late]}}
    get:
      responses:
        "200": {description: Orders, content: {text/plain: {example: orders}}}
        "504": {description: Late, content: {text/plain: {examples: {late: {value: later}}}}}
  /slow:
    get:
      x-svc: {mocking: {delay: 60000}}
      responses: {"204": {description: Done}}
`;

const BODY = '[{"name":"Tom"},{"name":"Kit"}]';

function startWith(...rules: readonly string[]): Promise<Running> {
  const args = ["mock", "-", ...rules.flatMap((rule) => ["--rule", rule])];
  return startGw({ args, stdin: DEFINITION });
}

Deno.test("gw mock --rule replaces the answer of an operation", async () => {
  await using gw = await startWith(
    "GET /pets: 503 if query.a=1",
    "GET /pets: example none if query.a=2",
    'GET /pets: 201 if query.a=3 body [{"name": "Ace"}]',
    "GET /pets: 429,ok",
  );
  const answers = [];
  for (const query of ["?a=1", "?a=2", "?a=3", "", "", ""]) {
    const response = await fetch(`${gw.url}/pets${query}`);
    answers.push([response.status, await response.text()]);
  }
  assert.deepEqual(answers, [
    [503, '{"title":"Service Unavailable","status":503}'],
    [200, "[]"],
    [201, '[{"name":"Ace"}]'],
    [429, '{"title":"Too Many Requests","status":429}'],
    [200, BODY],
    [200, BODY],
  ]);
  await gw.until(/GET \/pets\?a=1 503 application\/problem\+json rule/);
});

Deno.test("gw mock answers by x-svc.mocking.sequence, anew in each session", async () => {
  await using gw = await startWith();
  for (const session of ["a", "b"]) {
    const answers = [];
    for (let count = 0; count < 4; count++) {
      const response = await fetch(`${gw.url}/orders`, { headers: { "x-gw-session": session } });
      answers.push(`${response.status} ${(await response.text()).slice(0, 8)}`);
    }
    assert.deepEqual(answers, ['503 {"title"', "200 orders", "504 later", "200 orders"]);
  }
});

const REFUSED: readonly { rule: string; says: RegExp }[] = [
  { rule: "GET /pets", says: /OPERATION: WHAT/ },
  { rule: "GET /pets: 42%3", says: /`42%3` is no part of a rule/ },
  {
    rule: "GET /pest: 503",
    says:
      /^--rule 'GET \/pest: 503' can't be used: The definition has no operation `GET \/pest`\. Did you mean `GET \/pets`\?$/m,
  },
  {
    rule: "GET /nope: 503",
    says: /has no operation `GET \/nope`\. It has `GET \/pets`, `GET \/orders` and `GET \/slow`\.$/m,
  },
  { rule: "GET /pets: example some", says: /at \/example: There is no example `some`/ },
  { rule: 'GET /pets: body [{"name": 5}]', says: /at \/body\/0\/name: .*string/ },
  { rule: "GET /pets: 99", says: /The status 99 must be from 200 to 599/ },
  { rule: "GET /pets: 9%%", says: /no part of a rule/ },
  { rule: "GET /pets: 503 200%", says: /The share 200% must be from 0% to 100%/ },
];

for (const { rule, says } of REFUSED) {
  Deno.test(`gw mock refuses --rule '${rule}'`, async () => {
    const { code, stderr } = await runGw({ args: ["mock", "-", "--port", "0", "--rule", rule], stdin: DEFINITION });
    assert.match(stderr, says);
    assert.equal(code, 2);
  });
}

Deno.test("gw mock --rule takes a body that its schema refuses with `force`", async () => {
  await using gw = await startWith('GET /pets: force body [{"name": 5}]');
  assert.equal(await (await fetch(`${gw.url}/pets`)).text(), '[{"name":5}]');
});

const FAULTS: readonly { rule: string; gives: RegExp }[] = [
  {
    rule: "GET /pets: truncated",
    gives: /^HTTP\/1\.1 200 OK\r\n[^]*content-length: 31\r\n[^]*\r\n\r\n\[{"name":"Tom"}$/,
  },
  { rule: "GET /pets: truncated 3", gives: /content-length: 31\r\n[^]*\r\n\r\n\[{"$/ },
  { rule: "GET /pets: slow 1000", gives: /content-length: 31\r\n[^]*\r\n\r\n\[{"name":"Tom"},{"name":"Kit"}\]$/ },
];

for (const { rule, gives } of FAULTS) {
  Deno.test(`gw mock --rule '${rule}' sends the body so`, async () => {
    await using gw = await startWith(rule);
    assert.match(await sendRaw(gw.port, "GET /pets HTTP/1.1\r\nHost: localhost\r\n\r\n"), gives);
  });
}

const SAID: readonly { rule: string; log: RegExp; fault: string; least: number }[] = [
  {
    rule: "truncated 3",
    log: /GET \/pets 200 .*\n {2}! A rule truncates the body after 3 bytes\./,
    fault: "truncated",
    least: 0,
  },
  { rule: "truncated", log: /GET \/pets 200 .*\n {2}! A rule truncates the body\./, fault: "truncated", least: 0 },
  // 31 bytes in chunks of 10, each after 100 ms.
  {
    rule: "slow 100",
    log: /GET \/pets 200 .*\n {2}! A rule sends the body slowly, at 100 bytes/,
    fault: "slow",
    least: 350,
  },
  { rule: "delay 120 slow 1000", log: /GET \/pets 200 .*\n {2}! A rule sends/, fault: "slow", least: 200 },
  { rule: "reset", log: /GET \/pets 503 .*\n {2}! A rule resets the connection\./, fault: "reset", least: 0 },
  { rule: "delay 120 empty", log: /GET \/pets 503 .*\n {2}! A rule closes the connection/, fault: "empty", least: 115 },
  // The client gives up 300 ms after it has sent the request, which arrives some time later.
  { rule: "time-out", log: /GET \/pets 503 .*\n {2}! A rule lets the client wait\./, fault: "time-out", least: 50 },
];

for (const { rule, log, fault, least } of SAID) {
  Deno.test(`log and journal tell of '${rule}', with the time that it took`, async () => {
    await using gw = await startWith(`GET /pets: ${rule}`);
    await fetch(`${gw.url}/pets`, { signal: AbortSignal.timeout(fault === "time-out" ? 300 : 10_000) })
      .then((response) => response.text()).catch(() => {});
    await gw.until(log);
    const [, logged] = /GET \/pets \d+ .* ([\d.]+) ms\n/.exec(gw.text()) ?? [];
    assert.ok(Number(logged) >= least, `${logged} ms`);
    const { requests: [entry] } = await (await fetch(`${gw.url}/_gw/requests`)).json();
    assert.equal(entry.response.fault, fault);
    assert.ok(entry.duration >= least, entry.duration);
    const { log: { entries: [archived] } } = await (await fetch(`${gw.url}/_gw/requests.har`)).json();
    assert.equal(Math.round(archived.time * 1000) / 1000, entry.duration);
  });
}

Deno.test("the journal of a server without a log tells how long a delay took", async () => {
  const args = ["mock", "-", "--quiet", "--rule", "GET /pets: delay 120"];
  await using gw = await startGw({ args, stdin: DEFINITION });
  assert.equal((await (await fetch(`${gw.url}/pets`)).json()).length, 2);
  const { requests: [delayed] } = await (await fetch(`${gw.url}/_gw/requests?path=/pets`)).json();
  assert.equal(delayed.response.delay, 120);
  assert.ok(delayed.duration >= 118, delayed.duration);
});

/** Sends a request. Returns the response, and whether its connection was closed (FIN) or reset (RST). */
async function endOf(port: number, request: string): Promise<{ text: string; end: "closed" | "reset" }> {
  using connection = await Deno.connect({ port });
  await connection.write(new TextEncoder().encode(request));
  let text = "";
  const buffer = new Uint8Array(65_536);
  try {
    for (;;) {
      const count = await connection.read(buffer);
      if (count === null) return { text, end: "closed" };
      text += new TextDecoder().decode(buffer.subarray(0, count));
    }
  } catch {
    return { text, end: "reset" };
  }
}

const ENDS = [
  { fault: "reset", want: { text: "", end: "reset" } },
  { fault: "empty", want: { text: "", end: "closed" } },
] as const;

for (const { fault, want } of ENDS) {
  Deno.test({
    name: `gw mock --rule '* *: ${fault}' ends the connection without an answer`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      await using gw = await startWith(`* *: ${fault}`);
      const post = "POST /pets HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}";
      for (
        const request of ["GET /pets HTTP/1.1\r\nHost: localhost\r\n\r\n", "HEAD /pets HTTP/1.1\r\nHost: a\r\n\r\n"]
      ) {
        assert.deepEqual(await endOf(gw.port, request), want);
      }
      assert.match((await endOf(gw.port, `${post.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")}`)).text, /405/);
      await gw.until(new RegExp(`A rule (?:resets|closes) the connection`));
    },
  });
}

Deno.test("gw mock ends a delay when the client disconnects, and stops without waiting for delays", async () => {
  await using gw = await startWith();
  const controller = new AbortController();
  const request = fetch(`${gw.url}/slow`, { signal: controller.signal });
  assert.equal((await fetch(`${gw.url}/pets`)).status, 200);
  controller.abort();
  await assert.rejects(request);
  await gw.until(/GET \/slow 204/);
});

Deno.test("gw mock --rule 'GET /pets: time-out' sends nothing until the client disconnects", async () => {
  await using gw = await startWith("GET /pets: time-out");
  const response = fetch(`${gw.url}/pets`, { signal: AbortSignal.timeout(300) });
  await assert.rejects(response, { name: "TimeoutError" });
  await gw.until(/A rule lets the client wait/);
});
