import assert from "node:assert/strict";
import { MemoryBudget } from "../../../../lib/http/limits/memory_budget.ts";
import type { Bytes, Handler } from "../../../../lib/http/handler.ts";
import { createResponder } from "../../../../lib/mock/responder.ts";
import { type ContractOf, createContracts } from "../../../../lib/observe/relay/contract.ts";
import { relay } from "../../../../lib/observe/relay/relay.ts";
import { listOperations } from "../../../../lib/openapi/operation.ts";
import { createQueue } from "../../../../lib/observe/relay/queue.ts";
import type { MockOptions } from "../../../../lib/mock/mock_options.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";

const DOCUMENT = await parseDocument(`
openapi: 3.2.0
info: {title: Pets, version: 1.0.0}
paths:
  /pet:
    get:
      operationId: getPet
      parameters: [{name: id, in: query, schema: {type: integer}}]
      responses:
        "200":
          description: A pet.
          headers:
            x-rate: {schema: {type: integer}}
            x-tags: {schema: {type: array, items: {enum: [a, b]}}}
            x-json: {content: {application/json: {schema: {type: object}}}}
          content:
            application/json: {schema: {$ref: "#/components/schemas/Pet"}}
            application/xml: {schema: {$ref: "#/components/schemas/Pet"}}
            application/x-www-form-urlencoded: {schema: {$ref: "#/components/schemas/Pet"}}
            text/csv: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}
            text/event-stream: {itemSchema: {required: [data], properties: {data: {maxLength: 3}}}}
            application/x-ndjson: {itemSchema: {$ref: "#/components/schemas/Pet"}}
            text/plain: {schema: {maxLength: 3}}
            image/png: {}
        "201": {description: "", headers: {location: {required: true, schema: {type: string}}}}
        "204": {description: Nothing.}
        "206": {description: A part., content: {application/json: {schema: {type: object}}}}
        4XX: {description: An error., content: {application/problem+json: {schema: {required: [title]}}}}
    put:
      operationId: putPet
      parameters: [{name: id, in: query, schema: {type: integer}}]
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
      responses: {"204": {description: ""}}
components:
  schemas:
    Pet:
      type: object
      required: [id]
      properties: {id: {type: integer}, secret: {type: string, writeOnly: true}}
`);

interface Seen {
  status: number;
  violations: string | null;
  text: string;
  remarks: readonly string[];
  late: readonly string[];
}

async function ask(upstream: Handler, options: MockOptions = {}, request = GET()): Promise<Seen> {
  const mock = await createResponder([DOCUMENT], {
    upstream,
    proxyAll: true,
    validate: "warn",
    timer: NEVER_ELAPSES,
    ...options,
  });
  const { response, remarks = [], late } = await mock(request);
  return {
    status: response.status,
    violations: response.headers.get("x-gw-violations"),
    text: await response.text(),
    remarks,
    late: await late ?? [],
  };
}

function GET(headers: HeadersInit = {}, query = ""): Request {
  return new Request(`http://localhost/pet${query}`, { headers });
}

function PUT(body: BodyInit, headers: HeadersInit = {}, query = ""): Request {
  return new Request(`http://localhost/pet${query}`, {
    method: "PUT",
    body,
    headers: { "content-type": "application/json", ...headers },
  });
}

const NEVER_ELAPSES = () => ({ elapsed: new Promise<void>(() => {}), cancel: () => {} });
const HAS_ELAPSED = () => ({ elapsed: Promise.resolve(), cancel: () => {} });

function typed(type: string, body: BodyInit = "", headers: HeadersInit = {}): () => Response {
  return () => new Response(body, { headers: { "content-type": type, ...headers } });
}

function json(text: string, headers: HeadersInit = {}): () => Response {
  return typed("application/json", text, headers);
}

async function gzip(text: string): Promise<ArrayBuffer> {
  return await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
}

