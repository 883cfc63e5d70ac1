/**
 * Mock servers in Vitest: in the process of the tests, without a port.
 *
 * @example
 * ```ts ignore Needs Vitest; docs/testing.md has the same, and is run.
 * import { expect, test } from "vitest";
 * import { mockApi } from "openapi-gw/vitest";
 *
 * const api = mockApi("openapi.yaml");
 *
 * test("shows an error when the server is down", async () => {
 *   await api.rules.add("GET /pets: 503");
 *   expect((await fetch("http://localhost/pets")).status).toBe(503);
 *   await api.verify({ operation: "GET /pets", count: 1 });
 * });
 * ```
 *
 * @module
 */
import { afterAll, afterEach, beforeAll, beforeEach, type TestContext } from "vitest";
import type { Definition } from "./shared/load_document.ts";
import { type MockApi, type MockApiOptions, mockApiWith } from "./shared/mock_api.ts";

export type { Definition } from "./shared/load_document.ts";
export type { MockApi, MockApiOptions } from "./shared/mock_api.ts";
export type { Others } from "./shared/others.ts";

/**
 * Starts a mock server for the tests in a file or a `describe` block, and makes it answer their requests. The server is
 * reset after each test, and stopped after the last. Of tests that run at the same time (`test.concurrent`), it is reset
 * after the last one.
 *
 * The server answers the requests for the API: for paths of the definition, at the origins of the definition's
 * `servers` and of the option `baseUrls`. If one of these URLs is relative, or if there are none, the server answers at
 * every origin. It answers requests that are sent by `fetch`, `XMLHttpRequest`, `node:http` and `node:https`, and so by
 * clients such as axios that use these.
 *
 * @param definition The definition, or several that are mocked together: paths from the working directory, URLs, or
 * objects.
 * @throws {Error} Before the first test, if a definition can't be read or has errors.
 */
export function mockApi(definition: Definition | readonly Definition[], options: MockApiOptions = {}): MockApi {
  return mockApiWith({ beforeAll, afterEach: afterEachIdle, afterAll }, definition, options);
}

/** Runs a function after each test, unless other tests are still running. */
function afterEachIdle(run: () => void): void {
  const running = new Set<TestContext["task"]>();
  const runIfIdle = (): void => {
    for (const test of running) if (test.mode === "skip") running.delete(test);
    if (running.size === 0) run();
  };
  const end = (test: TestContext["task"]): void => {
    running.delete(test);
    runIfIdle();
  };
  beforeEach(({ task, onTestFinished }) => {
    // After a test that skips itself, Vitest 1 and 2 call neither `afterEach` nor `onTestFinished`.
    if (running.size > 0) runIfIdle();
    running.add(task);
    // If another hook fails, Vitest leaves out `afterEach`. Vitest 1.0 doesn't have `onTestFinished` yet.
    onTestFinished?.(() => end(task));
  });
  afterEach(({ task }) => end(task));
}
