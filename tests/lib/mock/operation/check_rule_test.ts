import assert from "node:assert/strict";
import { createHandlerContext, createOperationHandler } from "../../../../lib/mock/operation/operation_handler.ts";
import { answerByRule } from "../../../../lib/mock/operation/answer_by_rule.ts";
import { checkRule } from "../../../../lib/mock/operation/check_rule.ts";
import type { Rule } from "../../../../lib/openapi/extension/rule.ts";
import { petOperations } from "../rules/pets.ts";

const CHECKS: readonly { rule: Rule; pointer?: string; message?: RegExp }[] = [
  { rule: { operation: "GET /pets", status: 503 } },
  { rule: { operation: "* *", fault: "reset" } },
  { rule: { operation: "GET /pets/7", status: 404 } },
  { rule: { operation: "GET /pests", status: 503 }, pointer: "/operation", message: /Did you mean `GET \/pets`/ },
  { rule: { operation: "GET /pets", body: [{ id: 1, name: "Tom" }] } },
  {
    rule: { operation: "GET /pets", body: [{ id: 1, name: 5 }] },
    pointer: "/body/0/name",
    message: /string.*, for listPets, response 200\.$/,
  },
  { rule: { operation: "GET /pets", body: [{ id: 1, name: 5 }], force: true } },
  { rule: { operation: "GET /pets", status: 503, body: "anything" } },
  { rule: { operation: "GET /pets", status: 204, body: 1 }, pointer: "/body", message: /no body/ },
  { rule: { operation: "GET /pets/{petId}", status: 404, body: { error: 5 } }, pointer: "/body/error" },
  {
    rule: { operation: "GET /pets", sequence: [{ status: 503 }, { body: {} }] },
    pointer: "/sequence/1/body",
    message: /array/,
  },
  { rule: { operation: "GET /pets", example: "none" } },
  { rule: { operation: "GET /pets", example: "some" }, pointer: "/example", message: /examples are .*two.*none/ },
  { rule: { operation: "getPet", example: "sold" } },
  { rule: { operation: "getPet", example: "sold", status: 404 } },
  {
    rule: { operation: "getPet", example: "sold", status: 200 },
    pointer: "/example",
    message: /example of the response 404/,
  },
];

for (const { rule, pointer, message = /./ } of CHECKS) {
  const { operation, ...what } = rule;
  Deno.test(`${operation}: ${JSON.stringify(what)} is ${pointer === undefined ? "taken" : "refused"}`, async () => {
    const [problem] = await checkRule(rule, await petOperations(), createHandlerContext());
    assert.equal(problem?.pointer, pointer, `${problem?.message}`);
    if (problem !== undefined) assert.match(problem.message, message);
  });
}

const ANSWERS: readonly {
  operation: string;
  outcome: Omit<Rule, "operation">;
  status: number;
  body: string;
  headers?: Readonly<Record<string, string>>;
  accept?: string;
}[] = [
  { operation: "GET /pets", outcome: { example: "none" }, status: 200, body: "[]" },
  {
    operation: "GET /pets",
    outcome: { status: 503 },
    status: 503,
    body: '{"title":"Service Unavailable","status":503}',
    headers: { "content-type": "application/problem+json", "x-svc-mocked": "true" },
  },
  { operation: "GET /pets", outcome: { status: 202 }, status: 202, body: "" },
  { operation: "GET /pets/{petId}", outcome: { status: 404 }, status: 404, body: '{"error":"missing"}' },
  { operation: "GET /pets/{petId}", outcome: { example: "sold" }, status: 404, body: '{"error":"sold"}' },
  {
    operation: "GET /pets/{petId}",
    outcome: { body: { id: 7, name: "Kit" }, headers: { ETag: '"7"', "X-Rate": "9" } },
    status: 200,
    body: '{"id":7,"name":"Kit"}',
    headers: { "content-type": "application/json", etag: '"7"', "x-rate": "9" },
  },
  {
    operation: "GET /pets/{petId}",
    outcome: { status: 200, headers: { "X-Rate": "9" } },
    status: 200,
    body: '{"id":1,"name":"Tom"}',
    headers: { "x-rate": "9" },
  },
  {
    operation: "GET /pets",
    outcome: { status: 500, body: "<h1>Oops</h1>", headers: { "content-type": "text/html" } },
    status: 500,
    body: "<h1>Oops</h1>",
    headers: { "content-type": "text/html" },
  },
  { operation: "GET /pets", outcome: { status: 500, body: "down" }, status: 500, body: "down" },
  { operation: "GET /pets", outcome: { body: [] }, status: 200, body: "[]", accept: "text/html" },
];

for (const { operation: name, outcome, status, body, headers = {}, accept } of ANSWERS) {
  Deno.test(`the rule ${JSON.stringify(outcome)} answers ${name}`, async () => {
    const [operation] = (await petOperations()).filter(({ method, path }) => `${method} ${path}` === name);
    assert.ok(operation !== undefined);
    const handler = createOperationHandler(operation, true, createHandlerContext());
    const request = { headers: new Headers(accept === undefined ? {} : { accept }) };
    const answer = await answerByRule(handler, request, outcome);
    const response = new Response(answer.text ?? null, answer.init);
    assert.equal(response.status, status);
    assert.equal(await response.text(), body);
    assert.equal(answer.source, "rule");
    for (const [header, value] of Object.entries(headers)) assert.equal(response.headers.get(header), value);
    assert.equal(await answerByRule(handler, request, outcome), answer);
  });
}