Deno.test("a response of the upstream is checked: status, media type, headers, body", async (t) => {
  const cases: { name: string; answer: () => Response; request?: Request; want?: RegExp }[] = [
    { name: "JSON", answer: json('{"id":1}') },
    {
      name: "invalid JSON",
      answer: json('{"id":"1"}'),
      want: /^1 violation: Response body property id must be integer/,
    },
    { name: "no JSON", answer: json("{"), want: /^1 violation: Response body is not JSON/ },
    { name: "an empty body", answer: json(""), want: /Response body is not JSON/ },
    { name: "bytes that are no UTF-8", answer: typed("application/json", new Uint8Array([0xff])), want: /not UTF-8/ },
    { name: "a property that is only for requests", answer: json('{"id":1,"secret":"x"}'), want: /secret/ },
    { name: "XML", answer: typed("application/xml", "<Pet><id>3</id></Pet>") },
    { name: "invalid XML", answer: typed("application/xml", "<Pet><id>x</id></Pet>"), want: /property id must be int/ },
    { name: "a form", answer: typed("application/x-www-form-urlencoded", "id=3") },
    { name: "an invalid form", answer: typed("application/x-www-form-urlencoded", "id=x"), want: /property id/ },
    { name: "CSV", answer: typed("text/csv", "id\n1\n2\n") },
    { name: "invalid CSV", answer: typed("text/csv", "id\n1\nx\n"), want: /property 1\.id must be integer/ },
    { name: "events", answer: typed("text/event-stream", "data: abc\n\ndata: d\n\n") },
    { name: "invalid events", answer: typed("text/event-stream", "data: abc\n\ndata: abcd\n\n"), want: /1\.data must/ },
    { name: "lines", answer: typed("application/x-ndjson", '{"id":1}\n{"id":2}\n') },
    {
      name: "invalid lines",
      answer: typed("application/x-ndjson", '{"id":1}\n{"id":"2"}\n'),
      want: /1\.id must be int/,
    },
    { name: "text", answer: typed("text/plain", "abc") },
    { name: "a long text", answer: typed("text/plain", "abcd"), want: /must NOT have more than 3|at most 3|3 char/ },
    { name: "an image", answer: typed("image/png", new Uint8Array([1, 2, 3])) },
    { name: "a media type that isn't declared", answer: typed("text/html", "x"), want: /body is text\/html, but / },
    { name: "no media type", answer: () => new Response(new Uint8Array([1])), want: /has no Content-Type/ },
    {
      name: "a status that isn't declared",
      answer: () => new Response(null, { status: 302 }),
      want: /status 302 is not/,
    },
    { name: "a range of status codes", answer: () => problem(404, '{"title":"No"}') },
    { name: "an invalid problem", answer: () => problem(404, "{}"), want: /must have.*title|title.*required|title/ },
    {
      name: "a response without content",
      answer: () => new Response("x", { status: 201, headers: { location: "/" } }),
    },
    {
      name: "a missing header",
      answer: () => new Response(null, { status: 201 }),
      want: /header location is required/,
    },
    { name: "headers", answer: json('{"id":1}', { "x-rate": "3", "x-tags": "a, b", "x-json": '{"a":1}' }) },
    { name: "an invalid header", answer: json('{"id":1}', { "x-rate": "three" }), want: /x-rate must be integer/ },
    { name: "an invalid list", answer: json('{"id":1}', { "x-tags": "a, c" }), want: /x-tags/ },
    { name: "an invalid header of JSON", answer: json('{"id":1}', { "x-json": "[]" }), want: /x-json must be object/ },
    { name: "a header of no JSON", answer: json('{"id":1}', { "x-json": "{" }), want: /x-json is not JSON/ },
    { name: "204", answer: () => new Response(null, { status: 204 }) },
    {
      name: "304 that was asked for",
      answer: () => new Response(null, { status: 304 }),
      request: GET({ "if-none-match": "x" }),
    },
    { name: "304 that wasn't", answer: () => new Response(null, { status: 304 }), want: /status 304 is not declared/ },
    { name: "206", answer: () => new Response("{", { status: 206, headers: { "content-type": "application/json" } }) },
    {
      name: "HEAD",
      answer: () => new Response(null, JSON_TYPE),
      request: new Request("http://localhost/pet", { method: "HEAD" }),
    },
    { name: "a verdict of the upstream", answer: json('{"id":1}', { "x-gw-violations": "mine" }) },
    {
      name: "an invalid request",
      answer: json('{"id":1}'),
      request: GET({}, "?id=x"),
      want: /query parameter id must be int/,
    },
  ];
  for (const { name, answer, request, want } of cases) {
    await t.step(name, async () => {
      const expected = await answer().text();
      const seen = await ask(answer, {}, request);
      if (want === undefined) assert.equal(seen.violations, null);
      else assert.match(seen.violations ?? "", want);
      assert.deepEqual(seen.late, []);
      assert.equal(seen.text, expected);
    });
    if (request !== undefined) continue;
    await t.step(`${name}, with --validate error`, async () => {
      const { status } = answer();
      const seen = await ask(answer, { validate: "error" });
      assert.equal(seen.status, want === undefined ? status : 502);
      if (want === undefined) return;
      const { detail, validation } = JSON.parse(seen.text);
      assert.match(
        detail,
        new RegExp(`^The response ${status} of the upstream is not as getPet declares it: Response `),
      );
      assert.deepEqual(validation[0].location[0], "response");
    });
  }
});

