/**
 * A mock server for the tests of a file. It is started before the first test, reset after each, and stopped after the
 * last.
 *
 * @module
 */
import type {
  Expectation,
  MockOptions,
  MockRequests,
  MockRules,
  MockServer,
  MockSession,
  SessionItems,
  Verification,
} from "../../mod.ts";
import type { Definition } from "./load_document.ts";
import { completeGlobals } from "./node_globals.ts";
import type { Others } from "./others.ts";
import { sleep } from "./sleep.ts";

/** Options of `mockApi`. */
export interface MockApiOptions extends MockOptions {
  /**
   * What happens to requests that aren't for the API. `pass`: they go to the network. `refuse`: they fail, as if there
   * were no network. Default: `pass`.
   */
  others?: Others;
}

export interface Hooks {
  beforeAll(run: () => Promise<void>): void;
  afterEach(run: () => void): void;
  afterAll(run: () => void): void;
}

/** The mock server of a test file. It can be used within tests and hooks, but not while the file is loaded. */
export class MockApi
  implements Pick<MockServer, "fetch" | "requests" | "reset" | "rules" | "session" | "state" | "time"> {
  #mock: MockServer | undefined;

  /** Registers the hooks that start, reset and stop the server. `mockApi` calls this. */
  constructor(hooks: Hooks, definitions: readonly Definition[], { others = "pass", ...options }: MockApiOptions) {
    const ends: (() => void)[] = [];
    hooks.beforeAll(async () => {
      ends.push(completeGlobals());
      // The library needs the globals when it is loaded. The imports wait for each other: before Node 24, Jest fails to
      // link modules that are imported at the same time and share others.
      const { createMockServer } = await import("../../mod.ts");
      const { loadDocument } = await import("./load_document.ts");
      const { interceptRequests } = await import("./intercept.ts");
      const documents = await Promise.all(definitions.map((definition) => loadDocument(definition)));
      // Only the tests' own program sends requests, whichever origin its page has.
      this.#mock = await createMockServer(documents, { isForeign: () => false, sleep, ...options });
      ends.push(await interceptRequests(this.#mock, others));
    });
    hooks.afterEach(() => this.reset());
    hooks.afterAll(() => ends.toReversed().forEach((end) => end()));
    this.fetch = this.fetch.bind(this);
  }

  /** Answers a request that isn't intercepted, for clients that accept a `fetch` function. */
  async fetch(input: Request | URL | string, init?: RequestInit): Promise<Response> {
    return await this.#started.fetch(input, init);
  }

  /** The items that clients create, read, change and delete. */
  get state(): SessionItems {
    return this.#started.state;
  }

  /** The rules, which replace the answers of operations. */
  get rules(): MockRules {
    return this.#started.rules;
  }

  /** The requests that the current test has sent. */
  get requests(): MockRequests {
    return this.#started.requests;
  }

  /** The clock of the mock server, from which new items get their times, in milliseconds since 1970. */
  get time(): number {
    return this.#started.time;
  }

  set time(time: number) {
    this.#started.time = time;
  }

  /**
   * Asserts that certain requests were sent. Like `requests.verify`.
   *
   * @throws {Error} If the expectation isn't met. The message says how many requests match, lists the first of them, and
   * names the request nearest to the expected ones.
   */
  async verify(expectation: Expectation): Promise<Verification> {
    return await this.requests.verify(expectation);
  }

  /**
   * Returns the session with a name, and creates it if necessary. Concurrent tests need sessions of their own. `reset`
   * resets all sessions.
   */
  session(name: string): MockSession {
    return this.#started.session(name);
  }

  /** Resets the mock server with all its sessions to its initial state: items, rules, requests and time. */
  reset(): void {
    this.#mock?.resetAll();
  }

  get #started(): MockServer {
    if (this.#mock !== undefined) return this.#mock;
    throw new Error("The mock server starts before the first test: use it in tests and hooks only.");
  }
}

/** Makes the mock server of a test file, with the hooks of its test runner. */
export function mockApiWith(
  hooks: Hooks,
  definition: Definition | readonly Definition[],
  options: MockApiOptions = {},
): MockApi {
  return new MockApi(hooks, isList(definition) ? definition : [definition], options);
}

function isList(definition: Definition | readonly Definition[]): definition is readonly Definition[] {
  return Array.isArray(definition);
}
