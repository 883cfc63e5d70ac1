/**
 * The current controller and mocks take over the objects that commit 27b1f2d wrote, in a real API server. No object
 * gets lost, no closed route opens, no open route closes.
 *
 * @module
 */
import assert from "node:assert/strict";
import { parseAllDocuments } from "yaml";
import { HTTP_ROUTE, RESOURCE_TYPES } from "../../../cmd/cluster/controller/kinds.ts";
import { createKubeClient } from "../../../cmd/cluster/http_client.ts";
import { createInformer } from "../../../cmd/cluster/informer.ts";
import { LABELS } from "../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { isUnmatchedMatch } from "../../../lib/cluster/rule_slots.ts";
import type { JsonObject } from "../../../lib/schema/json/node.ts";
import { INSTALLED } from "../../../lib/cluster/install/installation.ts";
import { installManifests } from "../../../lib/cluster/install/manifests.ts";
import { createNamespaces } from "../../../scripts/upgrade/make_cluster.ts";
import { todoThatAnswers } from "../../cmd/definitions.ts";
import { DEPLOYED, FLEETS, isPolicyOfClosed, nameOf } from "../../upgrade/deployed.ts";
import { startApiServer } from "../support/api_server.ts";
import { apiOf, conditionOf, startController } from "../support/controller.ts";
import { startFakeGateway } from "../support/fake_gateway.ts";
import { startMocks } from "../support/mocks.ts";
import { until } from "../support/until.ts";
import { installDefinitions } from "../support/virtual_cluster.ts";

const DATA = new URL("../../upgrade/data/cluster.yaml", import.meta.url);

/** The Service that all definitions name as their upstream. */
const UPSTREAM = "backend";

