/**
 * A `gw serve` that is measured. The process has two servers: the management API, and the fleet default/default.
 *
 * @module
 */

import { createStore } from "../../../tests/cmd/serve_process.ts";
import { programWords } from "../candidates.ts";
import { type Server, startServer } from "../server.ts";

export interface Gateway {
  management: Server;
  fleet: Server;
  /** Deploys a definition. Throws if the deployment fails. */
  deploy(name: string, openapi: string): Promise<void>;
  stop(): Promise<void>;
}

/** A folder with a store that has only a fleet. */
export interface StoreFolder extends AsyncDisposable {
  path: string;
  fleetPort: number;
}

export async function makeStore(): Promise<StoreFolder> {
  const path = await Deno.makeTempDir({ prefix: "gw_bench_" });
  const fleetPort = await createStore(path);
  return { path, fleetPort, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Starts `gw serve` on a store, and waits until it answers. */
export async function startGateway(
  program: string,
  store: StoreFolder,
  args: readonly string[] = ["--quiet"],
): Promise<Gateway> {
  const management = await startServer(
    (port) => [...programWords(program), "serve", "--port", String(port), "--data", store.path, ...args],
    { path: "/readyz" },
  );
  return {
    management,
    fleet: { ...management, port: store.fleetPort },
    deploy: (name, openapi) => deploy(management, name, openapi),
    stop: () => management.stop(),
  };
}

/** Waits until a server is idle, since `gw serve` postpones some work at its start. */
export async function settle(server: Server): Promise<void> {
  for (let before = NaN, now = server.cpuSeconds(); now !== before; before = now, now = server.cpuSeconds()) {
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

async function deploy({ port }: Server, name: string, openapi: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/apis`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name, openapi }),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`${name} is not deployed: ${text.slice(0, 1000)}`);
}
