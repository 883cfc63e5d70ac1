import assert from "node:assert/strict";
import type { Exchange } from "../../../../lib/observe/exchange.ts";
import { createForwarder } from "../../../../lib/http/forward.ts";
import { createMock } from "../../../../lib/mock/mock.ts";
import { createResponder } from "../../../../lib/mock/responder.ts";
import type { MockOptions } from "../../../../lib/mock/mock_options.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";

const DOCUMENT = await parseDocument(`
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get:
      responses: {"200": {description: "", content: {application/json: {schema: {type: array}, example: []}}}}
    put:
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {"200": {description: "", content: {application/json: {schema: {type: array}}}}}
`);
const TEXT = new TextDecoder();

/** Sends requests, and returns the observed exchanges in short form. */
async function observe(requests: readonly Request[], options: MockOptions): Promise<unknown[]> {
  const exchanges: Exchange[] = [];
  let tell: (exchange: Exchange) => void = () => {};
  const mock = createMock(DOCUMENT, { ...options, observe: (exchange) => tell(exchange) });
  for (const request of requests) {
    const { promise: observed, resolve } = Promise.withResolvers<Exchange>();
    tell = resolve;
    await (await mock(request)).arrayBuffer();
    exchanges.push(await observed);
  }
  return exchanges.map(({ operation, pathParameters, request, response, requestViolations, responseViolations }) => ({
    operation: operation && `${operation.method} ${operation.path}`,
    id: pathParameters["id"],
    sent: request.body && TEXT.decode(request.body),
    got: `${response.status} ${response.isUpstream} ${response.body === undefined ? "-" : TEXT.decode(response.body)}`,
    violations: [...requestViolations, ...responseViolations].map(({ code }) => code),
  }));
}

const GET = (path: string): Request => new Request(`http://localhost${path}`);
const PUT = (body: BodyInit): Request =>
  new Request("http://localhost/pets/7", { method: "PUT", body, headers: { "content-type": "application/json" } });

Deno.test("an observer gets each mocked exchange, and unknown paths and methods", async () => {
  const seen = await observe([GET("/pets/7"), GET("/pets/x"), GET("/dogs")], { validate: "error" });
  assert.deepEqual(seen, [
    { operation: "GET /pets/{id}", id: "7", sent: undefined, got: "200 false []", violations: [] },
    { ...seen[1] as object, operation: "GET /pets/{id}", id: "x", violations: ["type"] },
    { operation: undefined, id: undefined, sent: undefined, got: "404 false -", violations: [] },
  ]);
});

Deno.test("an observer gets each exchange with the upstream, with both bodies", async (t) => {
  const modes = [{ validate: "off" }, { validate: "warn" }, { validate: "error" }] as const;
  for (const { validate } of modes) {
    await t.step(validate, async () => {
      const upstream = async (request: Request): Promise<Response> =>
        request.method === "PUT" ? new Response(await request.text(), JSON_TYPE) : Response.json({});
      const options = { upstream, proxyAll: true, proxyUnknown: true, validate };
      const seen = await observe([PUT("{}"), GET("/pets/7"), GET("/dogs")], options);
      const violations = validate === "off" ? [] : ["type"];
      assert.deepEqual(seen, [
        { operation: "PUT /pets/{id}", id: "7", sent: "{}", got: "200 true {}", violations },
        { operation: "GET /pets/{id}", id: "7", sent: undefined, got: "200 true {}", violations },
        { operation: undefined, id: undefined, sent: undefined, got: "200 true -", violations: [] },
      ]);
    });
  }
});

const JSON_TYPE = { headers: { "content-type": "application/json" } };

Deno.test("an observer and the log get the reason why the upstream sent no response", async (t) => {
  const failure = "The upstream http://h can't be reached: refused";
  const upstream = createForwarder(new URL("http://h"), {
    send: () => Promise.resolve({ kind: "unreachable", reason: "refused" }),
  });
  for (const validate of ["off", "warn"] as const) {
    for (const path of ["/pets/7", "/pets/x", "/dogs"]) {
      await t.step(`${validate} ${path}`, async () => {
        const exchanges: Exchange[] = [];
        const observe = (exchange: Exchange): void => void exchanges.push(exchange);
        const options = { upstream, proxyAll: true, proxyUnknown: true, validate, observe };
        const { remarks = [], source } = await (await createResponder([DOCUMENT], options))(GET(path));
        assert.deepEqual(exchanges.map((exchange) => exchange.failure), [failure]);
        assert.ok(remarks.includes(failure), String(remarks));
        assert.equal(source, "problem");
      });
    }
  }
});
