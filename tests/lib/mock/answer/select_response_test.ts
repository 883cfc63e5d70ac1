import assert from "node:assert/strict";
import { createMock } from "../../../../lib/mock/mock.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";

const NOWHERE = { $ref: "#/no" };
const CIRCLE = { $ref: "#/paths/~1a/get/responses/200" };

/** The responses of an operation, the code of `Prefer: code`, and a pattern of the problem's text. */
const CASES: { responses: unknown; code?: number; want: RegExp }[] = [
  { responses: { 200: NOWHERE, 201: {} }, want: /its response 200 is a \$ref that leads nowhere: #\/no\./ },
  { responses: { 200: CIRCLE }, want: /its response 200 is a \$ref that leads nowhere: #\/paths\/~1a\/get/ },
  { responses: { 200: {}, 404: NOWHERE, default: {} }, code: 404, want: /its response 404 is a \$ref/ },
  { responses: { 200: {}, default: NOWHERE }, code: 404, want: /its response default is a \$ref/ },
  { responses: NOWHERE, want: /its Responses Object is a \$ref/ },
  {
    responses: { 200: { content: { "application/json": NOWHERE } } },
    want: /its media type application\/json is a \$ref that leads nowhere/,
  },
  { responses: { 200: null }, want: /its response 200 is not an object: write one/ },
];

for (const { responses, code = 200, want } of CASES) {
  Deno.test(`a broken response says so: ${JSON.stringify(responses)}`, async () => {
    const document = await parseDocument(JSON.stringify({ openapi: "3.1.0", paths: { "/a": { get: { responses } } } }));
    const headers: HeadersInit = code === 200 ? {} : { prefer: `code=${code}` };
    const response = await createMock(document)(new Request("http://h/a", { headers }));
    assert.equal(response.status, 500);
    assert.match((await response.json()).detail, want);
  });
}
