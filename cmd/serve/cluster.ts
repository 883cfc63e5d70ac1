import { createDeploymentCheck } from "../../lib/gateway/check_deployment.ts";
import { MOCKS } from "../../lib/cluster/names.ts";
import { DESCRIPTION } from "../../lib/management/description.ts";
import { CUSTOM_RESOURCES } from "../../lib/cluster/custom_resource.ts";
import type { Readiness } from "../../lib/management/options.ts";
import { parseDocument } from "../../lib/openapi/document.ts";
import type { ResourceType } from "../cluster/client.ts";
import { createClusterServices } from "../cluster/cluster_services.ts";
import { createController } from "../cluster/controller/controller.ts";
import { isCurrentPlan } from "../cluster/current_plan.ts";
import { createDefaultFleet } from "../cluster/default_fleet.ts";
import { createKubeClient } from "../cluster/http_client.ts";
import { createInformer, type Informer } from "../cluster/informer.ts";
import { isInCluster } from "../cluster/kube_config.ts";
import { createKubernetesAccess } from "../cluster/kubernetes_access.ts";
import { createKubernetesStore } from "../cluster/kubernetes_store.ts";
import { labelsOfKnown } from "../../lib/cluster/object.ts";
import { createAdmissionHandler } from "../cluster/webhook_handler.ts";
import { serveWebhook } from "../cluster/webhook_server.ts";
import type { Server } from "../io/listener.ts";
import { PlanCache } from "../io/gateway/plan_cache.ts";
import { sleep } from "../io/sleep.ts";
import { messageOf } from "../../lib/http/message.ts";
import { type Answering, type Backend, orUnavailable } from "./backend.ts";
import { mayLead, type ServeSettings } from "./settings.ts";
import type { Platform } from "../line/platform.ts";

const NAMESPACES: ResourceType = { apiVersion: "v1", kind: "Namespace", plural: "namespaces", isClusterWide: true };
const SERVICES: ResourceType = { apiVersion: "v1", kind: "Service", plural: "services" };
const ENDPOINT_SLICES: ResourceType = {
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
};

/** How long a pod accepts requests after SIGTERM, until the endpoints of its Service are updated, in milliseconds. */
const DRAIN = 5_000;

/** Milliseconds before an unchanged error is logged again. */
const REPEAT_AFTER = 60_000;

/** The message of a process that doesn't run the controller: deployments need another process that does. */
const NO_CONTROLLER =
  "This gw serve stores resources in the cluster and doesn't stand for election as its leader. The gw serve " +
  "in the cluster makes the gateway's objects; --controller lets this one do so too.";

/** Opens a store of custom resources, with the controller that makes the gateway's objects from them. */
export async function openCluster(settings: ServeSettings, platform: Platform, { log }: Answering): Promise<Backend> {
  const { kubeconfig, context, insecure, namespace = MOCKS.namespace, "webhook-port": webhookPort } = settings;
  const client = await orUnavailable(() =>
    createKubeClient({
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(context === undefined ? {} : { context }),
    })
  );
  const follow = (type: ResourceType): Informer =>
    createInformer(client, type, { onError: createErrorLogger(type.plural) });
  const resources = {
    api: follow(CUSTOM_RESOURCES.api),
    fleet: follow(CUSTOM_RESOURCES.fleet),
    staticroute: follow(CUSTOM_RESOURCES.staticroute),
  };
  const [namespaces, services, endpointSlices] = [follow(NAMESPACES), follow(SERVICES), follow(ENDPOINT_SLICES)];
  const informers = [...Object.values(resources), namespaces, services, endpointSlices];

  const labelsOf = (name: string) => labelsOfKnown(namespaces.get("", name));
  const isPod = isInCluster(platform.env);
  const leads = mayLead(settings, isPod);
  const defaultFleet = createDefaultFleet(resources.fleet);
  const probe = createClusterServices({ services, endpointSlices, fleets: resources.fleet });
  const check = createDeploymentCheck();
  const planCache = new PlanCache({ check });
  const store = createKubernetesStore({ client, resources, namespaces, planCache });
  const controller = createController({
    client,
    resources,
    namespaces,
    observe: createInformer,
    identity: `${platform.env("HOSTNAME") ?? Deno.hostname()}_${crypto.randomUUID()}`,
    namespace,
    planCache,
    log,
    now: () => Date.now(),
    acts: leads,
  });
  const access = insecure ? undefined : createKubernetesAccess({ client, now: () => performance.now() });
  const ending = new AbortController();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const servers: Server[] = [];
  const drainTime = isPod ? DRAIN : 0;

  return {
    store,
    path: client.server,
    management: {
      gateway: controller,
      check,
      services: probe,
      ready,
      defaultFleet,
      labelsOf,
      objectOf: (kind, { namespace, name }) => resources[kind].get(namespace, name),
      ...(access === undefined || settings["token-file"] !== undefined ? {} : { authorize: access.authorize }),
    },
    ...(access === undefined ? {} : { tokens: access.tokens }),
    addresses: [],
    start() {
      if (!leads) log.note(NO_CONTROLLER);
      servers.push(runController());
      if (webhookPort !== undefined) servers.push(runWebhook(webhookPort));
      void Promise.all(servers.map(({ finished }) => finished)).then(() => end());
      return Promise.resolve();
    },
    readable: Promise.all(Object.values(resources).map(({ synced }) => synced)).then(() => {}),
    warmUp,
    async drain() {
      ending.abort();
      await sleep(drainTime);
    },
    server: { shutdown: () => servers.forEach((server) => server.shutdown()), finished: ended },
    close() {
      for (const server of servers) server.shutdown();
      for (const informer of informers) informer.stop();
      client.close();
    },
  };

  /**
   * Makes a function that logs errors of a watch: each new message at once, an unchanged one once a minute, and none
   * while the process ends.
   */
  function createErrorLogger(what: string): (error: unknown) => void {
    let last = { message: "", at: 0 };
    return (error) => {
      const message = `The cluster's ${what} can't be followed, and are shown as they were: ${messageOf(error)}`;
      const isRepeated = message === last.message && performance.now() - last.at < REPEAT_AFTER;
      if (isRepeated || ending.signal.aborted) return;
      log.complain(message);
      last = { message, at: performance.now() };
    };
  }

  function ready(): Readiness {
    if (ending.signal.aborted) return { kind: "not-ready", reason: "This replica is ending." };
    if (!informers.every(({ isSynced }) => isSynced)) {
      return { kind: "not-ready", reason: "The cluster's objects are being read." };
    }
    return controller.isReady ? { kind: "ready" } : { kind: "not-ready", reason: "The APIs are being planned." };
  }

  function runController(): Server {
    const stop = new AbortController();
    const finished = controller.run(stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) log.complain(`The controller has ended: ${messageOf(error)}`);
    });
    return { shutdown: () => stop.abort(), finished };
  }

  function runWebhook(port: number): Server {
    const handler = createAdmissionHandler({
      gateway: controller,
      services: probe,
      check,
      fleets: () => resources.fleet.list(),
      defaultFleet,
      labelsOf,
      isCurrent: (plan) => isCurrentPlan(plan, { client, resources }),
    });
    return serveWebhook({ client, namespace, host: settings.host, port, handler, log, now: () => Date.now() });
  }

  /** Validates a small definition of each version, so that the first deployment doesn't wait for code and schemas. */
  async function warmUp(): Promise<void> {
    for (const version of ["3.0.3", "3.1.0"]) {
      await check(await parseDocument(DESCRIPTION.replace(/^openapi: .*/, `openapi: ${version}`)));
    }
  }
}
