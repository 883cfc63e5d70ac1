import assert from "node:assert/strict";
import { splitTarget } from "../../../../lib/http/url/url.ts";
import { checkMatches, createExampleMatcher } from "../../../../lib/mock/condition/example_matcher.ts";
import { createMock } from "../../../../lib/mock/mock.ts";
import { createRouter } from "../../../../lib/mock/route/router.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { listOperations, type Operation } from "../../../../lib/openapi/operation.ts";
import type { ValueFormats } from "../../../../lib/wire/value_format.ts";

const DEFINITION = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    post:
      parameters:
        - {name: X-Tenant, in: header, schema: {type: string}}
        - {name: ids, in: query, explode: false, schema: {type: array, items: {type: integer}}}
      responses:
        "404":
          description: None
          content:
            application/json:
              examples:
                missing: {value: {error: none}, x-svc: {mocking: {match: {path.id: 404}}}}
        "200":
          description: A pet
          content:
            application/json:
              examples:
                first: {value: {}}
                three: {value: {}, x-svc: {mocking: {match: {path.id: 3}}}}
                threeCats: {value: {}, x-svc: {mocking: {match: {path.id: "3", query.kind: cat}}}}
                tenant: {value: {}, x-svc: {mocking: {match: {header.x-tenant: acme}}}}
                session: {value: {}, x-svc: {mocking: {match: {cookie.sid: 7}}}}
                several: {value: {}, x-svc: {mocking: {match: {query.ids: [1, 2]}}}}
                tom: {$ref: "#/components/examples/tom"}
                whole: {value: {}, x-svc: {mocking: {match: {body: {a: [1, {b: null}]}}}}}
                odd: {value: {}, x-svc: {mocking: {match: {path.id: 3, query: x}}}}
  /cats/{name}:
    get:
      parameters:
        - {name: name, in: path, required: true, schema: {type: string}, examples: {tom: {value: Tom}, kitty: {value: Kitty}, lost: {value: Lost}}}
        - {name: age, in: query, schema: {type: integer}, examples: {kitty: {value: 2}}}
      responses:
        "200": {description: A cat, content: {application/json: {examples: {tom: {value: 1}, kitty: {value: 2}}}}}
        "404": {description: None, content: {application/json: {examples: {lost: {value: 3}}}}}
  /dogs:
    get:
      responses:
        "200": {description: Dogs, content: {application/json: {examples: {some: {value: []}, none: {value: []}}}}}
components:
  examples:
    tom: {value: {}, x-svc: {mocking: {match: {body./pet/name: Tom, "body#/pet/tags/0": 1}}}}
`;

const document = await parseDocument(DEFINITION);
const operations = listOperations(document);
const router = createRouter(operations);

function operationAt(path: string): Operation {
  const operation = operations.find((operation) => operation.path === path);
  assert.ok(operation);
  return operation;
}

const CASES: { method?: string; target: string; headers?: Record<string, string>; body?: unknown; want?: string }[] = [
  { method: "POST", target: "/pets/1" },
  { method: "POST", target: "/pets/3", want: "200 three" },
  { method: "POST", target: "/pets/03", want: "200 three" },
  { method: "POST", target: "/pets/3?kind=cat", want: "200 threeCats" },
  { method: "POST", target: "/pets/3?kind=dog&kind=cat", want: "200 threeCats" },
  { method: "POST", target: "/pets/3?kind=dog", want: "200 three" },
  { method: "POST", target: "/pets/4?kind=cat" },
  { method: "POST", target: "/pets/404", want: "404 missing" },
  { method: "POST", target: "/pets/1", headers: { "X-TENANT": "acme" }, want: "200 tenant" },
  { method: "POST", target: "/pets/1", headers: { "x-tenant": "other" } },
  { method: "POST", target: "/pets/1", headers: { cookie: "sid=7" }, want: "200 session" },
  { method: "POST", target: "/pets/1?ids=1,2", want: "200 several" },
  { method: "POST", target: "/pets/1?ids=2,1" },
  { method: "POST", target: "/pets/1", body: { pet: { name: "Tom", tags: [1] } }, want: "200 tom" },
  { method: "POST", target: "/pets/1", body: { pet: { name: "Tom" } } },
  { method: "POST", target: "/pets/1", body: { a: [1, { b: null }] }, want: "200 whole" },
  { method: "POST", target: "/pets/1", body: { a: [1, { b: 2 }] } },
  { target: "/cats/Tom", want: "200 tom" },
  { target: "/cats/Kitty" },
  { target: "/cats/Kitty?age=2", want: "200 kitty" },
  { target: "/cats/Lost", want: "404 lost" },
  { target: "/cats/Other" },
];

for (const { method = "GET", target, headers = {}, body, want } of CASES) {
  const said = [method, target, JSON.stringify(headers), JSON.stringify(body)].join(" ");
  Deno.test(`${said} asks for ${want ?? "no example"}`, () => {
    const split = splitTarget(`http://localhost${target}`);
    const match = router.match(method, split.path);
    assert.ok(match.kind === "found");
    const matcher = createExampleMatcher(match.route);
    const request = { headers: new Headers(headers) };
    const choice = matcher?.match(request, { ...split, pathParameters: match.parameters }, body);
    assert.equal(choice && `${choice.code} ${choice.example}`, want);
  });
}

Deno.test("a matcher reads queries in the client's formats", () => {
  const target = { ...splitTarget("http://localhost/pets/1?ids[]=1&ids[]=2"), pathParameters: { id: "1" } };
  const request = new Request("http://localhost/");
  const select = (formats?: ValueFormats) =>
    createExampleMatcher(operationAt("/pets/{id}"), formats)?.match(request, target)?.example;
  assert.equal(select(), undefined);
  assert.equal(select({ array: "brackets" }), "several");
});

Deno.test("the mock selects an example by a form in the client's format", async () => {
  const mediaType = "application/x-www-form-urlencoded";
  const pet = { type: "object", properties: { name: { type: "string" } } };
  const schema = { type: "object", properties: { pet } };
  const examples = {
    any: { value: "any" },
    tom: { value: "Tom", "x-svc": { mocking: { match: { "body./pet/name": "Tom" } } } },
  };
  const mock = createMock({
    openapi: "3.1.0",
    info: { title: "Pets", version: "1" },
    paths: {
      "/": {
        post: {
          requestBody: { content: { [mediaType]: { schema } } },
          responses: { "200": { description: "A pet", content: { "application/json": { examples } } } },
        },
      },
    },
  }, { formFormats: { formObject: "dots" } });
  const headers = { "content-type": mediaType };
  const response = await mock(new Request("http://localhost/", { method: "POST", headers, body: "pet.name=Tom" }));
  assert.equal(await response.json(), "Tom");
});

Deno.test("usesBody is true only if a condition depends on the body", () => {
  assert.equal(createExampleMatcher(operationAt("/pets/{id}"))?.usesBody, true);
  assert.equal(createExampleMatcher(operationAt("/cats/{name}"))?.usesBody, false);
});

Deno.test("an operation whose examples have no conditions has no matcher", () => {
  assert.equal(createExampleMatcher(operationAt("/dogs")), undefined);
});

Deno.test("a condition with invalid syntax is a diagnostic", () => {
  const diagnostics = checkMatches(operationAt("/pets/{id}"));
  assert.deepEqual(diagnostics.map(({ code, pointer }) => [code, pointer]), [[
    "unknown-match",
    "/paths/~1pets~1{id}/post/responses/200/content/application~1json/examples/odd/x-svc/mocking/match/query",
  ]]);
});
