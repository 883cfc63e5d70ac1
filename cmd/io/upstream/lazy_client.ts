import { loadOnce } from "../../../lib/http/load_once.ts";
import type { UpstreamClient } from "./client.ts";

/** The module that exports the client, as far as it is used. */
interface ClientModule {
  readonly createUpstreamClient: (env: (name: string) => string | undefined) => UpstreamClient;
}

/**
 * Creates a client that loads undici at the first request, to start fast. If the import fails, the next request tries
 * again.
 *
 * @param env Environment variables, which may name an HTTP proxy: `HTTPS_PROXY`.
 * @param load Imports the module; a parameter for tests.
 */
export function createLazyClient(
  env: (name: string) => string | undefined,
  load: () => Promise<ClientModule> = () => import("./client.ts"),
): UpstreamClient {
  let client: UpstreamClient | undefined;
  const loadClient = loadOnce(async () => client = (await load()).createUpstreamClient(env));
  return {
    send: async (url, request) => (await loadClient()).send(url, request),
    [Symbol.asyncDispose]: async () => await client?.[Symbol.asyncDispose](),
  };
}
