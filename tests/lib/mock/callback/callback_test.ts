import assert from "node:assert/strict";
import { type CallbackPlan, listCallbacks, listWebhooks } from "../../../../lib/mock/callback/callback.ts";
import { describeRequest, describeResponse } from "../../../../lib/mock/callback/callback_context.ts";
import { createBodyGenerator } from "../../../../lib/mock/generate/generate.ts";
import { planCallbacks, planRequest } from "../../../../lib/mock/callback/plan_callbacks.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { listOperations } from "../../../../lib/openapi/operation.ts";

const DEFINITION = `
openapi: 3.1.0
info: {title: Subscriptions, version: 1.0.0}
paths:
  /subscriptions/{kind}:
    post:
      parameters: [{name: kind, in: path, required: true, schema: {type: string}}]
      requestBody:
        content:
          application/json: {schema: {type: object, properties: {url: {type: string}}}}
          application/x-www-form-urlencoded: {schema: {type: object, properties: {url: {type: string}}}}
      responses:
        "201": {description: Subscribed}
      callbacks:
        onEvent:
          "{$request.body#/url}/events?kind={$request.path.kind}":
            post:
              parameters:
                - {name: X-Id, in: header, required: true, schema: {type: integer, const: 7}}
                - {name: X-Tags, in: header, example: [a, b]}
                - {name: X-None, in: header, schema: {type: integer}}
                - {name: sid, in: cookie, required: true, schema: {type: string, const: "a b"}}
                - {name: tags, in: cookie, explode: false, example: [a, b]}
                - {name: page, in: query, required: true, schema: {const: 2}}
                - {name: ids, in: query, explode: false, example: [1, 2]}
              requestBody:
                content:
                  text/plain: {example: hello}
                  application/json: {schema: {type: object, required: [id], properties: {id: {const: 3}}}}
        onDone:
          $ref: "#/components/callbacks/done"
components:
  callbacks:
    done:
      x-note: not an expression
      "$response.body#/links/done":
        get: {responses: {"200": {description: Fine}}}
        put: {requestBody: {content: {application/x-ndjson: {example: [{a: 1}, {b: 2}]}}}}
webhooks:
  newPet:
    post: {requestBody: {content: {application/json: {examples: {tom: {value: {name: Tom}}}}}}}
`;

async function plansFor(
  { body = '{"url":"http://localhost:9000"}', contentType = "application/json", answer = "{}" },
): Promise<CallbackPlan[]> {
  const document = await parseDocument(DEFINITION);
  assert.deepEqual(document.diagnostics, []);
  const [operation] = listOperations(document);
  assert.ok(operation);
  const bytes = new TextEncoder().encode(body);
  const headers = { "content-type": contentType };
  const request = new Request("http://localhost/subscriptions/cats", { method: "POST", headers });
  const response = new Response(answer, { status: 201, headers: { "content-type": "application/json" } });
  return await planCallbacks(
    listCallbacks(operation),
    {
      request: await describeRequest(operation, request, { kind: "cats" }, bytes),
      response: await describeResponse(operation, response, new TextEncoder().encode(answer)),
    },
    { generatorOf: createBodyGenerator },
  );
}

function shown(plan: CallbackPlan | undefined): unknown {
  if (plan?.kind !== "request") return plan?.reason;
  const { method, url, headers, body } = plan.request;
  return { method, url: url.href, headers, body: body === null ? null : new TextDecoder().decode(body) };
}

Deno.test("a callback's URL, parameters and body can come from the request", async () => {
  const [onEvent] = await plansFor({});
  assert.equal(onEvent?.name, "onEvent");
  assert.deepEqual(shown(onEvent), {
    method: "POST",
    url: "http://localhost:9000/events?kind=cats&page=2&ids=1,2",
    headers: [["content-type", "application/json"], ["x-id", "7"], ["x-tags", "a,b"], [
      "cookie",
      "sid=a%20b; tags=a,b",
    ]],
    body: '{"id":3}',
  });
});

Deno.test("a callback's URL can come from the answer; each of its methods makes a request", async () => {
  const [, ...onDone] = await plansFor({ answer: '{"links":{"done":"http://localhost:9000/done?x=1"}}' });
  assert.deepEqual(onDone.map(shown), [
    { method: "GET", url: "http://localhost:9000/done?x=1", headers: [], body: null },
    {
      method: "PUT",
      url: "http://localhost:9000/done?x=1",
      headers: [["content-type", "application/x-ndjson"]],
      body: '{"a":1}\n{"b":2}\n',
    },
  ]);
});

Deno.test("a callback reads the request body by its media type", async () => {
  const contentType = "application/x-www-form-urlencoded";
  const [onEvent] = await plansFor({ contentType, body: "url=http%3A%2F%2Flocalhost%3A9000" });
  assert.equal(onEvent?.kind === "request" && onEvent.request.url.host, "localhost:9000");
});

Deno.test("a callback whose URL can't be evaluated says why", async () => {
  const [onEvent, onDone] = await plansFor({ body: "{}" });
  assert.equal(
    shown(onEvent),
    "Its URL {$request.body#/url}/events?kind={$request.path.kind} has no value: " +
      "the request and its answer have no $request.body#/url.",
  );
  assert.match(String(shown(onDone)), /have no \$response\.body#\/links\/done/);
});

for (const url of ["file:///etc/passwd", "/events", "data:text/plain,x", "javascript:1"]) {
  Deno.test(`a callback to ${url} is impossible`, async () => {
    const [onEvent] = await plansFor({ body: JSON.stringify({ url }) });
    assert.match(String(shown(onEvent)), /no http or https URL/);
  });
}

Deno.test("a webhook sends its example", async () => {
  const document = await parseDocument(DEFINITION);
  const [webhook, ...others] = listWebhooks(document);
  assert.ok(webhook);
  assert.deepEqual(others, []);
  assert.equal(webhook.name, "newPet");
  const request = await planRequest(webhook.operation, new URL("http://localhost:9000/hook"), {
    generatorOf: createBodyGenerator,
  });
  assert.equal(new TextDecoder().decode(request.body ?? undefined), '{"name":"Tom"}');
});

Deno.test("an operation without callbacks has none", async () => {
  const document = await parseDocument("openapi: 3.1.0\npaths: {/a: {get: {callbacks: {x: 4}}, put: {}}}");
  assert.deepEqual(listOperations(document).map(listCallbacks), [[], []]);
  assert.deepEqual(listWebhooks(document), []);
});
