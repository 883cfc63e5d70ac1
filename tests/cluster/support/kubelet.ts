/**
 * Simulates Kubernetes for the proxies of Envoy Gateway. As the Deployment controller and the kubelet do, it runs an
 * Envoy for each Deployment, and restarts it when the Deployment changes. As a cloud provider does, it gives each
 * Service of type LoadBalancer an address.
 *
 * @module
 */
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import type { ApiServer } from "./api_server.ts";
import type { Daemon } from "./daemon.ts";
import { mountVolume, startPod, SYSTEM } from "./pod.ts";
import { isOk } from "./probe.ts";
import { until } from "./until.ts";

/** Milliseconds between reconciliations. */
const INTERVAL = 100;

interface Proxy {
  daemon: Daemon;
  generation: number;
  adminPort: number;
}

/** The simulated kubelet, which runs until it is stopped. */
export interface Kubelet {
  stop(): Promise<void>;
}

/**
 * Starts to run the proxies of all Deployments.
 *
 * @param envoy The path of Envoy.
 * @param folder The folder for the proxies' files, such as `<name of the Deployment>/log`.
 */
export function startKubelet(api: ApiServer, envoy: string, folder: string): Kubelet {
  const proxies = new Map<string, Proxy>();
  let slots = 0;
  let isStopped = false;
  const looking = look();

  return {
    async stop() {
      isStopped = true;
      await looking;
      await Promise.all([...proxies.values()].map(({ daemon }) => daemon.stop()));
    },
  };

  async function look(): Promise<void> {
    while (!isStopped) {
      // Ignore errors: pods keep running while the API server can't be reached.
      await tend().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, INTERVAL));
    }
  }

  async function tend(): Promise<void> {
    const deployments = await list(`/apis/apps/v1/namespaces/${SYSTEM}/deployments`);
    const names = new Set(deployments.map(({ metadata }) => metadata.name));
    for (const [name, { daemon }] of proxies) {
      if (names.has(name)) continue;
      proxies.delete(name);
      await daemon.stop();
    }
    for (const deployment of deployments) await keep(deployment);
    for (const service of await list(`/api/v1/namespaces/${SYSTEM}/services`)) await giveAddress(service);
  }

  /** The objects of a kind whose labels mark them as proxies. */
  async function list(path: string): Promise<KubernetesObject[]> {
    const { items } = await api.request("GET", `${path}?labelSelector=app.kubernetes.io/component%3Dproxy`);
    return Array.isArray(items) ? items : [];
  }

  async function giveAddress({ metadata: { name }, spec, status }: KubernetesObject): Promise<void> {
    if (Object(spec).type !== "LoadBalancer" || Object(status).loadBalancer?.ingress !== undefined) return;
    const path = `/api/v1/namespaces/${SYSTEM}/services/${name}/status`;
    const given = { status: { loadBalancer: { ingress: [{ ip: "10.77.0.1" }] } } };
    await api.request("PATCH", path, given, "application/merge-patch+json");
  }

  /** Starts the proxy of a Deployment, unless it runs with the current spec. */
  async function keep({ metadata: { name, generation = 0 }, spec }: KubernetesObject): Promise<void> {
    const present = proxies.get(name);
    if (present?.generation === generation) return;
    await present?.daemon.stop();
    const adminPort = present?.adminPort ?? 19200 + 2 * slots++;

    const pod = `${folder}/${name}`;
    await mountVolume(api, "Secret", "envoy", `${pod}/certs`);
    await mountVolume(api, "ConfigMap", name, `${pod}/sds`);
    const args = argumentsOf(spec).map((argument) =>
      argument
        .replaceAll("$(ENVOY_POD_NAME)", `${name}-0`)
        .replaceAll("$(ENVOY_POD_NAMESPACE)", SYSTEM)
        .replaceAll("$(ENVOY_SERVICE_ZONE)", "here")
        // All proxies share one network, so each gets an admin port of its own.
        .replaceAll("port_value: 19000", `port_value: ${adminPort}`)
        .replaceAll("port_value: 19001", `port_value: ${adminPort + 1}`)
    );
    const daemon = await startPod({
      folder: pod,
      command: [envoy, ...args, "--disable-hot-restart"],
      authority: `${api.folder}/pki/ca.crt`,
    });
    proxies.set(name, { daemon, generation, adminPort });
    void daemon.ended.then(() => {
      // Forget a proxy that ended by itself, so that it is started again.
      if (proxies.get(name)?.daemon === daemon) proxies.delete(name);
    });
    void reportReady(name, generation, daemon, adminPort).catch(() => {});
  }

  /** Reports that the Deployment's replica is ready, once Envoy is. */
  async function reportReady(name: string, generation: number, daemon: Daemon, adminPort: number): Promise<void> {
    await until(
      async () => {
        if (isStopped || proxies.get(name)?.daemon !== daemon) return true;
        return await isOk(`http://127.0.0.1:${adminPort}/ready`);
      },
      // The limit is long: the proxy of a Gateway without routes doesn't become ready.
      { within: 600_000 },
    );
    if (isStopped || proxies.get(name)?.daemon !== daemon) return;
    const count = { replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1 };
    const path = `/apis/apps/v1/namespaces/${SYSTEM}/deployments/${name}/status`;
    const status = { observedGeneration: generation, ...count };
    await until(() => api.request("PATCH", path, { status }, "application/merge-patch+json"));
  }
}

/** The arguments of the container named `envoy`. */
function argumentsOf(spec: unknown): string[] {
  const containers: { name: string; args: string[] }[] = Object(spec).template.spec.containers;
  return containers.find(({ name }) => name === "envoy")?.args ?? [];
}
