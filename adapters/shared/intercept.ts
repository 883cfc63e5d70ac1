/**
 * Has a mock server answer the requests of this process, without a port.
 *
 * @module
 */
import type { MockServer } from "../../mod.ts";
import { type Others, refusal } from "./others.ts";

/**
 * Begins to answer requests: those of `fetch`, and in Node.js those of `node:http` and `node:https`, which clients such
 * as axios use.
 *
 * @returns The function that ends it.
 * @throws {Error} If the environment has no `Request` and `Response`.
 */
export async function interceptRequests(mock: MockServer, others: Others): Promise<() => void> {
  if (typeof Request === "undefined" || typeof Response === "undefined") {
    throw new Error(
      "This test environment hides the fetch API of Node.js, as jest-environment-jsdom does. Use one that has it, such " +
        "as jest-fixed-jsdom, or the environment `node`.",
    );
  }
  const isNode = typeof process !== "undefined" && process.versions?.node !== undefined;
  const restoreHttp = isNode ? (await import("./intercept_http.ts")).interceptHttp(mock, others) : undefined;
  const restoreFetch = replaceFetch(mock, others);
  return () => {
    restoreFetch();
    restoreHttp?.();
  };
}

function replaceFetch(mock: MockServer, others: Others): () => void {
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const request = input instanceof Request && init === undefined ? input : new Request(input, init);
    if (mock.scopeOf(request) !== "none") return await mock.fetch(request);
    if (others === "pass") return await fetch(request);
    throw new TypeError(refusal(request));
  };
  return () => {
    globalThis.fetch = fetch;
  };
}
