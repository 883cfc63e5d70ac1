/**
 * A mock server with its control API, whose responses are validated against its own description.
 *
 * @module
 */
import assert from "node:assert/strict";
import { readDescription } from "../../../../lib/api/description.ts";
import { descriptionAt } from "../../../../lib/mock/control/description.ts";
import { createMock } from "../../../../lib/mock/mock.ts";
import type { MockOptions } from "../../../../lib/mock/mock_options.ts";
import { createRouter } from "../../../../lib/mock/route/router.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { listOperations } from "../../../../lib/openapi/operation.ts";
import { child, entries } from "../../../../lib/schema/json/node.ts";
import { createDocumentValidator } from "../../../../lib/schema/document_validator.ts";
import { follow } from "../../../../lib/schema/json/reference.ts";

/** A definition with a resource, a resource in the scope of the first, and a singleton. */
export const PETS = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    get:
      operationId: listPets
      responses: {"200": {description: Pets, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}}}}
    post:
      operationId: createPet
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
      responses: {"201": {description: A pet, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}}
  /pets/{petId}:
    parameters: [&petId {name: petId, in: path, required: true, schema: {type: integer}}]
    get:
      operationId: readPet
      responses: {"200": {description: A pet, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}}
    delete: {operationId: deletePet, responses: {"204": {description: Deleted.}}}
  /pets/{petId}/toys:
    parameters: [*petId]
    get:
      responses: {"200": {description: Toys, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Toy"}}}}}}
    post:
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/Toy"}}}}
      responses: {"201": {description: A toy, content: {application/json: {schema: {$ref: "#/components/schemas/Toy"}}}}}
  /pets/{petId}/toys/{toyId}:
    parameters: [*petId, {name: toyId, in: path, required: true, schema: {type: string}}]
    get:
      responses: {"200": {description: A toy, content: {application/json: {schema: {$ref: "#/components/schemas/Toy"}}}}}
  /status:
    get: {operationId: getStatus, responses: {"200": {description: Status, content: {application/json: {example: {up: true}}}}}}
components:
  schemas:
    Pet: {type: object, required: [id, name], properties: {id: {type: integer, readOnly: true}, name: {type: string, minLength: 1}}}
    Toy: {type: object, required: [id, kind], properties: {id: {type: string}, kind: {enum: [ball, bone]}}}
`;

/** Sends a request, such as `GET /_gw/health`. A body that isn't a string is sent as JSON. */
export type Ask = (line: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Response>;

/** Makes a server. Its clients are on the same machine, so they may use the control API. */
export async function createControlled(options: MockOptions = {}, definition = PETS): Promise<Ask> {
  const document = await parseDocument(definition);
  let time = Date.UTC(2026, 0, 1);
  const answer = createMock(document, {
    control: true,
    stateful: true,
    journal: 100,
    now: () => time++,
    clientOf: () => "127.0.0.1",
    ...options,
  });
  const validate = await responseValidator();
  return async (line, body, headers = {}) => {
    const [method = "", target = ""] = line.split(" ");
    const isText = typeof body === "string";
    const mediaType = isText ? "text/plain" : "application/json";
    const text = isText ? body : JSON.stringify(body);
    const response = await answer(
      new Request(`http://localhost${target}`, {
        method,
        headers: {
          ...body === undefined ? {} : { "content-type": mediaType, "content-length": String(byteLength(text)) },
          ...headers,
        },
        ...body === undefined ? {} : { body: text },
      }),
    );
    if (target.startsWith("/_gw/") && !target.startsWith("/_gw/s/")) await validate(method, target, response.clone());
    return response;
  };
}

/** Makes a function that validates a response against the description of the control API. */
async function responseValidator(): Promise<(method: string, target: string, response: Response) => Promise<void>> {
  const { document } = await readDescription(descriptionAt("/_gw/"));
  const validator = await createDocumentValidator(document);
  const router = createRouter(listOperations(document));
  return async (method, target, response) => {
    const match = router.match(method, new URL(target, "http://localhost").pathname.slice("/_gw".length));
    if (match.kind !== "found") return;
    const declared = follow(document, child(child(match.route.node, "responses"), String(response.status)));
    const place = `${method} ${target} ${response.status}`;
    assert.ok(declared.value !== undefined, `${place} isn't declared`);
    const content = child(declared, "content");
    const mediaType = response.headers.get("content-type");
    if (mediaType === null) return assert.equal(entries(content).length, 0, place);
    assert.ok(entries(content).some(([name]) => name === mediaType), `${place} has ${mediaType}`);
    if (!mediaType.endsWith("json") || response.body === null) return;
    const schema = child(child(content, mediaType), "schema");
    assert.deepEqual(validator.checkOf(schema, "response")(await response.json()), [], place);
  };
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
