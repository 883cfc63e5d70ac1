/**
 * After a refused edit, the last accepted spec stays in force, even if all processes restart. Runs a controller and
 * replicas of `gw mock --cluster` with a real API server, without the webhook.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { KubeClient, ResourceType } from "../../../cmd/cluster/client.ts";
import { HTTP_ROUTE, RESOURCE_TYPES } from "../../../cmd/cluster/controller/kinds.ts";
import { createKubeClient } from "../../../cmd/cluster/http_client.ts";
import { createInformer } from "../../../cmd/cluster/informer.ts";
import { LABELS } from "../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { CONTROLLER_REVISION } from "../../../lib/cluster/accepted_revision.ts";
import { INSTALLED } from "../../../lib/cluster/install/installation.ts";
import { installManifests } from "../../../lib/cluster/install/manifests.ts";
import { todoThatAnswers } from "../../cmd/definitions.ts";
import { startApiServer } from "../support/api_server.ts";
import {
  apiOf,
  conditionOf,
  fleetOf,
  messageOf,
  type RunningController,
  startController,
} from "../support/controller.ts";
import { startFakeGateway } from "../support/fake_gateway.ts";
import { startMocks } from "../support/mocks.ts";
import { until } from "../support/until.ts";
import { installDefinitions } from "../support/virtual_cluster.ts";

const NAMESPACE: ResourceType = { apiVersion: "v1", kind: "Namespace", plural: "namespaces", isClusterWide: true };
const FLEET = { namespace: "edge", name: "edge" };
const TODO = "shop/todo";

/** An edit that the controller refuses, although mocks could answer by it. */
const REFUSED = todoThatAnswers("refused", ", nonsense: 1");

