/**
 * Simulates the controllers of Kubernetes and the kubelet for gw's own Deployments. Runs pods with gw from source, with
 * the arguments, service accounts and probes of the manifests, and writes the EndpointSlices of Services that select
 * these pods.
 *
 * @module
 */
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { MOCKS } from "../../../lib/cluster/names.ts";
import { GW } from "../../cmd/process.ts";
import type { ApiServer } from "./api_server.ts";
import type { Daemon } from "./daemon.ts";
import { startPod } from "./pod.ts";
import { isOk } from "./probe.ts";
import { newAddress } from "./upstream.ts";

/** The Kubernetes namespace whose Deployments and Services are managed. */
export const NAMESPACE: string = MOCKS.namespace;

/** Milliseconds between reconciliations. */
const INTERVAL = 100;

/** The number of rounds between two probes of a pod that is ready. */
const READY_PROBE_INTERVAL = 10;

/** The number of failed probes in a row after which a pod isn't ready, unless its Deployment sets another number. */
const FAILURES = 3;

/** Is added to the ports of pods. All pods share one network, in which Envoy Gateway uses 8080 and 8081. */
const PORT_OFFSET = 10_000;

/** The state of a pod, for tests. */
export interface PodStatus {
  /** The name of the pod: `gw-mock-1`. */
  name: string;
  deployment: string;
  address: string;
  isReady: boolean;
}

/** The simulated controllers and kubelet, which run until they are stopped. */
export interface Workloads {
  pods(): PodStatus[];
  /** Kills the program of a pod; it is started again. */
  kill(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** The fields of a Deployment that are used. */
interface DeploymentSpec {
  replicas: number;
  template: {
    metadata: { labels: Record<string, string> };
    spec: { serviceAccountName: string; containers: [Container] };
  };
}

interface Container {
  args: string[];
  ports: { name: string; containerPort: number }[];
  readinessProbe: { httpGet: { path: string; port: string }; timeoutSeconds: number; failureThreshold?: number };
}

interface ServiceSpec {
  selector?: Record<string, string>;
  ports: { name: string; targetPort: string }[];
}

interface Pod extends PodStatus {
  template: DeploymentSpec["template"];
  daemon: Daemon;
  /** Whether a probe of the pod is under way. */
  isProbed: boolean;
  /** The number of failed probes in a row. */
  failures: number;
  /** Whether the pod is being removed: it doesn't count as a replica any more, and its program will end. */
  isEnding: boolean;
  /** Whether the program was told to end. */
  isTold: boolean;
}

/**
 * Starts to run gw's pods.
 *
 * @param folder The folder for the pods' files, such as `<name of the pod>/log`.
 */
export function startWorkloads(api: ApiServer, folder: string): Workloads {
  const pods = new Set<Pod>();
  /** The last write of each object, so that an unchanged state isn't written again. */
  const written = new Map<string, string>();
  let isStopped = false;
  let started = 0;
  const looking = look();

  return {
    pods: () => [...pods].map(({ name, deployment, address, isReady }) => ({ name, deployment, address, isReady })),
    async kill(name) {
      for (const pod of pods) if (pod.name === name) await pod.daemon.kill();
    },
    async stop() {
      isStopped = true;
      await looking;
      await Promise.all([...pods].map(({ daemon }) => daemon.stop()));
    },
  };

  async function look(): Promise<void> {
    for (let round = 0; !isStopped; round++) {
      for (const pod of pods) void probe(pod, round);
      // Ignore errors: pods keep running while the API server can't be reached.
      await tend().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, INTERVAL));
    }
  }

  /**
   * Probes whether a pod is ready. A ready pod stays ready until its probe has failed `failureThreshold` times in a
   * row.
   */
  async function probe(pod: Pod, round: number): Promise<void> {
    if (pod.isProbed || (pod.isReady && round % READY_PROBE_INTERVAL !== 0)) return;
    pod.isProbed = true;
    const [{ ports, readinessProbe }] = pod.template.spec.containers;
    const { httpGet: { path, port }, timeoutSeconds, failureThreshold = FAILURES } = readinessProbe;
    const url = `http://${pod.address}:${portOf(port, ports)}${path}`;
    pod.failures = await isOk(url, timeoutSeconds * 1000) ? 0 : pod.failures + 1;
    if (pod.failures === 0 || pod.failures >= failureThreshold) pod.isReady = pod.failures === 0 && !pod.isEnding;
    pod.isProbed = false;
  }

  async function tend(): Promise<void> {
    const deployments = await list("/apis/apps/v1", "deployments");
    for (const deployment of deployments) await deploy(deployment);
    const names = new Set(deployments.map(({ metadata }) => metadata.name));
    const orphans = [...pods].filter(({ deployment }) => !names.has(deployment));
    const services = await list("/api/v1", "services");
    for (const pod of orphans) pod.isEnding = true;
    for (const service of services) await connect(service);
    for (const pod of orphans) end(pod);
  }

  async function list(group: string, plural: string): Promise<KubernetesObject[]> {
    const { items } = await api.request("GET", `${group}/namespaces/${NAMESPACE}/${plural}`);
    return Array.isArray(items) ? items : [];
  }

