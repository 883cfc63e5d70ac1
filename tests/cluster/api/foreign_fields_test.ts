/**
 * The controller restores fields of its objects that other clients change, at any depth. Uses the real CRDs of the
 * Gateway API and Envoy Gateway: server-side defaults have no field manager and are ignored.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { KubeClient, ResourceType } from "../../../cmd/cluster/client.ts";
import {
  ENVOY_PROXY,
  GATEWAY,
  HTTP_ROUTE,
  OWNED_TYPES,
  RESOURCE_TYPES,
  SECURITY_POLICY,
} from "../../../cmd/cluster/controller/kinds.ts";
import { FIELD_MANAGER, LABELS } from "../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { isObject } from "../../../lib/schema/json/node.ts";
import { startApiServer } from "../support/api_server.ts";
import { apiOf, conditionOf, fleetOf, startController } from "../support/controller.ts";
import { startFakeGateway } from "../support/fake_gateway.ts";
import { until } from "../support/until.ts";
import { createVirtualCluster } from "../support/virtual_cluster.ts";

const SECRETS = `
openapi: 3.1.0
info: {title: Secrets, version: 1.0.0}
x-svc: {hosts: [secrets.example.com], upstream: {service: {name: secrets}}}
paths:
  /open: {get: {x-svc: {rate_limit: {requests_per_unit: 5, unit: second}, qos: {retries: 2}}, responses: {"204": {description: None.}}}}
  /secret: {get: {x-svc: {auth: {custom: {service: {name: authz}, path: /auth}}}, responses: {"204": {description: None.}}}}
  /rewritten/{id}:
    get:
      x-svc: {upstream: {service: {name: secrets}, rewrite: {pattern: "^/rewritten", substitution: /r}}}
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {"204": {description: None.}}
  /checked: {get: {x-svc: {validation: {request: {enabled: true}}}, responses: {"204": {description: None.}}}}
`;

/** A change that another client makes to an object of gw. */
interface Edit {
  name: string;
  type: ResourceType;
  change: (spec: Record<string, unknown>) => unknown;
  /** Whether gw leaves the change as it is. Default: gw restores the field. */
  stays?: boolean;
}

const EDITS: readonly Edit[] = [
  {
    name: "a field deep in a policy that opens what it protects",
    type: SECURITY_POLICY,
    change: () => ({ extAuth: { failOpen: true } }),
  },
  { name: "a field right under spec", type: SECURITY_POLICY, change: () => ({ cors: { allowOrigins: ["*"] } }) },
  {
    name: "a filter in a rule of a route",
    type: HTTP_ROUTE,
    change: ({ rules }) => ({
      rules: rulesOf(rules).map((rule) => ({
        ...rule,
        filters: [
          ...listOf(rule["filters"]),
          { type: "ResponseHeaderModifier", responseHeaderModifier: { remove: ["x-frame-options"] } },
        ],
      })),
    }),
  },
  {
    name: "how the proxies of a fleet run",
    type: ENVOY_PROXY,
    change: () => ({ provider: { kubernetes: { envoyDeployment: { replicas: 7 } } } }),
  },
  {
    name: "a value that is a default",
    type: ENVOY_PROXY,
    change: () => ({ logging: { level: { default: "debug" } } }),
  },
  {
    name: "a field of a listener",
    type: GATEWAY,
    change: ({ listeners }) => ({
      listeners: rulesOf(listeners).map((listener) => ({ ...listener, hostname: "their.example.com" })),
    }),
  },
  {
    name: "a listener beside",
    type: GATEWAY,
    change: ({ listeners }) => ({
      listeners: [
        ...rulesOf(listeners).filter(({ name }) => name !== "theirs"),
        { name: "theirs", port: 8081, protocol: "HTTP", hostname: `t${crypto.randomUUID()}.example.com` },
      ],
    }),
    stays: true,
  },
];

Deno.test("Fields that others change in objects of gw are restored, at every depth", async (t) => {
  await using api = await startApiServer();
  await using cluster = await createVirtualCluster(api);
  using _gateway = startFakeGateway(cluster.client);
  const { client } = cluster;
  let running = startController(cluster);
  try {
    await client.apply(RESOURCE_TYPES.fleet, fleetOf());
    await client.apply(RESOURCE_TYPES.api, apiOf("secrets", SECRETS));
    await programmed();

    await t.step(
      "server-side defaults have no field manager: nothing is written, not even after a restart",
      async () => {
        running.takeWrites();
        await restart();
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        assert.deepEqual(running.takeWrites(), []);
      },
    );

    for (const edit of EDITS) {
      for (const when of ["while a controller runs", "while none does"]) {
        await t.step(`${edit.name}, ${when}`, async () => {
          const before = await find(edit.type);
          if (when === "while none does") await running.stop();
          await change(edit, before);
          if (when === "while none does") running = startController(cluster);
          await settled(edit, before);
        });
      }
    }

    await t.step("a change that removes managedFields", async () => {
      const before = await find(SECURITY_POLICY);
      await change({ name: "", type: SECURITY_POLICY, change: () => ({ extAuth: { failOpen: true } }) }, before);
      const { namespace = "", name } = before.metadata;
      await client.patch(SECURITY_POLICY, namespace, name, { metadata: { managedFields: [{}] } });
      await until(async () => isSameSpec(await find(SECURITY_POLICY), before), {
        what: "the policy as it was",
      });
      await programmed();
    });

    await t.step("nothing is written any more", async () => {
      await until(async () => {
        running.takeWrites();
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        return running.takeWrites().length === 0;
      });
      assert.deepEqual(running.complaints, []);
    });
  } finally {
    await running.stop();
  }

  async function restart(): Promise<void> {
    await running.stop();
    running = startController(cluster);
    await until(() => running.controller.isLeader && running.controller.isReady);
  }

  async function change({ type, change }: Edit, { metadata: { namespace = "", name }, spec }: KubernetesObject) {
    const patch = { spec: change(isObject(spec) ? spec : {}) };
    await client.patch(type, namespace, name, patch, { fieldManager: "kubectl-edit" });
  }

  async function settled({ type, stays = false }: Edit, before: KubernetesObject): Promise<void> {
    if (stays) await new Promise((resolve) => setTimeout(resolve, 1_500));
    await until(async () => isSameSpec(await find(type), before) !== stays);
    await programmed();
  }

  async function programmed(): Promise<void> {
    let last: KubernetesObject | undefined;
    await until(async () => {
      last = await client.get(RESOURCE_TYPES.api, "shop", "secrets");
      return conditionOf(last, "Programmed") === "True Programmed";
    }, { within: 40_000, what: () => JSON.stringify(last?.status) });
  }

  /** Finds the object of a kind that gw made for the protected operation. */
  async function find(type: ResourceType): Promise<KubernetesObject> {
    const all = await madeOf(client, type);
    const found = all.find(({ metadata }) => metadata.name.includes(".auth")) ?? all[0];
    assert.ok(found, type.kind);
    return found;
  }
});

async function madeOf(client: KubeClient, type: ResourceType): Promise<KubernetesObject[]> {
  assert.ok(OWNED_TYPES.some(({ kind }) => kind === type.kind));
  return (await client.list(type, "", { labelSelector: `${LABELS.managedBy}=${FIELD_MANAGER}` })).items;
}

function isSameSpec({ spec }: KubernetesObject, other: KubernetesObject): boolean {
  return JSON.stringify(spec) === JSON.stringify(other.spec);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function rulesOf(value: unknown): Record<string, unknown>[] {
  return listOf(value).filter(isObject);
}
