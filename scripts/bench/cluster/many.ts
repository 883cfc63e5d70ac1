/**
 * Measures 1,000 APIs of 20 operations: the time until gw and Envoy Gateway serve all of them, the time of a change
 * afterwards, gw's memory, and gw's writes to the API server while nothing changes.
 *
 * @module
 */

import { ask } from "../../../tests/cluster/support/ask.ts";
import { deployFleet, type Fleet } from "../../../tests/cluster/support/deploy.ts";
import { apiObject } from "../../../tests/cluster/support/mocks.ts";
import { isTrue, type Stack } from "../../../tests/cluster/support/stack.ts";
import { until } from "../../../tests/cluster/support/until.ts";
import type { BenchOptions } from "../options.ts";
import { oneOfMany } from "../serve/definitions.ts";
import { median, printTable } from "../table.ts";
import { memoryOf } from "../../proc.ts";
import { findProcesses } from "./processes.ts";

const APIS = 1000;
const GOALS = { start: 45, change: 2, serveMemory: 400, mockMemory: 400, writes: 0 };

/** Seconds for which writes are counted while nothing changes. */
const IDLE = 30;

export async function benchMany(stack: Stack, { rounds }: BenchOptions): Promise<void> {
  const { api } = stack;
  await stack.installGw();
  const namespace = await api.createNamespace();
  const fleet = await deployFleet(stack, namespace);
  await stack.removeGw();
  await applyAll(stack, namespace, fleet);

  const start = performance.now();
  await stack.installGw();
  const ready = performance.now();
  // Polls only once a second, since polling uses CPU time that the measured programs need.
  while (await programmed(stack, namespace) < APIS) await new Promise((resolve) => setTimeout(resolve, 1000));
  const all = performance.now();
  for (let number = 0; number < APIS; number += 37) await answered(fleet, number, number);
  const served = performance.now();

  const changes: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const number = 100 + round;
    const definition = oneOfMany(number).replaceAll(`"of":${number}`, `"of":${number + 5000}`);
    const begin = performance.now();
    await api.apply(await apiObject(namespace, `api-${number}`, definition, fleet));
    await answered(fleet, number, number + 5000);
    changes.push(performance.now() - begin);
  }

  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const before = await writesTo(stack);
  await new Promise((resolve) => setTimeout(resolve, IDLE * 1000));
  const after = await writesTo(stack);
  const written = [...after].flatMap(([what, count]) => {
    const more = count - (before.get(what) ?? 0);
    return more > 0 ? [`${more} ${what}`] : [];
  });

  const memory = async (deployment: string): Promise<number> => {
    const pods = (await stack.pods()).filter((pod) => pod.deployment === deployment);
    return Math.max(
      ...pods.flatMap(({ address }) => findProcesses(`--host=${address}`).map((pid) => memoryOf(pid).now)),
    );
  };
  printTable([
    [`${APIS.toLocaleString("en")} APIs of 20 operations`, "figure", "to reach"],
    ["start of gw's pods until they are ready", `${((ready - start) / 1000).toFixed(1)} s`, ""],
    ["until all APIs are programmed", `${((all - start) / 1000).toFixed(1)} s`, `${GOALS.start} s`],
    ["until a sample of them has answered through Envoy", `${((served - start) / 1000).toFixed(1)} s`, ""],
    ["one change until its answer", `${(median(changes) / 1000).toFixed(2)} s`, `${GOALS.change} s`],
    ["memory of gw serve", `${(await memory("gw-serve")).toFixed(0)} MB`, `${GOALS.serveMemory} MB`],
    ["memory of gw mock --cluster", `${(await memory("gw-mock")).toFixed(0)} MB`, `${GOALS.mockMemory} MB`],
    [`writes in ${IDLE} s without a change, but for Leases`, written.join(", ") || "0", String(GOALS.writes)],
  ]);
}

async function applyAll({ api }: Stack, namespace: string, fleet: Fleet): Promise<void> {
  const numbers = Array.from({ length: APIS }, (_, number) => number);
  const work = async (): Promise<void> => {
    for (let number = numbers.pop(); number !== undefined; number = numbers.pop()) {
      await api.apply(await apiObject(namespace, `api-${number}`, oneOfMany(number), fleet));
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
}

/** The number of APIs that are programmed in their current generation. */
async function programmed({ api }: Stack, namespace: string): Promise<number> {
  const { items } = await api.request("GET", `/apis/gateway.x-svc.io/v1alpha1/namespaces/${namespace}/apis`);
  return Array.isArray(items) ? items.filter((object) => isTrue(object, "Programmed")).length : 0;
}

/** Waits until an API gives the answer of its definition with the number `of`. */
async function answered({ port }: Fleet, number: number, of: number): Promise<void> {
  await until(
    async () => {
      const { status, text } = await ask(port, { host: "bench.example.com", path: `/api-${number}/items3/7` });
      return status === 200 && text.includes(`"of":${of},`);
    },
    { within: 120_000, what: `API ${number}` },
  );
}

/** Counts writes to the API server by verb and resource, without renewals of Leases. */
async function writesTo({ api }: Stack): Promise<Map<string, number>> {
  const figures = await (await api.fetch("/metrics")).text();
  const writes = new Map<string, number>();
  for (const [, labels = "", count] of figures.matchAll(/^apiserver_request_total\{(.*)\} (\S+)$/gm)) {
    const label = (name: string): string => new RegExp(`\\b${name}="([^"]*)"`).exec(labels)?.[1] ?? "";
    const [verb, resource, subresource] = [label("verb"), label("resource"), label("subresource")];
    if (!/^(?:POST|PUT|PATCH|APPLY|DELETE|DELETECOLLECTION)$/.test(verb) || resource === "leases") continue;
    // TokenReviews and SubjectAccessReviews are queries, although they are sent by POST.
    if (/review/.test(resource)) continue;
    const what = `${verb} ${resource}${subresource === "" ? "" : `/${subresource}`}`;
    writes.set(what, (writes.get(what) ?? 0) + Number(count));
  }
  return writes;
}
