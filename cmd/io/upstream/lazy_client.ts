import type { UpstreamClient } from "./client.ts";

/**
 * Creates a client that loads its library at the first request, for a quick start.
 *
 * @param env Environment variables, which may name a proxy of the network.
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