const JSON_TYPE = { headers: { "content-type": "application/json" } };

function problem(status: number, body: string): Response {
  return new Response(body, { status, headers: { "content-type": "application/problem+json" } });
}

Deno.test("bodies with a content coding are decoded for the check and passed on unchanged", async (t) => {
  const bomb = await gzip(" ".repeat(20e6));
  const cases: { name: string; coding: string; body: BodyInit; violations?: RegExp; remark?: RegExp }[] = [
    { name: "valid", coding: "gzip", body: await gzip('{"id":1}') },
    { name: "invalid", coding: "gzip", body: await gzip('{"id":"x"}'), violations: /property id must be integer/ },
    { name: "not gzip", coding: "gzip", body: '{"id":1}', violations: /can't be decoded by its content coding/ },
    {
      name: "another coding",
      coding: "br",
      body: "??",
      remark: /^The body of the response went unchecked\. It has .* br/,
    },
    { name: "a bomb", coding: "gzip", body: bomb, remark: /Without its content coding it has more than 10 MiB\./ },
  ];
  for (const { name, coding, body, violations, remark } of cases) {
    await t.step(name, async () => {
      const answer = json("", { "content-encoding": coding });
      const expected = new Uint8Array(await new Response(body).arrayBuffer());
      const mock = await createResponder([DOCUMENT], {
        upstream: () => new Response(body, { headers: answer().headers }),
        proxyAll: true,
        validate: "warn",
        timer: NEVER_ELAPSES,
      });
      const { response, remarks = [], late } = await mock(GET());
      assert.deepEqual(new Uint8Array(await response.arrayBuffer()), expected);
      const told = [...remarks, ...await late ?? []];
      assert.equal(told.length > 0, violations !== undefined || remark !== undefined, told.join());
      assert.match(told.join(), violations ?? remark ?? /^$/);
    });
  }
});

Deno.test("a slow body is passed on, and its violations are reported when it ends", async (t) => {
  for (const validate of ["warn", "error"] as const) {
    await t.step(validate, async () => {
      const { readable, writable } = new TransformStream<Bytes, Bytes>();
      const writer = writable.getWriter();
      const upstream = (): Response => new Response(readable, JSON_TYPE);
      const mock = await createResponder([DOCUMENT], { upstream, proxyAll: true, validate, timer: HAS_ELAPSED });
      const { response, late } = await mock(GET());
      assert.equal(response.headers.get("x-gw-violations"), null);
      const text = response.text();
      for (const part of ['{"id"', ":", '"x"}']) await writer.write(new TextEncoder().encode(part));
      await writer.close();
      assert.equal(await text, '{"id":"x"}');
      assert.deepEqual(await late, ["Response body property id must be integer."]);
    });
  }
});

Deno.test("a body above the limit is passed on unchecked, with a remark", async (t) => {
  for (const validate of ["warn", "error"] as const) {
    for (const hasLength of [false, true]) {
      await t.step(`${validate}${hasLength ? ", length known" : ""}`, async () => {
        const text = `{"id":"${"x".repeat(10 * 1024 * 1024)}"}`;
        const seen = await ask(json(text, hasLength ? { "content-length": String(text.length) } : {}), { validate });
        assert.equal(seen.status, 200);
        assert.ok(seen.text === text);
        assert.deepEqual(seen.late, ["The body of the response went unchecked. It has more than 10 MiB."]);
      });
    }
  }
});

Deno.test("a body of too many values is passed on unchecked, with a remark", async (t) => {
  for (const validate of ["warn", "error"] as const) {
    await t.step(validate, async () => {
      const text = `[${"0,".repeat(300_000)}0]`;
      const seen = await ask(json(text), { validate });
      assert.deepEqual([seen.status, seen.text === text, seen.violations], [200, true, null]);
      assert.match([...seen.remarks, ...seen.late].join(), /unchecked\. .*The body has more than 250000 values\.$/);
    });
  }
});

Deno.test("a response that breaks off is a failure of the upstream, not a violation", async (t) => {
  const broken = (): Response => {
    let count = 0;
    const body = new ReadableStream<Bytes>({
      pull(controller) {
        if (count++ === 0) controller.enqueue(new TextEncoder().encode('{"id"'));
        else controller.error(new Error("connection reset"));
      },
    });
    return new Response(body, JSON_TYPE);
  };
  for (const validate of ["warn", "error"] as const) {
    await t.step(`${validate}, held back`, async () => {
      const seen = await ask(broken, { validate });
      assert.equal(seen.status, 502);
      assert.equal(JSON.parse(seen.text).detail, "The response of the upstream broke off: connection reset");
      assert.equal(JSON.parse(seen.text).validation, undefined);
      assert.deepEqual(seen.remarks, ["The response of the upstream broke off: connection reset"]);
    });
  }
  await t.step("passing", async () => {
    const mock = await createResponder([DOCUMENT], { upstream: broken, proxyAll: true, validate: "warn" });
    const { response, late } = await mock(GET());
    assert.equal(response.status, 200);
    await assert.rejects(response.text(), /connection reset/);
    assert.deepEqual(await late, ["The response of the upstream broke off: connection reset"]);
  });
});

Deno.test("a request is checked before it goes on", async (t) => {
  const large = " ".repeat(100_000);
  const cases: { name: string; request: () => Request; want?: RegExp; status?: number }[] = [
    { name: "valid", request: () => PUT('{"id":1}') },
    { name: "an invalid body", request: () => PUT('{"id":"x"}'), want: /property id must be integer/, status: 422 },
    { name: "no JSON", request: () => PUT("{"), want: /is not JSON/, status: 400 },
    { name: "an invalid query", request: () => PUT('{"id":1}', {}, "?id=x"), want: /query parameter id/, status: 422 },
    { name: "another media type", request: () => PUT("x", { "content-type": "text/x" }), want: /text\/x/, status: 415 },
    { name: "a large body", request: () => PUT(`{"id":1}${large}`) },
    { name: "a large invalid body", request: () => PUT(`{"id":"x"}${large}`), want: /property id/, status: 422 },
    { name: "a large body, invalid query", request: () => PUT(large, {}, "?id=x"), want: /parameter id/, status: 400 },
    {
      name: "a coding that isn't one",
      request: () => PUT("x", { "content-encoding": "gzip" }),
      want: /read/,
      status: 400,
    },
  ];
  const NO_CONTENT = { status: 204 };
  for (const { name, request, want, status } of cases) {
    await t.step(name, async () => {
      const expected = await request().text();
      let received: string | undefined;
      const upstream = async (request: Request): Promise<Response> => {
        received = await request.text();
        return new Response(null, NO_CONTENT);
      };
      const warned = await ask(upstream, {}, request());
      assert.equal(received, expected);
      assert.equal(warned.status, 204);
      if (want === undefined) assert.equal(warned.violations, null);
      else assert.match(warned.violations ?? "", want);

      received = undefined;
      const refused = await ask(upstream, { validate: "error" }, request());
      assert.equal(refused.status, want === undefined ? 204 : status);
      assert.equal(received, want === undefined ? expected : undefined);
    });
  }
});

Deno.test("a request that can't be checked is sent on, with a remark", async (t) => {
  const over = new Uint8Array(10 * 1024 * 1024 + 1).fill(0x20);
  const cases: { name: string; request: () => Request; want: RegExp }[] = [
    {
      name: "another coding",
      request: () => PUT("x", { "content-encoding": "br" }),
      want: /unchecked\. It has the content coding br/,
    },
    { name: "above the limit", request: () => PUT(over), want: /unchecked\. It has more than 10 MiB\.$/ },
    {
      name: "too many values",
      request: () => PUT(`[${"0,".repeat(300_000)}0]`),
      want: /unchecked\. Request body has more than 250000 values\.$/,
    },
  ];
  for (const { name, request, want } of cases) {
    for (const validate of ["warn", "error"] as const) {
      await t.step(`${name}, ${validate}`, async () => {
        let length = 0;
        const upstream = async (request: Request): Promise<Response> => {
          length = (await request.arrayBuffer()).byteLength;
          return new Response(null, { status: 204 });
        };
        const seen = await ask(upstream, { validate }, request());
        assert.equal(seen.status, 204);
        assert.equal(length, (await request().arrayBuffer()).byteLength);
        assert.match([...seen.remarks, ...seen.late].join(), want);
      });
    }
  }
});

Deno.test("an upload that breaks off is observed without a violation", async () => {
  for (const validate of ["warn", "error"] as const) {
    const { promise: observed, resolve: observe } = Promise.withResolvers<number>();
    const body = new ReadableStream<Bytes>({
      pull: (controller) => controller.error(new Error("The client has disconnected.")),
    });
    const upstream = async (request: Request): Promise<Response> => {
      const isRead = await request.text().then(() => true, () => false);
      return new Response(null, { status: isRead ? 204 : 422 });
    };
    const request = new Request("http://localhost/pet", { method: "PUT", body, headers: JSON_TYPE.headers });
    await ask(upstream, { validate, observe: ({ requestViolations }) => observe(requestViolations.length) }, request);
    assert.equal(await observed, 0);
  }
});

Deno.test("without checks, bodies aren't read and streams are passed on as they are", async () => {
  const body = new ReadableStream<Bytes>({ pull: (controller) => controller.close() });
  const answer = new Response(body, JSON_TYPE);
  const observe = Object.assign(() => {}, { ignoresBodies: true });
  for (const observed of [{}, { observe }]) {
    const mock = await createResponder([DOCUMENT], {
      upstream: () => answer,
      proxyAll: true,
      cors: false,
      ...observed,
    });
    const { response } = await mock(GET());
    assert.ok(response === answer);
    assert.equal(response.bodyUsed, false);
  }
});

Deno.test("proxyUnknown sends unknown paths and methods to the upstream", async (t) => {
  const upstream: Handler = ({ method, url }) => new Response(`${method} ${new URL(url).pathname}`);
  const cases = [["GET", "/dogs"], ["DELETE", "/pet"], ["OPTIONS", "/dogs"]] as const;
  for (const [method, path] of cases) {
    await t.step(`${method} ${path}`, async () => {
      const request = (): Request => new Request(`http://localhost${path}`, { method });
      assert.equal((await ask(upstream, { proxyUnknown: true }, request())).text, `${method} ${path}`);
      assert.notEqual((await ask(upstream, {}, request())).text, `${method} ${path}`);
    });
  }
});

Deno.test("a check that throws isn't a violation: the exchange continues, with remarks", async (t) => {
  const operation = listOperations(DOCUMENT)[0];
  assert.ok(operation !== undefined);
  const fails = (): never => {
    throw new Error("out of order");
  };
  const contracts: Record<string, ContractOf> = {
    "that can't be made": createContracts({}, () => Promise.reject(new Error("out of order"))),
    "of a head": () => ({ requests: undefined, responses: { checkHead: fails } }),
    "of a body": () => ({
      requests: undefined,
      responses: { checkHead: () => ({ violations: [], checkBody: fails }) },
    }),
  };
  for (const [name, contractOf] of Object.entries(contracts)) {
    await t.step(name, async () => {
      const relayed = await relay({
        upstream: json('{"id":"x"}'),
        contractOf,
        refuses: true,
        observe: undefined,
        budget: new MemoryBudget(1e6),
        bodies: undefined,
        decoding: createQueue(),
        timer: NEVER_ELAPSES,
      }, { request: GET(), operation, target: { path: "/pet", query: "", pathParameters: {} } });
      assert.ok(relayed.kind === "relayed");
      assert.equal(await relayed.response.text(), '{"id":"x"}');
      assert.equal(relayed.response.status, 200);
      assert.equal(relayed.response.headers.get("x-gw-violations"), null);
      assert.match(relayed.remarks.join(), /The body of the response went unchecked\. The check failed: out of order$/);
    });
  }
});
