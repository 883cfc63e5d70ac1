/**
 * A process that runs the controller on a cluster simulated in memory. `controller_process.ts APIS MORE` first deploys
 * APIS APIs of 20 operations on a fleet. Then it deploys MORE APIs, one after the other. It prints as JSON the CPU time
 * of each of these, and the longest time for which the event loop was blocked, in milliseconds.
 *
 * @module
 */
import process from "node:process";
import { createController } from "../../../cmd/cluster/controller/controller.ts";
import { RESOURCE_TYPES } from "../../../cmd/cluster/controller/kinds.ts";
import { createInformer } from "../../../cmd/cluster/informer.ts";
import { PlanCache } from "../../../cmd/io/gateway/plan_cache.ts";
import { createKubernetesStore } from "../../../cmd/cluster/kubernetes_store.ts";
import { createDeploymentCheck } from "../../../lib/gateway/check_deployment.ts";
import { createFakeCluster } from "../../../tests/cmd/cluster/fake_client.ts";
import { apiOf, conditionOf, fleetOf } from "../../../tests/cluster/support/controller.ts";
import { startFakeGateway } from "../../../tests/cluster/support/fake_gateway.ts";
import { oneOfMany } from "./definitions.ts";

const [apis = 0, more = 0] = Deno.args.map(Number);

const cluster = createFakeCluster();
const { client } = cluster;
const gateway = startFakeGateway(client);
await client.create(RESOURCE_TYPES.fleet, fleetOf());
for (let number = 0; number < apis; number++) await deploy(number);
const resources = {
  api: createInformer(client, RESOURCE_TYPES.api),
  fleet: createInformer(client, RESOURCE_TYPES.fleet),
  staticroute: createInformer(client, RESOURCE_TYPES.staticroute),
};
const planCache = new PlanCache({ check: createDeploymentCheck() });
const store = createKubernetesStore({ client, resources, planCache });
const leaving = new AbortController();
const controller = createController({
  client,
  resources,
  observe: createInformer,
  identity: "bench",
  planCache,
  // deno-lint-ignore no-console
  log: { note() {}, complain: (message) => console.error(message) },
  now: () => Date.now(),
});
const running = controller.run(leaving.signal);
await Promise.all(Object.values(resources).map(({ synced }) => synced));

const last = watchTurns();
await store.list("api");
const list = last();
await until(() => isCounted(apis) && isProgrammed(0) && isProgrammed(apis - 1));
await untilIdle();

const spent: number[] = [];
for (let number = apis; number < apis + more; number++) {
  const before = process.cpuUsage();
  await deploy(number);
  await until(() => isProgrammed(number) && isCounted(number + 1));
  const { user, system } = process.cpuUsage(before);
  spent.push((user + system) / 1000);
}
// deno-lint-ignore no-console
console.log(JSON.stringify({ spent, list }));
leaving.abort();
await running;
gateway[Symbol.dispose]();
for (const informer of Object.values(resources)) informer.stop();

async function deploy(number: number): Promise<void> {
  await client.apply(RESOURCE_TYPES.api, apiOf(`api-${number}`, oneOfMany(number)));
}

function isProgrammed(number: number): boolean {
  return conditionOf(resources.api.get("shop", `api-${number}`), "Programmed") === "True Programmed";
}

function isCounted(count: number): boolean {
  return Object(resources.fleet.get("edge", "edge")?.status).apis === count;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Waits until the process uses less than 0.1 s of CPU time in 3 s. */
async function untilIdle(): Promise<void> {
  for (let used = Infinity; used > 100_000;) {
    const before = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const { user, system } = process.cpuUsage(before);
    used = user + system;
  }
}

/**
 * Measures the longest time for which the event loop is blocked. Returns a function that ends the measurement and
 * returns the milliseconds.
 */
function watchTurns(): () => number {
  let longest = 0;
  let before = performance.now();
  const look = (): void => {
    longest = Math.max(longest, performance.now() - before);
    before = performance.now();
  };
  const timer = setInterval(look, 1);
  return () => {
    look();
    clearInterval(timer);
    return longest;
  };
}
