/**
 * Runs `gw serve` as a process of its own, as users do.
 *
 * @module
 */
import { openSqliteStore } from "../../cmd/io/gateway/sqlite_store.ts";
import { main } from "../../main.ts";
import { type Ended, runGw, type Running, spawn } from "./process.ts";
import { recordPlatform } from "./recorded_platform.ts";

export interface ServeOptions {
  /** The folder of the store. Default: a store in memory. */
  data?: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  cwd?: string;
}

export interface Serving extends Running {
  /** The URL of the management API. */
  readonly api: string;
  /** The URL of the fleet `default/default`. */
  readonly fleet: string;
  /** The port of the management API. */
  readonly apiPort: number;
}

/** Starts `gw serve`, and waits until it listens. */
export async function startServe(
  { data = ":memory:", args = [], env = {}, ...options }: ServeOptions = {},
): Promise<Serving> {
  const gw = spawn({ ...options, args: ["serve", "--port", "0", "--fleet-port", "0", "--data", data, ...args], env });
  try {
    const [, api = ""] = await gw.until(/gateway-management-api [\d.]+ on (https?:\/\/[^\s"]+)/);
    const [, fleet = ""] = await gw.until(/fleet default\/default on (http:\/\/[^\s"]+)/);
    return Object.assign(gw, { api, fleet, apiPort: Number(new URL(api).port) });
  } catch (error) {
    await gw[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Makes a store whose fleet has a free port, which no other test uses, even while `gw serve` restarts. Without this,
 * the fleet would get the first free port from 8080, which another test may take during a restart.
 *
 * @returns The port.
 */
export async function createStore(folder: string): Promise<number> {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr;
  const opened = openSqliteStore({ path: `${folder}/gw.db`, now: () => Date.now() });
  if (opened.kind === "refused") throw new Error(opened.message);
  const ports = [{ name: "http", nodePort: 0, port, protocol: "TCP", targetPort: 0 }];
  const spec = { serviceType: "ClusterIP" as const, ports };
  const resource = { kind: "fleet" as const, namespace: "default", name: "default", spec };
  await opened.store.apply([{ kind: "create", resource }]);
  opened.close();
  return port;
}

/**
 * Runs a command that calls the management API, such as `gw deploy`: in this process, unless it needs a working
 * directory of its own.
 */
export async function askServe({ api }: Pick<Serving, "api">, args: readonly string[], cwd?: string): Promise<Ended> {
  const env = { GW_SERVER: api };
  if (cwd !== undefined) return await runGw({ args, env, cwd });
  const platform = recordPlatform({ env });
  const code = await main(args, platform);
  return { code, ...platform.printed };
}

/** Sends a request with a JSON body. */
export function send(url: string, method: string, content: unknown, headers: HeadersInit = {}): Promise<Response> {
  return fetch(url, {
    method,
    headers: [["content-type", "application/json"], ...new Headers(headers)],
    body: JSON.stringify(content),
  });
}

/** A definition whose operations are mocked; with `upstreamPort`, they are sent to that port of this machine. */
export function definition(title: string, upstreamPort?: number): string {
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title, version: "1.0.0" },
    ...(upstreamPort === undefined
      ? {}
      : { "x-svc": { upstream: { host: { hostname: "127.0.0.1", port: upstreamPort } } } }),
    paths: {
      [`/${title}`]: {
        get: {
          "x-svc": { mocking: { enabled: true } },
          responses: {
            200: {
              description: "",
              content: { "text/plain": { schema: { type: "string" }, example: `mocked ${title}` } },
            },
          },
        },
        ...(upstreamPort === undefined ? {} : { post: { responses: { 200: { description: "" } } } }),
      },
    },
  });
}
