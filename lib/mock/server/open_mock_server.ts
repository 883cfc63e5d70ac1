/**
 * The mock server for tests and programs, with access to its state, rules, sessions and journal.
 *
 * @module
 */
import { createSessions } from "../create_sessions.ts";
import { createLocalMock, type LocalMock, type MockedApi } from "../local_mock.ts";
import type { MockOptions } from "../mock_options.ts";
import { MockSession } from "./mock_session.ts";
import type { ServerParts } from "../server_parts.ts";
import { isSessionName } from "../session/session_name.ts";
import type { Sessions } from "../session/sessions.ts";
import { writeJson } from "../../schema/json/json.ts";

/**
 * A mock server. Its own state, rules and journal are those of the shared session, which answers requests that name no
 * session.
 */
export class MockServer extends MockSession {
  readonly #session: (name: string) => MockSession;
  readonly #resetAll: () => void;

  /** Called by `createMockServer`. */
  constructor(engine: LocalMock, sessions: Sessions) {
    super(engine, sessions, "");
    this.#session = (name) => new MockSession(engine, sessions, name);
    this.#resetAll = () => sessions.list().forEach((session) => session.reset());
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
   * import { parseDocument } from "../../openapi/document.ts";
   * import { createMockServer } from "./create_mock_server.ts";
   *
   * const paths = { "/pets": { get: { responses: { "204": { description: "No pets." } } } } };
   * const document = await parseDocument({ openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths });
   * const server = await createMockServer(document);
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

  /**
   * Resets all sessions, also those that only requests have named.
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { parseDocument } from "../../openapi/document.ts";
   * import { createMockServer } from "./create_mock_server.ts";
   *
   * const paths = { "/pets": { get: { responses: { "204": { description: "No pets." } } } } };
   * const document = await parseDocument({ openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths });
   * const server = await createMockServer(document);
   * await server.session("a").rules.add("GET /pets: 503");
   * server.resetAll();
   * assert.equal((await server.session("a").fetch("http://localhost/pets")).status, 204);
   * ```
   */
  resetAll(): void {
    this.#resetAll();
  }
}

/** Makes a mock server of its parts. */
export function openMockServer(api: MockedApi, options: MockOptions, parts: ServerParts): MockServer {
  const sessions = createSessions(options);
  // Requests may name a session, whatever the definition needs.
  const withSessions = { ...parts, sessions: { createSessions } };
  return new MockServer(createLocalMock(api, options, withSessions, sessions), sessions);
}

function badName(name: string): string {
  return `${writeJson(name)} is no name of a session: take 1 to 128 letters, digits and . _ ~ -.`;
}
