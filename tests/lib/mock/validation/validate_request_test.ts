import assert from "node:assert/strict";
import { createMock } from "../../../../lib/mock/mock.ts";
import { createRequestValidator, validationProblem } from "../../../../lib/mock/validation/validate_request.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { listOperations } from "../../../../lib/openapi/operation.ts";
import { createDocumentValidator } from "../../../../lib/schema/document_validator.ts";
import { validationOf } from "./support.ts";

const limit = { name: "limit", in: "query", required: true, schema: { type: "integer" } };
const old = { name: "old", in: "query", deprecated: true, schema: { type: "integer" } };
const root = { components: { securitySchemes: { basic: { type: "http", scheme: "basic" } } } };
const requestBody = { content: { "application/json": { schema: { type: "object" } } } };
const everything = { operation: { parameters: [limit, old], security: [{ basic: [] }], requestBody }, root };
const authorization = "Basic dXNlcjpwYXNzd29yZA==";

/**
 * Invalid requests and the statuses that they get. If a request has several of these faults, the first of the table
 * decides.
 */
const CASES = [
  {
    name: "missing credentials",
    request: { target: "/?limit=x", headers: { "content-type": "text/plain" }, body: "x" },
    want: { status: 401, codes: [401] },
  },
  {
    name: "another media type",
    request: { target: "/?limit=%zz", headers: { authorization, "content-type": "text/plain" }, body: "x" },
    want: { status: 415, codes: [415, 422, 400] },
  },
  {
    name: "a body that can't be read",
    request: { target: "/", headers: { authorization, "content-type": "application/json" }, body: "x" },
    want: { status: 400, codes: [400, 422] },
  },
  {
    name: "bad percent-encoding",
    request: { target: "/?limit=%zz", headers: { authorization } },
    want: { status: 400, codes: [400, 422] },
  },
  {
    name: "an invalid value",
    request: { target: "/?limit=x&old=1", headers: { authorization } },
    want: { status: 422, codes: [422, 400] },
  },
  { name: "nothing but warnings", request: { target: "/?limit=1&old=1", headers: { authorization } }, want: undefined },
];

for (const { name, request, want } of CASES) {
  Deno.test(`a request is refused for ${name} with ${want?.status ?? "nothing"}`, async () => {
    const { violations, error } = await validationOf(everything, request);
    assert.ok(violations.length > 0);
    assert.deepEqual(error && { status: error.status, codes: error.codes }, want);
  });
}

Deno.test("createRequestValidator() returns undefined if every request is valid", async () => {
  const operations = {
    "/a": { get: {} },
    "/b": { get: { parameters: [{ name: "q", in: "query" }] } },
    "/c": { post: { requestBody: { content: {} } } },
    "/d": { get: { parameters: [{ name: "x y", in: "header", required: true }] } },
    "/e": { get: { parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }] } },
    "/f": { get: { parameters: [{ name: "accept", in: "header", required: true, schema: false }] } },
  };
  const document = await parseDocument(JSON.stringify({ openapi: "3.1.0", info: {}, paths: operations }));
  const validator = await createDocumentValidator(document);
  for (const operation of listOperations(document)) {
    assert.equal(createRequestValidator(operation, validator), undefined, operation.path);
  }
});

Deno.test("a parameter of an operation overrides the one of its path", async () => {
  const definition = {
    operation: { parameters: [{ name: "limit", in: "query", schema: { type: "string" } }] },
    pathItem: { parameters: [limit, { name: "X-Page", in: "header", schema: { type: "integer" } }] },
  };
  const { violations } = await validationOf(definition, { target: "/?limit=x", headers: { "x-page": "y" } });
  assert.deepEqual(violations.map(({ location }) => location), [["header", "X-Page"]]);
});

Deno.test("validationProblem() lists the violations as Prism does", async () => {
  const document = await parseDocument(JSON.stringify({
    openapi: "3.1.0",
    paths: { "/pets": { get: { operationId: "listPets", parameters: [limit] } } },
  }));
  const [operation] = listOperations(document);
  assert.ok(operation);
  const validator = createRequestValidator(operation, await createDocumentValidator(document));
  const validation = await validator?.check(new Request("http://localhost/pets"), {
    path: "/pets",
    query: "limit=x",
    pathParameters: {},
  });
  assert.ok(validation?.error);
  assert.deepEqual(validationProblem(operation, validation.violations, validation.error), {
    title: "Unprocessable Content",
    status: 422,
    detail: "The request is not as listPets wants it: Request query parameter limit must be integer.",
    validation: [{
      location: ["query", "limit"],
      severity: "Error",
      code: "type",
      message: "Request query parameter limit must be integer.",
    }],
  });
});

Deno.test("validationProblem() lists each alternative for missing credentials, with all challenges", async () => {
  const document = await parseDocument(JSON.stringify({
    openapi: "3.1.0",
    paths: {
      "/pets": { get: { parameters: [limit], security: [{ basic: [] }, { key: [] }], responses: { 200: {} } } },
    },
    components: {
      securitySchemes: { ...root.components.securitySchemes, key: { type: "apiKey", in: "header", name: "X-Key" } },
    },
  }));
  const response = await createMock(document, { validate: "error" })(new Request("http://h/pets"));
  assert.equal(response.status, 401);
  assert.equal(
    response.headers.get("www-authenticate"),
    'Basic realm="*", charset="UTF-8", ApiKey in="header", name="X-Key"',
  );
  assert.equal(
    (await response.json()).detail,
    "The request is not as GET /pets wants it: Request header Authorization must have Basic credentials. " +
      "Or: request header X-Key must have an API key. (and 1 more)",
  );
});
