import assert from "node:assert/strict";
import { createBodyGenerator } from "../../../../lib/mock/generate/generate.ts";
import type { Exchange } from "../../../../lib/mock/exchange.ts";
import { Recording, type RecordingOptions } from "../../../../lib/mock/record/recording.ts";
import { createRouter } from "../../../../lib/mock/router.ts";
import { type Document, parseDocument } from "../../../../lib/openapi/document.ts";
import { listOperations } from "../../../../lib/openapi/operation.ts";
import { createDocumentValidator } from "../../../../lib/schema/document_validator.ts";
import { splitTarget } from "../../../../lib/http/url.ts";

const PETS = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
security: [{key: []}]
paths:
  /pets:
    get:
      parameters: [{name: limit, in: query, schema: {type: integer}}]
      responses:
        "200":
          description: Pets
          headers: {X-Total: {schema: {type: integer}}}
          content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}}
        default: {$ref: "#/components/responses/Problem"}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
      responses:
        "201": {description: Created, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
        "422": {$ref: "#/components/responses/Problem"}
  /pets/{id}:
    get:
      responses:
        "200":
          description: A pet
          content: {application/json: {example: {name: Own}, schema: {$ref: "#/components/schemas/Pet"}}}
        "404": {$ref: "#/components/responses/Problem"}
    delete: {responses: {"204": {description: Gone}}}
components:
  securitySchemes: {key: {type: apiKey, in: query, name: k}}
  responses:
    Problem:
      description: A problem
      content: {application/problem+json: {schema: {type: object}}}
  schemas:
    Pet:
      type: object
      properties:
        id: {type: integer}
        name: {type: string}
        passcode: {type: string, pattern: "^[0-9]{4}$"}
        chip: {type: string, format: password}
        kind: {type: string}
        token: {type: string, enum: [ring, tag]}
`;

interface Given {
  method?: string;
  target: string;
  sent?: unknown;
  headers?: Record<string, string>;
  status?: number;
  body?: unknown;
  type?: string;
  answered?: Record<string, string>;
  isUpstream?: boolean;
}

function exchangeOf(document: Document, given: Given): Exchange {
  const { method = "GET", target, sent, headers = {}, status = 200, body, type = "application/json" } = given;
  const operations = listOperations(document).map((operation) => ({
    method: operation.method,
    path: operation.path,
    operation,
  }));
  const url = `http://localhost${target}`;
  const match = createRouter(operations, () => []).match(method, splitTarget(url).path);
  assert.equal(match.kind, "found");
  const bytes = (value: unknown): Uint8Array => {
    return new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
  };
  return {
    operation: match.route.operation,
    pathParameters: match.parameters,
    request: {
      method,
      url,
      headers: new Headers({ ...sent === undefined ? {} : { "content-type": "application/json" }, ...headers }),
      ...(sent === undefined ? {} : { body: bytes(sent) }),
    },
    response: {
      status,
      isUpstream: given.isUpstream ?? true,
      headers: new Headers({ ...body === undefined ? {} : { "content-type": type }, ...given.answered }),
      ...(body === undefined ? {} : { body: bytes(body) }),
    },
    requestViolations: [],
    responseViolations: [],
  };
}

function createRecording(document: Document, options: Partial<RecordingOptions> = {}): Recording {
  return new Recording({
    documents: [document],
    validatorOf: createDocumentValidator,
    generatorOf: createBodyGenerator,
    ...options,
  });
}

async function record(given: readonly Given[], options: Partial<RecordingOptions> = {}): Promise<string | undefined> {
  const document = await parseDocument(PETS, { uri: "file:///pets.yaml" });
  const recording = createRecording(document, options);
  for (const one of given) await recording.add(exchangeOf(document, one));
  return await recording.render();
}

const SAMPLE: readonly Given[] = [
  { target: "/pets", body: [{ id: 1, name: "Tom" }, { id: 2, name: "Ida" }], answered: { "x-total": "2" } },
  { target: "/pets?limit=1", body: [{ id: 1, name: "Tom" }], answered: { "x-total": "2" } },
  { target: "/pets/1", body: { id: 1, name: "Tom" } },
  { target: "/pets/9", status: 404, body: { title: "No pet 9" }, type: "application/problem+json" },
  { method: "POST", target: "/pets", sent: { name: "Eve" }, status: 201, body: { id: 3, name: "Eve" } },
  {
    method: "POST",
    target: "/pets",
    sent: {},
    status: 422,
    body: { title: "No name" },
    type: "application/problem+json",
  },
  { method: "DELETE", target: "/pets/1", status: 204 },
  { method: "DELETE", target: "/pets/9", status: 500, body: "Oops", type: "text/plain" },
];

Deno.test("a recording is an overlay of examples, with the requests that they are for", async (t) => {
  await t.assertSnapshot(await record(SAMPLE));
});

Deno.test("a recording is the same for the same exchanges in another order", async () => {
  assert.equal(await record(SAMPLE.toReversed()), await record(SAMPLE));
  assert.equal(await record([...SAMPLE, ...SAMPLE]), await record(SAMPLE));
});
