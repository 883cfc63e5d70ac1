import { loadOnce } from "../../../lib/http/load_once.ts";
import type { UpstreamClient } from "./client.ts";

/** The module that exports the client, as far as it is used. */
interface ClientModule {
  readonly createUpstreamClient: (env: (name: string) => string | undefined) => UpstreamClient;
}

export interface LazyClient extends UpstreamClient {
  /** Loads undici before the first request. */
  prepare(): Promise<void>;
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
): LazyClient {
  const loadClient = loadOnce(async () => (await load()).createUpstreamClient(env));
  let latest: Promise<UpstreamClient> | undefined;
  return {
    async prepare() {
      latest = loadClient();
      // The first request tries again, and reports the reason.
      await latest.catch(() => undefined);
    },
    async send(url, request) {
      latest = loadClient();
      return (await latest).send(url, request);
    },
    async [Symbol.asyncDispose]() {
      // A request may still be loading the client. If that fails, the request reports it.
      const client = await latest?.catch(() => undefined);
      await client?.[Symbol.asyncDispose]();
    },
  };
}