Deno.test("The last accepted spec stays in force while an edit is refused, whichever process restarts", async (t) => {
  await using api = await startApiServer({ own: true });
  const client = await createKubeClient(api);
  await installDefinitions(client);
  for (const name of ["shop", "edge", "gw-system"]) {
    await client.apply(NAMESPACE, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  // Both programs have only the rights of their service accounts.
  await api.apply(...installManifests({ namespace: "gw-system", image: "gw", replicas: 2, only: "rbac" }));
  const accountOf = (name: string): Promise<string> => api.createUser(`system:serviceaccount:gw-system:${name}`);
  const serve = await createKubeClient({ kubeconfig: await accountOf(INSTALLED.serve) });
  const mock = { kubeconfig: await accountOf(INSTALLED.mock) };
  using _gateway = startFakeGateway(client);
  let [controller, mocks] = [startOwnController(serve), await startMocks(mock)];
  try {
    await t.step("an accepted API has nothing written down", async () => {
      await client.apply(RESOURCE_TYPES.fleet, fleetOf());
      await deploy(todoThatAnswers("first"));
      await untilSays("Accepted", "True Accepted");
      await until(() => answers("200 first"));
      assert.deepEqual(await revisions(), []);
    });

    await t.step("a refused edit: what was accepted is written down, and is the API's own", async () => {
      const generation = (await todo())?.metadata.generation;
      await deploy(REFUSED);
      const refused = await untilSays("Accepted", "False Invalid");
      assert.match(messageOf(refused, "Accepted"), /What was deployed before stays in force\.$/);
      const [revision] = await revisions();
      assert.ok(revision);
      assert.equal(revision["revision"], generation);
      const { ownerReferences: [owner] = [], labels } = revision.metadata;
      assert.deepEqual([owner?.kind, owner?.uid, owner?.controller], ["API", refused.metadata.uid, true]);
      assert.equal(labels?.[LABELS.api], "todo");
    });

    await t.step("who starts now answers from it, holds its paths and puts its routes right", async () => {
      await restart();
      assert.equal(await answer(), "200 first");
      await until(() => controller.controller.plansOf(FLEET).length === 1);
      const [route] = (await client.list(HTTP_ROUTE, "shop")).items;
      assert.ok(route);
      await client.delete(HTTP_ROUTE, "shop", route.metadata.name);
      await until(async () => (await client.list(HTTP_ROUTE, "shop")).items.some(isNew(route)));
      await client.apply(RESOURCE_TYPES.api, apiOf("late", todoThatAnswers("late")));
      await until(async () => conditionOf(await named("late"), "Accepted") === "False Conflicted");
      await client.delete(RESOURCE_TYPES.api, "shop", "late");
    });

    await t.step("nothing is written while nothing changes", async () => {
      await until(async () => (await named("late")) === undefined);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      controller.takeWrites();
      await restart();
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      assert.deepEqual(controller.takeWrites(), []);
    });

    await t.step("another refused edit changes nothing of it", async () => {
      const [before] = await revisions();
      await deploy(todoThatAnswers("refused", ", nonsense: 2"));
      await untilSays("Accepted", "False Invalid");
      assert.deepEqual((await revisions()).map(uidOf), [before && uidOf(before)]);
      assert.equal(await answer(), "200 first");
    });

    await t.step("an accepted edit is in force, and nothing is written down any more", async () => {
      await deploy(todoThatAnswers("second"));
      await untilSays("Programmed", "True Programmed");
      await until(() => answers("200 second"));
      assert.deepEqual(await revisions(), []);
    });

    await t.step("an edit that names an absent fleet leaves the API on its fleet", async () => {
      await deploy(todoThatAnswers("third"), { namespace: "edge", name: "nowhere" });
      await untilSays("Accepted", "False FleetNotFound");
      await restart();
      assert.equal(await answer(), "200 second");
      await until(() => controller.controller.plansOf(FLEET).length === 1);
    });

    await t.step("an edit that the fleet's profile can't express, too", async () => {
      await deploy(todoThatAnswers("fourth"));
      await untilSays("Programmed", "True Programmed");
      await client.apply(RESOURCE_TYPES.fleet, fleetOf({ ...Object(fleetOf().spec), profile: "portable" }));
      const limited =
        `${todoThatAnswers("fifth")}    post: {x-svc: {mocking: {enabled: false}, upstream: {service: {name: x}}, ` +
        `rate_limit: {requests_per_unit: 1, unit: second}}, responses: {"201": {description: Made.}}}\n`;
      await deploy(limited);
      await untilSays("Accepted", "False Unsupported");
      await until(() => answers("200 fourth"));
      await restart();
      await until(() => answers("200 fourth"));
      await client.apply(RESOURCE_TYPES.fleet, fleetOf());
      await untilSays("Accepted", "True Accepted");
      await until(() => answers("200 fifth"));
      assert.deepEqual(await revisions(), []);
    });

    await t.step("a definition that is large is written down compressed", async () => {
      await deploy(`${todoThatAnswers("large")}# ${"x".repeat(600_000)}\n`);
      await untilSays("Accepted", "True Accepted");
      await deploy(REFUSED);
      await untilSays("Accepted", "False Invalid");
      const [revision] = await revisions();
      assert.ok(JSON.stringify(revision).length < 10_000);
      await restart();
      assert.equal(await answer(), "200 large");
    });

    await t.step("a deleted API leaves nothing behind", async () => {
      await client.delete(RESOURCE_TYPES.api, "shop", "todo");
      await until(async () => await todo() === undefined);
      assert.deepEqual(await revisions(), []);
      assert.deepEqual((await client.list(HTTP_ROUTE, "shop")).items.filter(isOfApi), []);
      await until(() => answers("404"));
    });
  } finally {
    await controller.stop();
    await mocks[Symbol.asyncDispose]();
    for (const one of [client, serve]) one.close();
  }

  async function restart(): Promise<void> {
    await controller.stop();
    await mocks[Symbol.asyncDispose]();
    [controller, mocks] = [startOwnController(serve), await startMocks(mock)];
    await until(mocks.isReady);
    await until(() => controller.controller.isLeader && controller.controller.isReady);
  }

  function deploy(openapi: string, fleet = FLEET): Promise<KubernetesObject> {
    return client.apply(RESOURCE_TYPES.api, { ...apiOf("todo", openapi), spec: { fleet, openapi } });
  }

  function named(name: string): Promise<KubernetesObject | undefined> {
    return client.get(RESOURCE_TYPES.api, "shop", name);
  }

  function todo(): Promise<KubernetesObject | undefined> {
    return named("todo");
  }

  async function untilSays(type: string, want: string): Promise<KubernetesObject> {
    let last: KubernetesObject | undefined;
    return await until(async () => conditionOf(last = await todo(), type) === want && last, {
      what: () => `${type} ${want}, not ${JSON.stringify(last?.status)}`,
    });
  }

  async function revisions(): Promise<KubernetesObject[]> {
    return (await client.list(CONTROLLER_REVISION, "")).items;
  }

  /** The answer of a mock as text: `200 text`, or the status. */
  async function answer(): Promise<string> {
    const response = await mocks.ask(TODO, "/todos");
    const text = await response.text();
    return response.ok ? `${response.status} ${text}` : String(response.status);
  }

  async function answers(want: string): Promise<boolean> {
    return await answer() === want;
  }
});

/** Starts a controller with its own informers, so that nothing in memory outlives it. */
function startOwnController(client: KubeClient): RunningController {
  const resources = {
    api: createInformer(client, RESOURCE_TYPES.api),
    fleet: createInformer(client, RESOURCE_TYPES.fleet),
    staticroute: createInformer(client, RESOURCE_TYPES.staticroute),
  };
  const running = startController({ client, resources });
  const stop = async (): Promise<void> => {
    await running.stop();
    for (const informer of Object.values(resources)) informer.stop();
  };
  return { ...running, stop, [Symbol.asyncDispose]: stop };
}

function isNew({ metadata: { name, uid } }: KubernetesObject): (route: KubernetesObject) => boolean {
  return ({ metadata }) => metadata.name === name && metadata.uid !== uid;
}

function isOfApi({ metadata: { labels } }: KubernetesObject): boolean {
  return labels?.[LABELS.api] !== undefined;
}

function uidOf({ metadata: { uid } }: KubernetesObject): string | undefined {
  return uid;
}
