/**
 * Has a mock server answer the requests of this process, without a port.
 *
 * @module
 */
import type { MockServer } from "../../mod.ts";

/** What happens to requests that aren't for the API: they pass to the network, or they fail. */
export type Others = "pass" | "refuse";

/**
 * Begins to answer requests: those of `fetch`; and where MSW is installed, also those of `node:http` and
 * `XMLHttpRequest`, which clients such as axios use.
 *
 * @returns The function that ends it.
 */
export async function interceptRequests(mock: MockServer, others: Others): Promise<() => void> {
  const msw = await importMsw();
  if (msw === undefined) return replaceFetch(mock, others);
  const { mockHandlers } = await import("../msw.ts");
  const server = msw.setupServer(...mockHandlers(mock, { undeclared: "answer" }));
  server.listen({ onUnhandledRequest: others === "pass" ? "bypass" : "error" });
  return () => server.close();
}

/** MSW, if it is installed. */
async function importMsw(): Promise<typeof import("msw/node") | undefined> {
  try {
    return await import("msw/node");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

function replaceFetch(mock: MockServer, others: Others): () => void {
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const request = input instanceof Request && init === undefined ? input : new Request(input, init);
    if (mock.scopeOf(request) !== "none") return await mock.fetch(request);
    if (others === "pass") return await fetch(request);
    throw new TypeError(`${request.method} ${request.url} is not for the mocked API, and \`others\` is "refuse".`);
  };
  return () => {
    globalThis.fetch = fetch;
  };
}
