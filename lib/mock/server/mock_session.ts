import { deliverReply } from "../operation/deliver_reply.ts";
import type { Explanation } from "../explain/explanation.ts";
import { explain, respond } from "../mock.ts";
import { hasPath, type RequestScope, type ScopedRequest } from "../request_scope.ts";
import { MockRequests } from "./mock_requests.ts";
import { MockRules } from "./mock_rules.ts";
import type { LocalMock } from "../local_mock.ts";
import { isClockTime } from "../session/clock.ts";
import type { Session } from "../session/session.ts";
import { SessionItems } from "../session/session_items.ts";
import type { Sessions } from "../session/sessions.ts";
import { writeJson } from "../../schema/json/json.ts";

/** A session of a mock server, with items, rules, a journal and a clock of its own. */
export class MockSession {
  /** The name of the session; empty for the shared session. */
  readonly name: string;
  readonly #engine: LocalMock;
  readonly #sessions: Sessions;

  /** Called by `createMockServer`. */
  constructor(engine: LocalMock, sessions: Sessions, name: string) {
    this.name = name;
    this.#engine = engine;
    this.#sessions = sessions;
    this.fetch = this.fetch.bind(this);
  }

  /**
   * Answers a request in this session, unless the request's header `X-Gw-Session` names another one. Can replace the
   * global `fetch`: it takes the same arguments, with absolute URLs.
   *
   * @throws {BrokenConnectionError} If a rule breaks the connection. It is a `TypeError`, as `fetch` throws then.
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { parseDocument } from "../../openapi/document.ts";
   * import { createMockServer } from "./create_mock_server.ts";
   *
   * const paths = { "/pets": { get: { responses: { "204": { description: "No pets." } } } } };
   * const document = await parseDocument({ openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths });
   * const { fetch } = (await createMockServer(document)).session("a");
   * assert.equal((await fetch("http://localhost/pets")).status, 204);
   * ```
   */
  async fetch(input: Request | URL | string, init?: RequestInit): Promise<Response> {
    const request = input instanceof Request && init === undefined ? input : new Request(input, init);
    return await deliverReply(request, await respond(this.#engine, request, this.#session), this.#engine.sleep);
  }

  /**
   * Explains why a request gets its answer in this session, unless the request's header `X-Gw-Session` names another
   * one. Takes the arguments of `fetch`. The request changes nothing.
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
   * await server.rules.add("GET /pets: 503 x1");
   * const { outcome } = await server.explain("http://localhost/pets");
   * assert.equal(outcome.status, 503);
   * assert.equal(outcome.reason, "The rule r1 applies: the status is 503.");
   * assert.equal((await server.fetch("http://localhost/pets")).status, 503);
   * ```
   */
  async explain(input: Request | URL | string, init?: RequestInit): Promise<Explanation> {
    const request = input instanceof Request && init === undefined ? input : new Request(input, init);
    return await explain(this.#engine, request, this.#session);
  }

  /**
   * Tells whether a request is for the API, for programs that see requests to other servers too.
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { parseDocument } from "../../openapi/document.ts";
   * import { createMockServer } from "./create_mock_server.ts";
   *
   * const paths = { "/pets": { get: { responses: { "204": { description: "No pets." } } } } };
   * const servers = [{ url: "https://api.example.com/v1" }];
   * const info = { title: "Pets", version: "1" };
   * const server = await createMockServer(await parseDocument({ openapi: "3.1.0", info, servers, paths }));
   * assert.equal(server.scopeOf(new Request("https://api.example.com/v1/pets")), "path");
   * assert.equal(server.scopeOf(new Request("https://api.example.com/v1/cats")), "origin");
   * assert.equal(server.scopeOf(new Request("https://www.example.com/v1/pets")), "none");
   * ```
   */
  scopeOf(request: ScopedRequest): RequestScope {
    return this.#engine.scopeOf(request);
  }

  /** Whether the definition has the path of a request, with any method and at any origin. */
  hasPath(request: ScopedRequest): boolean {
    return hasPath(this.#engine.router, request);
  }

  /** The items of the session. */
  get state(): SessionItems {
    return new SessionItems(
      this.#session.state,
      () => this.#engine.stateful?.resources,
      (document) => this.#engine.handlers.validatorOf(document),
    );
  }

  /** The rules of the session. */
  get rules(): MockRules {
    return new MockRules(this.#session.rules, this.#engine);
  }

  /** The recorded requests of the session. */
  get requests(): MockRequests {
    return new MockRequests(this.#session.journal, this.#engine);
  }

  /**
   * The time of the session in milliseconds since the epoch, by which new items are dated. Set it to advance the clock.
   *
   * @throws {RangeError} If it is set to a time outside of the years 1 to 9999.
   */
  get time(): number {
    return this.#session.clock.now();
  }

  set time(time: number) {
    if (!isClockTime(time)) throw new RangeError(`The time must be one of the years 1 to 9999, not ${time}.`);
    this.#session.clock.set(time);
  }

  /** Resets the session: its items, rules, recorded requests and time. */
  reset(): void {
    this.#session.reset();
  }

  /**
   * Stores a snapshot of the session under a name. Replaces an earlier snapshot with this name.
   *
   * @throws {StateFullError} If there are too many snapshots, or they would need too much memory.
   */
  snapshot(name: string): void {
    this.#session.snapshot(name);
  }

  /**
   * Restores a snapshot of the session.
   *
   * @throws {RangeError} If there is no snapshot with this name.
   */
  restore(name: string): void {
    if (!this.#session.restore(name)) {
      const names = this.#session.snapshots;
      throw new RangeError(`There is no snapshot ${writeJson(name)}. There are ${names.join(", ") || "none"}.`);
    }
  }

  get #session(): Session {
    return this.#sessions.of(this.name);
  }
}
