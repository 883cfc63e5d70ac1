import type { DefinitionObject, Document } from "../../openapi/document.ts";
import { checkOptions } from "../check_options.ts";
import { listDocuments } from "../definitions.ts";
import { createMockedApi } from "../local_mock.ts";
import type { MockOptions } from "../mock_options.ts";
import type { MockServer } from "./open_mock_server.ts";
import { loadServerParts } from "../server_parts.ts";

const DEFAULT_JOURNAL = 1_000;

/**
 * Makes a mock server that stores what clients create, change and delete. Tests can set up its state and rules, and
 * check the requests that it got.
 *
 * @param definition The definition, or several that are mocked together. An object is parsed, without loading the files
 * that it refers to; call `parseDocument` to see its diagnostics.
 * @param options The options of `createMock`, but `stateful` is `true` and `journal` is 1,000 by default.
 * @throws {TypeError} If the definition or the value of an option isn't of its type.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { parseDocument } from "../../openapi/document.ts";
 *
 * const document = await parseDocument(`
 * openapi: 3.1.0
 * info: {title: Pets, version: 1.0.0}
 * paths:
 *   /pets:
 *     get: {responses: {"200": {description: Pets, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}}}}}
 *     post:
 *       requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
 *       responses: {"201": {description: A pet, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}}
 *   /pets/{petId}:
 *     parameters: [{name: petId, in: path, required: true, schema: {type: integer}}]
 *     get: {responses: {"200": {description: A pet, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}}}
 * components:
 *   schemas:
 *     Pet: {type: object, required: [id, name], properties: {id: {type: integer, readOnly: true}, name: {type: string}}}
 * `);
 * const server = await createMockServer(document);
 * await server.state.replace("pets", [{ id: 7, name: "Tom" }]);
 *
 * const read = await server.fetch(new Request("http://localhost/pets/7"));
 * assert.deepEqual(await read.json(), { id: 7, name: "Tom" });
 *
 * await server.rules.add("GET /pets/{petId}: 503 x1");
 * assert.equal((await server.fetch(new Request("http://localhost/pets/7"))).status, 503);
 * assert.equal((await server.fetch(new Request("http://localhost/pets/7"))).status, 200);
 * await server.requests.verify({ operation: "GET /pets/{petId}", count: 3 });
 *
 * // A session has a state of its own.
 * assert.equal(await server.session("a").state.get("pets", 7), undefined);
 *
 * server.reset();
 * assert.equal((await server.state.list("pets")).length, 3);
 * ```
 */
export async function createMockServer(
  definition: Document | readonly Document[] | DefinitionObject,
  options: MockOptions = {},
): Promise<MockServer> {
  checkOptions(options);
  const settings = { stateful: true, journal: DEFAULT_JOURNAL, ...options };
  const api = createMockedApi(await listDocuments(definition), settings);
  // The imports wait for each other: before Node 24, Jest fails to link modules that are imported at the same time.
  const { openMockServer } = await import("./open_mock_server.ts");
  const parts = await loadServerParts(api.needs);
  return openMockServer(api, settings, parts);
}