Deno.test("Objects of an earlier version: each accepted API is served, nothing opens and nothing closes", async (t) => {
  await using api = await startApiServer({ own: true });
  const admin = await createKubeClient({ kubeconfig: api.kubeconfig });
  await installDefinitions(admin);
  await createNamespaces(api);
  await api.apply(...installManifests({ namespace: "gw-system", image: "gw", replicas: 2, only: "rbac" }));
  const stored: KubernetesObject[] = parseAllDocuments(await Deno.readTextFile(DATA)).map((document) =>
    document.toJS()
  );
  await api.restore(...stored);
  const accountOf = (name: string): Promise<string> => api.createUser(`system:serviceaccount:gw-system:${name}`);
  const client = await createKubeClient({ kubeconfig: await accountOf(INSTALLED.serve) });
  /** While true, the fake gateway doesn't report on the policy of the closed API, which must stay closed. */
  let isSilent = true;
  using gateway = startFakeGateway(admin, (object) => isSilent && isPolicyOfClosed(object));
  const routes = createInformer(admin, HTTP_ROUTE);
  await routes.synced;
  /** The forbidden states that were observed, each with its API or static route. */
  const faults = new Set<string>();
  routes.onChange(() => look());
  const resources = {
    api: createInformer(client, RESOURCE_TYPES.api),
    fleet: createInformer(client, RESOURCE_TYPES.fleet),
    staticroute: createInformer(client, RESOURCE_TYPES.staticroute),
  };
  const informers = [routes, ...Object.values(resources)];
  const controller = startController({ client, resources });
  const mocks = await startMocks({ kubeconfig: await accountOf(INSTALLED.mock) });
  try {
    await t.step("the data hold each object in its state", () => {
      look();
      assert.deepEqual([...faults], []);
      for (const { object, state } of DEPLOYED) {
        assert.deepEqual([nameOf(object), stateOf(object)], [nameOf(object), state]);
      }
    });

    await t.step("the controller takes them over, and deploys what comes now", async () => {
      await until(() => controller.controller.isLeader && controller.controller.isReady, { within: 30_000 });
      const late = apiOf("late", todoThatAnswers("late").replaceAll("/todos", "/late"));
      await api.apply({ ...late, spec: { ...Object(late.spec), fleet: { namespace: "edge", name: "main" } } });
      await until(async () => conditionOf(await api.read(late), "Accepted") === "True Accepted", { within: 30_000 });
      for (const fleet of FLEETS) {
        await until(async () => conditionOf(await api.read(fleet), "OpenToAllNamespaces") === "True NotSpecified", {
          within: 30_000,
        });
      }
      // Wait until work that has begun before is surely done.
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    });

    await t.step("each says of itself what it said before", async () => {
      for (const { object, state } of DEPLOYED) {
        const [before, now] = [find(object), await api.read(object)];
        for (const type of ["Accepted", "Programmed"]) {
          const want = conditionOf(before, type);
          // Wait until the gateway has accepted new routes.
          await until(async () => conditionOf(await api.read(object), type) === want, {
            what: async () =>
              `${type} ${want} of ${nameOf(object)}: ${JSON.stringify((await api.read(object))?.status)}`,
          });
        }
        assert.equal(now?.metadata.uid, before?.metadata.uid);
        assert.deepEqual(now?.spec, before?.spec);
        if (state !== "conflicted") assert.ok(routesOf(object).length > 0, nameOf(object));
      }
    });

    await t.step("at no moment did anything open or close", () => assert.deepEqual([...faults], []));

    await t.step("no object was lost, and none was made again under its name", async () => {
      const lost: string[] = [];
      for (const object of stored) {
        const present = await api.read(object);
        if (present?.metadata.uid !== object.metadata.uid) lost.push(nameOf(object));
      }
      assert.deepEqual(lost, []);
    });

    await t.step("mocked operations are answered, also of what was accepted last", async () => {
      await until(mocks.isReady);
      for (const { object, state } of DEPLOYED) {
        if (state !== "mocked" && state !== "held") continue;
        const { namespace, name } = object.metadata;
        const response = await mocks.ask(`${namespace}/${name}`, `/${name}`);
        assert.deepEqual([nameOf(object), response.status, await response.text()], [nameOf(object), 200, name]);
      }
    });

    await t.step("what was closed opens when its policy is accepted", async () => {
      isSilent = false;
      gateway.setSilent(false);
      for (const { object, state } of DEPLOYED) {
        if (state !== "closed") continue;
        await until(async () => conditionOf(await api.read(object), "Programmed") === "True Programmed", {
          within: 60_000,
        });
        assert.ok(leadsToUpstream(object));
      }
    });

    await t.step("nothing was forbidden", () => assert.deepEqual(controller.complaints, []));
  } finally {
    await controller.stop();
    await mocks[Symbol.asyncDispose]();
    for (const informer of informers) informer.stop();
    for (const one of [admin, client]) one.close();
  }

  /** Checks that each route is still open or closed as it was before. */
  function look(): void {
    for (const { object, state } of DEPLOYED) {
      const leads = leadsToUpstream(object);
      if (state === "open" && !leads) faults.add(`${nameOf(object)} is closed`);
      if (state === "closed" && leads && isSilent) faults.add(`${nameOf(object)} is open`);
    }
  }

  function routesOf({ kind, metadata: { namespace, name } }: KubernetesObject): KubernetesObject[] {
    const label = kind === "API" ? LABELS.api : LABELS.staticRoute;
    return routes.list().filter(({ metadata }) =>
      metadata.namespace === namespace && metadata.labels?.[label] === name
    );
  }

  function leadsToUpstream(object: KubernetesObject): boolean {
    return routesOf(object).some((route) => backendsOf(route).includes(UPSTREAM));
  }

  function find(object: KubernetesObject): KubernetesObject | undefined {
    return stored.find((one) => nameOf(one) === nameOf(object));
  }

  /** The state that the stored objects of an API or static route are in. */
  function stateOf(object: KubernetesObject): string {
    const said = conditionOf(find(object), "Programmed");
    const accepted = conditionOf(find(object), "Accepted");
    if (accepted === "False Conflicted") return "conflicted";
    if (accepted === "False Invalid") return "held";
    if (said === "False WaitingForProtection") return "closed";
    return leadsToUpstream(object) ? "open" : "mocked";
  }
});

interface RouteRule {
  readonly backendRefs?: readonly { readonly name: string }[];
  readonly matches?: readonly RouteMatch[];
}

interface RouteMatch {
  readonly path?: JsonObject;
  readonly headers?: readonly { readonly name: string }[];
}

/** The backends of the rules that requests meet, apart from CORS preflights. */
function backendsOf(route: KubernetesObject): string[] {
  const rules: readonly RouteRule[] = Object(route.spec).rules ?? [];
  return rules.filter(({ matches = [] }) => matches.length === 0 || matches.some(isForRequests))
    .flatMap(({ backendRefs = [] }) => backendRefs.map(({ name }) => name));
}

/** Whether requests other than CORS preflights meet a match. Preflights pass all policies, since browsers send them. */
function isForRequests({ path = {}, headers = [] }: RouteMatch): boolean {
  return !isUnmatchedMatch({ path }) && !headers.some(({ name }) => name === "access-control-request-method");
}
