import assert from "node:assert/strict";
import type { Bytes, Handler } from "../../../../lib/http/handler.ts";
import type { Exchange } from "../../../../lib/observe/exchange.ts";
import { createResponder, type Responder } from "../../../../lib/mock/responder.ts";
import { MemoryBudget } from "../../../../lib/http/limits/memory_budget.ts";
import type { MockOptions } from "../../../../lib/mock/mock_options.ts";
import { BodyTap } from "../../../../lib/observe/relay/body_tap.ts";
import type { Timer } from "../../../../lib/observe/relay/limits.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";

const DOCUMENT = await parseDocument(`
openapi: 3.1.0
info: {title: Logs, version: 1.0.0}
paths:
  /logs:
    get:
      responses:
        "200":
          description: The lines.
          headers: {x-rate: {required: true, schema: {type: integer}}}
          content: {application/x-ndjson: {}, application/json: {schema: {type: object}}}
    post:
      parameters: [{name: id, in: query, required: true, schema: {type: integer}}]
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"204": {description: ""}}
    put:
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, properties: {tags: {type: array, items: {type: integer}}}}
      responses: {"204": {description: ""}}
`);

const NEVER_ELAPSES: Timer = () => ({ elapsed: new Promise<void>(() => {}), cancel: () => {} });
const HAS_ELAPSED: Timer = () => ({ elapsed: Promise.resolve(), cancel: () => {} });
const MIB = 1024 * 1024;

function responderOf(upstream: Handler, options: MockOptions = {}): Promise<Responder> {
  return createResponder([DOCUMENT], { upstream, proxyAll: true, validate: "warn", timer: NEVER_ELAPSES, ...options });
}

function upload(body: BodyInit, query = "?id=1"): Request {
  return new Request(`http://localhost/logs${query}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
}

/** A stream of `size` bytes that doesn't end: it fails, or stays open. */
function unfinished(size: number, ending: "breaks off" | "stays open", onCancel = () => {}): ReadableStream<Bytes> {
  let isFirst = true;
  return new ReadableStream({
    async pull(controller) {
      if (isFirst) controller.enqueue(new Uint8Array(size).fill(0x20));
      else if (ending === "breaks off") controller.error(new Error("reset"));
      else await new Promise(() => {});
      isFirst = false;
    },
    cancel: onCancel,
  });
}

Deno.test("bodies that break off or are refused free the budget of their copies", async (t) => {
  const cases: { name: string; timer: Timer; query?: string; ending: "breaks off" | "stays open"; status: number }[] = [
    { name: "uploads that break off", timer: NEVER_ELAPSES, ending: "breaks off", status: 502 },
    { name: "refused uploads that don't end", timer: HAS_ELAPSED, query: "", ending: "stays open", status: 422 },
  ];
  for (const { name, timer, query, ending, status } of cases) {
    await t.step(name, async () => {
      let cancelled = 0;
      let isPatient = false;
      const respond = await responderOf(() => new Response(null, { status: 204 }), {
        validate: "error",
        timer: (milliseconds) => (isPatient ? NEVER_ELAPSES : timer)(milliseconds),
      });
      for (let count = 0; count < 20; count++) {
        const body = unfinished(5 * MIB, ending, () => cancelled++);
        assert.equal((await respond(upload(body, query))).response.status, status);
      }
      if (ending === "stays open") assert.equal(cancelled, 20);
      isPatient = true;
      const invalid = new Blob(["[", " ".repeat(MIB), "]"]).stream();
      assert.equal((await respond(upload(invalid))).response.status, 422);
    });
  }
});

Deno.test("a held-back body that comes in chunks of one byte takes no memory for each chunk", async () => {
  let left = 100_000;
  const source = new ReadableStream<Bytes>({
    pull(controller) {
      if (left-- > 0) controller.enqueue(new Uint8Array(1));
      else controller.close();
    },
  });
  let reactions = 0;
  const release = new Promise<void>(() => {});
  const then = release.then.bind(release);
  release.then = (...args: Parameters<typeof then>) => {
    reactions++;
    return then(...args) as never;
  };
  const tap = new BodyTap(source, { limit: MIB, budget: new MemoryBudget(MIB) });
  assert.ok(await tap.hold(MIB, release));
  assert.ok(reactions < 10, `${reactions} reactions`);
});

Deno.test("an invalid head is reported or refused while the body is still arriving", async (t) => {
  const upstream = (): Response =>
    new Response(unfinished(10, "stays open"), { headers: { "content-type": "application/json" } });
  await t.step("warn", async () => {
    const { response } = await (await responderOf(upstream, { timer: HAS_ELAPSED }))(
      new Request("http://localhost/logs"),
    );
    assert.match(response.headers.get("x-gw-violations") ?? "", /^1 violation: Response header x-rate/);
    await response.body?.cancel();
  });
  await t.step("error", async () => {
    const exchanges: Exchange[] = [];
    const respond = await responderOf(upstream, {
      timer: HAS_ELAPSED,
      validate: "error",
      observe: (exchange) => exchanges.push(exchange),
    });
    const { response } = await respond(new Request("http://localhost/logs"));
    assert.equal(response.status, 502);
    assert.match((await response.json()).detail, /x-rate/);
    assert.equal(exchanges[0]?.responseViolations.length, 1);
  });
});

Deno.test("a response of the upstream may have immutable headers", async () => {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response("{}", { status: 404 }),
  );
  const upstream = (): Promise<Response> => fetch(`http://127.0.0.1:${server.addr.port}`);
  const { response } = await (await responderOf(upstream, { cors: false }))(new Request("http://localhost/logs"));
  assert.match(response.headers.get("x-gw-violations") ?? "", /status 404/);
  assert.equal(await response.text(), "{}");
});

Deno.test("requests to an upstream are checked with the form formats of the options", async () => {
  const respond = await responderOf(() => new Response(null, { status: 204 }), {
    validate: "error",
    formFormats: { formArray: "comma" },
  });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const request = new Request("http://localhost/logs", { method: "PUT", headers, body: "tags=1,2" });
  assert.equal((await respond(request)).response.status, 204);
});

Deno.test("a body that neither checks nor observers need passes without a copy", async () => {
  const headers = { "content-type": "application/x-ndjson", "x-rate": "1" };
  const answer = new Response(unfinished(10, "stays open"), { headers });
  const observe = Object.assign(() => {}, { ignoresBodies: true });
  const { response } = await (await responderOf(() => answer, { cors: false, observe }))(
    new Request("http://localhost/logs"),
  );
  assert.equal(response, answer);
  await response.body?.cancel();
});

Deno.test("a client that disconnects while a response is held back isn't a failure of the upstream", async () => {
  const client = new AbortController();
  const exchanges: Exchange[] = [];
  const cancelled = Promise.withResolvers<void>();
  const respond = await responderOf(() => {
    setTimeout(() => client.abort());
    const headers = { "content-type": "application/json", "x-rate": "1" };
    return new Response(unfinished(10, "stays open", cancelled.resolve), { headers });
  }, { validate: "error", observe: (exchange) => exchanges.push(exchange) });
  await respond(new Request("http://localhost/logs", { signal: client.signal }));
  await cancelled.promise;
  assert.deepEqual(exchanges.map(({ unchecked }) => unchecked), ["It was not read to its end."]);
});
