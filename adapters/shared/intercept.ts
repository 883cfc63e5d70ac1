/**
 * Makes a mock server answer the requests that this process sends, without a port.
 *
 * @module
 */
import type { MockServer } from "../../mod.ts";
import { type Others, refusal } from "./others.ts";

/**
 * Begins to answer the requests that are sent by `fetch`, and in Node.js also by `node:http` and `node:https`, which
 * clients such as axios use.
 *
 * @returns A function that ends the interception.
 * @throws {Error} If the test environment has no `Response`, or replaces `Uint8Array` by a class that Node.js doesn't
 * accept.
 */
export async function interceptRequests(mock: MockServer, others: Others): Promise<() => void> {
  if (typeof Response === "undefined" || (typeof Buffer !== "undefined" && !(Buffer.alloc(0) instanceof Uint8Array))) {
    throw new Error(
      "This test environment hides the fetch API or the bytes of Node.js, as those of jsdom do. Use the environment " +
        "`node`, or happy-dom for a DOM.",
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
