/**
 * Makes a mock server answer the requests that this process sends, without a port.
 *
 * @module
 */
import type { MockServer } from "../../mod.ts";
import { answerRequest } from "./answer_request.ts";
import { domRequest, hasDom } from "./dom_request.ts";
import { interceptXhr } from "./intercept_xhr.ts";
import type { Others } from "./others.ts";
import { replaceFunction } from "./replace_function.ts";

/**
 * Begins to answer the requests that are sent by `fetch` and `XMLHttpRequest`, and in Node.js also by `node:http` and
 * `node:https`, which clients such as axios use.
 *
 * @returns A function that ends the interception.
 */
export async function interceptRequests(mock: MockServer, others: Others): Promise<() => void> {
  const isNode = typeof process !== "undefined" && process.versions?.node !== undefined;
  const restoreHttp = isNode ? (await import("./intercept_http.ts")).interceptHttp(mock, others) : undefined;
  const allowConnections = isNode && others === "refuse"
    ? (await import("./refuse_connections.ts")).refuseConnections()
    : undefined;
  const restoreXhr = interceptXhr(mock, others);
  const restoreFetch = replaceFetch(mock, others);
  return () => {
    restoreFetch();
    restoreXhr();
    allowConnections?.();
    restoreHttp?.();
  };
}

function replaceFetch(mock: MockServer, others: Others): () => void {
  return replaceFunction(globalThis, "fetch", (fetch: typeof globalThis.fetch, hasEnded) => {
    const interception = { mock, others, fetch };
    return async (input, init) => {
      if (hasEnded()) return await fetch(input, init);
      const request = hasDom()
        ? await domRequest(input, init)
        : input instanceof Request && init === undefined && !input.bodyUsed
        ? input
        : new Request(input, init);
      const signal = init?.signal === undefined && input instanceof Request ? input.signal : init?.signal;
      return await unlessAborted(() => answerRequest(request, interception), signal);
    };
  });
}

/**
 * Calls `answer`, unless a signal has aborted. Rejects with the reason of the signal if it aborts before the answer is
 * there.
 */
function unlessAborted(
  answer: () => Promise<Response>,
  signal: AbortSignal | null | undefined,
): Promise<Response> {
  if (signal === undefined || signal === null) return answer();
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason ?? new DOMException("The request was aborted.", "AbortError"));
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort);
    answer().then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
