/**
 * Measures a mocked operation through Envoy against a bare `Deno.serve` behind the same Envoy that sends the same
 * answer: requests per second of one client process, measured alternately.
 *
 * @module
 */

import { gatewayObject, routeObject } from "./objects.ts";
import { customResourceDefinitions } from "../../../lib/cluster/crds/crds.ts";
import { ask } from "../../../tests/cluster/support/ask.ts";
import { apiObject } from "../../../tests/cluster/support/mocks.ts";
import type { Stack } from "../../../tests/cluster/support/stack.ts";
import { until } from "../../../tests/cluster/support/until.ts";
import { newAddress, serviceObjects } from "../../../tests/cluster/support/upstream.ts";
import { compare } from "../compare.ts";
import { bare, programWords } from "../candidates.ts";
import type { BenchOptions } from "../options.ts";
import { oneOfMany } from "../serve/definitions.ts";
import { startServer } from "../server.ts";
import { printTable } from "../table.ts";
import { freePort } from "../../../tests/free_port.ts";

/** The goal: gw answers at least this share of the baseline's requests per second. */
const GOAL = 0.85;

const HOSTS = { mock: "mock.example.com", bare: "bare.example.com" };
const PATH = "/api-1/items3/7";

export async function benchMocks(stack: Stack, { program, rounds, seconds }: BenchOptions): Promise<void> {
  const rows = [["through Envoy", "requests/s", "bare Deno.serve", "share", "to reach", "CPU µs", "bare", "failures"]];
  for (
    const [name, flags] of [["mocked", ["--quiet"]], ["mocked, each request logged", ["--log-format=json"]]] as const
  ) {
    const { api } = stack;
    const namespace = await api.createNamespace();
    await api.apply(...customResourceDefinitions());
    const todo = await apiObject(namespace, "todo", oneOfMany(1));
    await until(async () => (await api.apply(todo), true));

    const port = freePort();
    const mocks = await startServer((checkPort) => [
      ...[...programWords(program), "mock", "--cluster", "--kubeconfig", api.kubeconfig, "--host", "0.0.0.0"],
      ...["--port", String(port), "--check-port", String(checkPort), ...flags],
    ], { path: "/readyz" });
    const folder = await Deno.makeTempDir({ prefix: "gw_bench_" });
    const model = await fetch(`http://127.0.0.1:${port}${PATH}`, { headers: { "x-svc-api": `${namespace}/todo` } });
    await Deno.writeFile(`${folder}/body`, await model.bytes());
    const headers = [...model.headers].filter(([name]) => name !== "date" && name !== "content-length");
    const baseline = await startServer((port) => [...bare(`${folder}/body`, headers)(port), "0.0.0.0"]);
    try {
      const gateway = gatewayObject(namespace, freePort());
      const header = { name: "x-svc-api", value: `${namespace}/todo` };
      await api.apply(
        gateway,
        ...serviceObjects({ namespace, name: "mock", endpoints: [{ address: newAddress(), port }] }),
        ...serviceObjects({ namespace, name: "bare", endpoints: [{ address: newAddress(), port: baseline.port }] }),
        routeObject(namespace, "mock", HOSTS.mock, header),
        routeObject(namespace, "bare", HOSTS.bare, header),
      );
      const envoy = await stack.portOf(gateway.metadata);
      for (const host of Object.values(HOSTS)) {
        await until(async () => (await ask(envoy, { host, path: PATH })).status === 200);
      }
      const load = (host: string) => ({ path: PATH, headers: [["Host", host]] as [string, string][], seconds });
      const result = await compare(
        { ...mocks, port: envoy },
        { ...baseline, port: envoy },
        load(HOSTS.mock),
        rounds,
        load(HOSTS.bare),
      );
      rows.push([
        name,
        Math.round(result.requestsPerSecond).toLocaleString("en"),
        Math.round(result.bareRequestsPerSecond).toLocaleString("en"),
        `${(result.requestsPerSecond / result.bareRequestsPerSecond * 100).toFixed(0)} %`,
        `${GOAL * 100} %`,
        result.microseconds.toFixed(1),
        result.bareMicroseconds.toFixed(1),
        String(result.failures),
      ]);
    } finally {
      // Deletes the API: the next one has the same paths, and would be refused as a conflict.
      await Promise.all([mocks.stop(), baseline.stop(), api.delete(todo)]);
      await Deno.remove(folder, { recursive: true });
    }
  }
  printTable(rows);
}
