/**
 * The mock server for tests and programs, with access to its state, rules, sessions and journal.
 *
 * @module
 */
import type { Document } from "../openapi/document.ts";
import { ALL_SERVER_PARTS } from "./all_server_parts.ts";
import { checkOptions } from "./check_options.ts";
import { createSessions } from "./create_sessions.ts";
import { createMockedApi, createMockEngine, type MockEngine, type MockOptions } from "./mock_server.ts";
import { MockSession } from "./mock_session.ts";
import { isSessionName } from "./session/session_name.ts";
import type { Sessions } from "./session/sessions.ts";

const DEFAULT_JOURNAL = 1_000;

/**
 * A mock server. Its own state, rules and journal are those of the shared session, which answers requests that name no
 * session.
 */
export class MockServer extends MockSession {
  readonly #session: (name: string) => MockSession;

  /** Called by `createMockServer`. */
  constructor(engine: MockEngine, sessions: Sessions) {
    super(engine, sessions, "");
    this.#session = (name) => new MockSession(engine, sessions, name);
  }

  /**
   * Returns the session with a name; begins it if there is none. If there are more sessions than
   * `MockOptions.sessions`, the least recently used one is dropped.
   *
   * @throws {RangeError} If the name isn't 1 to 128 letters, digits and `. _ ~ -`.
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { parseDocument } from "../openapi/document.ts";
   *
   * const paths = { "/pets": { get: { responses: { "204": { description: "No pets." } } } } };
   * const document = await parseDocument({ openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths });
   * const server = createMockServer(document);
   * await server.session("a").rules.add("GET /pets: 503");
   * const headers = { "x-gw-session": "a" };
   * assert.equal((await server.fetch(new Request("http://localhost/pets", { headers }))).status, 503);
   * assert.equal((await server.fetch(new Request("http://localhost/pets"))).status, 204);
   * ```
   */
  session(name: string): MockSession {
    if (!isSessionName(name)) throw new RangeError(badName(name));
    return this.#session(name);
  }
}

/**
 * Makes a mock server that stores what clients create, change and delete. Tests can set up its state and rules, and
 * check the requests that it got.
 *
 * @param definition The definition, or several that are mocked together.
 * @param options The options of `createMock`, but `stateful` is `true` and `journal` is 1,000 by default.
 * @throws {TypeError} If the value of an option isn't of its type.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { parseDocument } from "../openapi/document.ts";
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
 * const server = createMockServer(document);
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
export function createMockServer(definition: Document | readonly Document[], options: MockOptions = {}): MockServer {
  checkOptions(options);
  const documents = isDocument(definition) ? [definition] : definition;
  const settings = { stateful: true, journal: DEFAULT_JOURNAL, ...options };
  const sessions = createSessions(settings);
  return new MockServer(
    createMockEngine(createMockedApi(documents, settings), settings, ALL_SERVER_PARTS, sessions),
    sessions,
  );
}

function isDocument(definition: Document | readonly Document[]): definition is Document {
  return "sources" in definition;
}

function badName(name: string): string {
  return `${JSON.stringify(name)} is no name of a session: take 1 to 128 letters, digits and . _ ~ -.`;
}