  /** Starts and removes pods, until their number and their template are those of the Deployment. */
  async function deploy({ metadata: { name, generation }, spec }: KubernetesObject): Promise<void> {
    const { replicas, template }: DeploymentSpec = Object(spec);
    const mine = [...pods].filter(({ deployment, isEnding }) => deployment === name && !isEnding);
    const isPresent = (pod: Pod): boolean => JSON.stringify(pod.template) === JSON.stringify(template);
    const present = mine.filter(isPresent);
    for (let missing = replicas - present.length; missing > 0; missing--) present.push(await startOne(name, template));
    for (const pod of present.slice(replicas)) pod.isEnding = true;
    // Remove pods of an old template only when all new ones are ready.
    const ready = present.filter(({ isReady, isEnding }) => isReady && !isEnding).length;
    const old = mine.filter((pod) => !isPresent(pod));
    if (ready >= replicas) { for (const pod of old) pod.isEnding = true; }

    const status = {
      observedGeneration: generation,
      replicas: present.length,
      updatedReplicas: present.length,
      readyReplicas: ready,
      availableReplicas: ready,
    };
    await write(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${name}/status`, { status });
    for (const pod of pods) if (pod.deployment === name && pod.isEnding) end(pod);
  }

  async function startOne(deployment: string, template: DeploymentSpec["template"]): Promise<Pod> {
    const name = `${deployment}-${started++}`;
    const address = newAddress();
    const pod: Pod = {
      name,
      deployment,
      address,
      template,
      isReady: false,
      isProbed: false,
      failures: 0,
      isEnding: false,
      isTold: false,
      daemon: await startProgram(name, address, template),
    };
    pods.add(pod);
    void keepRunning(pod);
    return pod;
  }

  /** Restarts the program whenever it ends, until the pod is removed. */
  async function keepRunning(pod: Pod): Promise<void> {
    for (let pause = 250;; pause = Math.min(pause * 2, 5000)) {
      await pod.daemon.ended;
      if (pod.isEnding || isStopped) return;
      pod.isReady = false;
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (pod.isEnding || isStopped) return;
      pod.daemon = await startProgram(pod.name, pod.address, pod.template);
    }
  }

  async function startProgram(name: string, address: string, { spec }: DeploymentSpec["template"]): Promise<Daemon> {
    const { serviceAccountName, containers: [container] } = spec;
    const volume = `${folder}/${name}/serviceaccount`;
    await Deno.mkdir(volume, { recursive: true });
    await Deno.copyFile(`${api.folder}/pki/ca.crt`, `${volume}/ca.crt`);
    await Deno.writeTextFile(`${volume}/namespace`, NAMESPACE);
    await Deno.writeTextFile(`${volume}/token`, await api.createToken(NAMESPACE, serviceAccountName));
    const args = container.args
      .filter((argument) => !argument.startsWith("--host="))
      .map((argument) =>
        argument.replace(/^(--(?:\w+-)?port=)(\d+)$/, (_, flag, port) => flag + (Number(port) + PORT_OFFSET))
      );
    const { hostname, port } = new URL(api.url);
    return await startPod({
      folder: `${folder}/${name}`,
      command: [...GW, ...args, `--host=${address}`],
      env: { POD_NAME: name, HOSTNAME: name, KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
    });
  }

  /** Removes a pod after its program has ended. No EndpointSlice contains the pod any more. */
  function end(pod: Pod): void {
    if (pod.isTold) return;
    pod.isTold = true;
    void pod.daemon.stop().then(() => pods.delete(pod));
  }

  /** Writes the EndpointSlice of a Service whose selector matches pods. */
  async function connect({ metadata: { name }, spec }: KubernetesObject): Promise<void> {
    const { selector, ports }: ServiceSpec = Object(spec);
    if (selector === undefined) return;
    const selected = [...pods].filter(({ template, isEnding }) =>
      !isEnding && Object.entries(selector).every(([label, value]) => template.metadata.labels[label] === value)
    );
    const id = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice" };
    const metadata = { namespace: NAMESPACE, name: `${name}-1`, labels: { "kubernetes.io/service-name": name } };
    const [first] = selected;
    if (first === undefined) {
      if (written.delete(name)) await api.delete({ ...id, metadata });
      return;
    }
    const slice = {
      ...id,
      metadata,
      addressType: "IPv4",
      ports: ports.map(({ name, targetPort }) => ({
        name,
        port: portOf(targetPort, first.template.spec.containers[0].ports),
        protocol: "TCP",
      })),
      endpoints: selected.map(({ address, isReady }) => ({ addresses: [address], conditions: { ready: isReady } })),
    };
    const text = JSON.stringify(slice);
    if (written.get(name) === text) return;
    await api.apply(slice);
    written.set(name, text);
  }

  async function write(path: string, content: unknown): Promise<void> {
    const text = JSON.stringify(content);
    if (written.get(path) === text) return;
    await api.request("PATCH", path, content, "application/merge-patch+json");
    written.set(path, text);
  }
}

/** The port on which a pod's process listens in place of a container, by the port's name in the manifests. */
function portOf(name: string, ports: Container["ports"]): number {
  const port = ports.find((port) => port.name === name);
  if (port === undefined) throw new Error(`The container has no port ${name}`);
  return port.containerPort + PORT_OFFSET;
}
