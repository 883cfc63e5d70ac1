/**
 * Runs replicas of `gw mock --cluster` as processes.
 *
 * @module
 */
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { toCustomResource } from "../../../lib/cluster/convert.ts";
import { GW, type Running, spawn } from "../../cmd/process.ts";

export interface Mocks extends AsyncDisposable {
  /** The URL for requests to APIs: `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** The URL of the second port, for probes and for request validation. */
  readonly checks: string;
  readonly process: Running;
  /** Sends a request to an API on a new connection. */
  ask(api: string, path: string, init?: RequestInit): Promise<Response>;
  /** Whether the replica's readiness probe succeeds. */
  isReady(): Promise<boolean>;
}

export interface MocksOptions {
  kubeconfig: string;
  /** The address to listen on. Default: 127.0.0.1. */
  host?: string;
  /** The port. Default: any free port. */
  port?: number;
  checkPort?: number;
  env?: Readonly<Record<string, string>>;
  /** The command that runs gw. Default: from source. */
  program?: readonly string[];
  /** Further flags. */
  args?: readonly string[];
}

/** Starts a replica, and waits until it listens. It may not be ready yet. */
export async function startMocks(options: MocksOptions): Promise<Mocks> {
  const { kubeconfig, host = "127.0.0.1", port = 0, checkPort = 0, env = {}, program = GW, args = [] } = options;
  const flags = { kubeconfig, host, port: String(port), "check-port": String(checkPort) };
  const process = spawn({
    program,
    args: ["mock", "--cluster", ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]), ...args],
    env,
  });
  const [, url = ""] = await process.until(/Listening on (http\S+)/);
  const [, checks = ""] = await process.until(/Checks and probes on (http\S+)/);
  return {
    url,
    checks,
    process,
    ask: (api, path, init = {}) =>
      fetch(`${url}${path}`, {
        ...init,
        headers: { ...Object.fromEntries(new Headers(init.headers)), "x-svc-api": api },
      }),
    async isReady() {
      const response = await fetch(`${checks}/readyz`);
      await response.body?.cancel();
      return response.ok;
    },
    [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
  };
}

/** The custom resource that the management API would write for an API. */
export function apiObject(
  namespace: string,
  name: string,
  openapi: string,
  fleet = { namespace: "fleets", name: "edge" },
): Promise<KubernetesObject> {
  return toCustomResource({ kind: "api", namespace, name, spec: { fleet, openapi } });
}
