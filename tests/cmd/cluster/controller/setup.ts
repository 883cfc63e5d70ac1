/**
 * A controller on a fake cluster whose time is virtual.
 *
 * @module
 */
import { ENVOY_PROXY, GATEWAY, LEASE, RESOURCE_TYPES } from "../../../../cmd/cluster/controller/kinds.ts";
import type { KubeClient } from "../../../../cmd/cluster/client.ts";
import type { ControllerOptions } from "../../../../cmd/cluster/controller/contract.ts";
import { createInformer } from "../../../../cmd/cluster/informer.ts";
import type { KubernetesObject } from "../../../../lib/cluster/object.ts";
import { LABELS } from "../../../../lib/cluster/names.ts";
import { checkDeployment } from "../../../../lib/gateway/check_deployment.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { protectionOf } from "../../../../lib/cluster/protection/protected_objects.ts";
import {
  apiOf,
  conditionOf,
  fleetOf,
  type RunningController,
  startController,
} from "../../../cluster/support/controller.ts";
import { type FakeGateway, startFakeGateway } from "../../../cluster/support/fake_gateway.ts";
import { until } from "../../../cluster/support/until.ts";
import { startVirtualTime } from "../../../virtual_time.ts";
import { createFakeCluster, type FakeCluster } from "../fake_client.ts";

export const CUSTOM = "{custom: {service: {name: authz}, path: /auth}}";
export const OTHER = "{custom: {service: {name: authz}, path: /other}}";

/** A definition with two operations: `GET /` is open, the GET of `path` has the given `x-svc` settings. */
export function definition(settings: string, path = "/secret"): string {
  return [
    "openapi: 3.1.0",
    `info: {title: Secrets, version: 1.0.0}`,
    `x-svc: {hosts: [secrets.example.com], upstream: {service: {name: secrets}}}`,
    "paths:",
    `  /: {get: {responses: {"204": {description: None.}}}}`,
    `  ${path}: {get: {x-svc: ${settings}, responses: {"204": {description: None.}}}}`,
  ].join("\n");
}

export const REFUSED = definition("{nonsense: 1}");

// Loads the modules that definitions need. Virtual time doesn't wait for imports, so they must be loaded before a test
// starts.
for (const text of [definition(`{auth: ${CUSTOM}}`), REFUSED]) await checkDeployment(await parseDocument(text));

/** A fake cluster whose time is virtual. */
export interface Setup extends Disposable {
  cluster: FakeCluster;
  client: KubeClient;
  gateway: FakeGateway;
  resources: Parameters<typeof startController>[0]["resources"];
  deploy(name: string, definition: string): Promise<void>;
  /** The status and reason of an API's condition: `False Conflicted`. */
  says(name: string, type: string): string | undefined;
  /** The HTTPRoutes of an API, by the value of the annotation that tells whether their protection is in force. */
  routes(name: string): Map<string, KubernetesObject>;
}

/** A fake cluster with a fleet. Its gateway drains connections within milliseconds. */
export async function createSetup(): Promise<Setup> {
  const time = startVirtualTime();
  const cluster = createFakeCluster();
  const { client } = cluster;
  const gateway = startFakeGateway(client);
  const resources = {
    api: createInformer(client, RESOURCE_TYPES.api),
    fleet: createInformer(client, RESOURCE_TYPES.fleet),
    staticroute: createInformer(client, RESOURCE_TYPES.staticroute),
  };
  const at = (type: { apiVersion: string; kind: string }, spec: unknown): KubernetesObject => ({
    apiVersion: type.apiVersion,
    kind: type.kind,
    metadata: { namespace: "edge", name: "edge" },
    spec,
  });
  const parametersRef = { group: "gateway.envoyproxy.io", kind: "EnvoyProxy", name: "edge" };
  await client.create(ENVOY_PROXY, at(ENVOY_PROXY, { shutdown: { drainTimeout: "200ms" } }));
  await client.create(GATEWAY, at(GATEWAY, { gatewayClassName: "eg", infrastructure: { parametersRef } }));
  await client.create(RESOURCE_TYPES.fleet, fleetOf({ gateway: { name: "edge", namespace: "edge" } }));
  cluster.takeWrites();
  return {
    cluster,
    client,
    gateway,
    resources,
    deploy: async (name, definition) => void await client.apply(RESOURCE_TYPES.api, apiOf(name, definition)),
    says: (name, type) => conditionOf(cluster.find("API", name), type),
    routes: (name) =>
      new Map(
        cluster.list("HTTPRoute").filter(({ metadata }) => metadata.labels?.[LABELS.api] === name)
          .map((route) => [(protectionOf(route) ?? "").split(" ")[0] ?? "", route]),
      ),
    [Symbol.dispose]() {
      gateway[Symbol.dispose]();
      for (const informer of Object.values(resources)) informer.stop();
      time[Symbol.dispose]();
    },
  };
}

export function start(setup: Setup, options: Partial<ControllerOptions> = {}): RunningController {
  return startController(setup, {
    settleTime: 50,
    leaseTimes: { duration: 3_000, renewDeadline: 2_000, retryPeriod: 200 },
    ...options,
  });
}

/**
 * Makes a replica the holder of the Lease. An empty identity releases the Lease, so that the next leader needn't wait.
 */
export async function giveLease(setup: Setup, holderIdentity: string): Promise<void> {
  await until(async () => {
    const [lease] = setup.cluster.list(LEASE.kind);
    const spec = { ...Object(lease?.spec), holderIdentity, leaseDurationSeconds: 1 };
    return lease && await setup.client.replace(LEASE, { ...lease, spec });
  });
}

/**
 * Waits until the controller has reconciled all keys. A new leader first adds the keys of all objects to the work
 * queue, so the API that is deployed here comes last.
 */
export async function reconcileAll(setup: Setup): Promise<void> {
  await setup.deploy("marker", definition("{}", "/marker").replace("secrets.example", "marker.example"));
  await until(() => setup.routes("marker").size > 0);
  await untilUnchanged(() => setup.resources.api.revision);
}

/**
 * Waits until a value hasn't changed for many turns of the event loop. The fake cluster does all its work in these
 * turns.
 */
export async function untilUnchanged(value: () => number, turns = 50): Promise<void> {
  for (let last = value(), left = turns; left > 0; left--) {
    await new Promise((resolve) => setTimeout(resolve));
    if (value() === last) continue;
    last = value();
    left = turns;
  }
}

/** The names of the backends in a route's rules. */
export function backendsOf(route: KubernetesObject | undefined): string[] {
  const rules: { backendRefs?: { name: string }[] }[] = Object(route?.spec).rules ?? [];
  return rules.flatMap(({ backendRefs = [] }) => backendRefs.map(({ name }) => name));
}
