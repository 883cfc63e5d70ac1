import type { UpstreamClient } from "./client.ts";

/**
 * Creates a client that loads undici at the first request, to start fast.
 *
 * @param env Environment variables, which may name an HTTP proxy: `HTTPS_PROXY`.
 */
export function createLazyClient(env: (name: string) => string | undefined): UpstreamClient {
  let client: Promise<UpstreamClient> | undefined;
  return {
    async send(url, request) {
      client ??= import("./client.ts").then(({ createUpstreamClient }) => createUpstreamClient(env));
      return (await client).send(url, request);
    },
    async [Symbol.asyncDispose]() {
      await (await client)?.[Symbol.asyncDispose]();
    },
  };
}
