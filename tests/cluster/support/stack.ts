/**
 * All programs of a production cluster's request path on this machine: a real API server, Envoy Gateway, and an Envoy
 * for each Gateway. They run in Linux namespaces of their own (network, mounts, processes), so they can use fixed
 * ports, and all end together. `deno task test:cluster:stack` makes the namespaces and starts the stack; test files
 * connect to it.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { installManifests } from "../../../lib/cluster/install/manifests.ts";
import { type GatewayTools, provideGateway } from "../../../scripts/cluster/tools.ts";
import { type ApiServer, SHARED_SERVER, startApiServer } from "./api_server.ts";
import { type Daemon, runCommand } from "./daemon.ts";
import { startKubelet } from "./kubelet.ts";
import { mountVolume, startPod, SYSTEM } from "./pod.ts";
import { isOk } from "./probe.ts";
import { until } from "./until.ts";
import { NAMESPACE, type PodStatus, startWorkloads } from "./workloads.ts";

/** The environment variable with the URL of the stack's control server. */
export const STACK = "GW_TEST_STACK";

/** The name of Envoy Gateway's GatewayClass. */
export const GATEWAY_CLASS = "eg";

/** A part of the stack that tests may stop and start. */
export type Part = "api-server" | "envoy-gateway";

/** A running stack, as a test uses it. */
export interface Stack extends AsyncDisposable {
  readonly api: ApiServer;
  /** Stops, starts, kills, pauses (SIGSTOP) or resumes a part, and waits until that is done. */
  order(part: Part, order: "stop" | "start" | "kill" | "pause" | "resume"): Promise<void>;
  /**
   * Waits until a Gateway is programmed. Returns the port of a listener at 127.0.0.1; by default, of the first
   * listener.
   */
  portOf(gateway: { namespace: string; name: string }, listener?: string): Promise<number>;
  /**
   * Installs gw by the output of `gw manifests`, if it isn't installed, and waits until all pods are ready. gw stays
   * installed for the next test file.
   */
  installGw(): Promise<void>;
  /** Removes gw's pods. Its custom resource definitions and all objects stay. */
  removeGw(): Promise<void>;
  pods(): Promise<PodStatus[]>;
  /** Kills the program of a pod, like `kill -9`. The program is started again. */
  killPod(name: string): Promise<void>;
  /** Pauses (SIGSTOP) or resumes the program of a pod. */
  suspendPod(name: string, order: "pause" | "resume"): Promise<void>;
  /** The log of a pod of gw. */
  logOfPod(name: string): Promise<string>;
  /** The log of Envoy Gateway. */
  logOfEnvoyGateway(): Promise<string>;
  /** The logs of all Envoys. */
  logOfEnvoys(): Promise<string>;
}

/** Connects to the stack in whose namespaces this test runs. */
export async function takeStack(): Promise<Stack> {
  const orders = Deno.env.get(STACK) ?? "";
  if (orders === "") {
    throw new Error(
      "The stack isn't there: run deno task test:cluster:stack, with the names of test files if you like",
    );
  }
  const api = await startApiServer();
  const order = async (part: string, order: string): Promise<void> => {
    const response = await fetch(`${orders}/${part}/${order}`, { method: "POST" });
    const text = await response.text();
    if (!response.ok) throw new Error(`Cannot ${order} ${part}: ${text}`);
  };
  const pods = async (): Promise<PodStatus[]> => await (await fetch(`${orders}/pods`)).json();
  return {
    api,
    order,
    pods,
    async installGw() {
      await installGw(api);
      await until(async () => isComplete(await pods()), {
        within: 60_000,
        what: () => `the pods of gw; the end of their logs:\n${logsOf(`${api.folder}/pods`, 1000)}`,
      });
    },
    async removeGw() {
      for (const name of DEPLOYMENTS) {
        await api.delete({ apiVersion: "apps/v1", kind: "Deployment", metadata: { namespace: NAMESPACE, name } });
      }
      await until(async () => (await pods()).length === 0, { within: 40_000, what: "the end of gw's pods" });
    },
    killPod: (name) => order(name, "kill-pod"),
    suspendPod: (name, what) => order(name, `${what}-pod`),
    logOfPod: (name) => Deno.readTextFile(`${api.folder}/pods/${name}/log`),
    async portOf({ namespace, name }, listener) {
      const id = { apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", metadata: { namespace, name } };
      let present: KubernetesObject | undefined;
      const gateway = await until(
        async () => {
          present = await api.read(id);
          return isTrue(present, "Programmed") && present;
        },
        { within: 30_000, what: () => `Gateway ${namespace}/${name}: ${JSON.stringify(present?.status)}` },
      );
      const listeners: { name: string; port: number }[] = Object(gateway.spec).listeners;
      const port = listeners.find(({ name }) => listener === undefined || name === listener)?.port;
      if (port === undefined) throw new Error(`Gateway ${namespace}/${name} has no listener ${listener}`);
      // Containers without privileges can't listen below port 1024, so Envoy Gateway adds 10,000 to such ports.
      return port < 1024 ? port + 10_000 : port;
    },
    logOfEnvoyGateway: () => Deno.readTextFile(`${api.folder}/envoy-gateway/log`),
    logOfEnvoys: () => withoutRequests(`${api.folder}/proxies`),
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

/** The last `end` characters of each pod's log in a folder. */
function logsOf(folder: string, end: number): string {
  const texts = [...Deno.readDirSync(folder)].map(({ name }) => Deno.readTextFileSync(`${folder}/${name}/log`));
  return texts.map((text) => text.slice(-end)).join("\n");
}

/**
 * The logs of all proxies in a folder. The lines about requests are left out: with them, a log may exceed the longest
 * string.
 */
async function withoutRequests(folder: string): Promise<string> {
  const logs = [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}/log`);
  const { code, stdout, stderr } = await new Deno.Command("grep", {
    args: ["--no-filename", "--invert-match", "^{", ...logs],
  })
    .output();
  // grep exits with 1 if it prints no line.
  if (code > 1) throw new Error(`Cannot read the logs of Envoys: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

const DEPLOYMENTS = ["gw-serve", "gw-mock"];

/** The number of pods of each Deployment. For the mocks, this is the minimum of their autoscaler. */
const REPLICAS = 2;

/** Sets the number of the replicas of the mocks, and waits until there are as many. */
export async function scaleMocks(stack: Stack, replicas: number): Promise<void> {
  const path = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/gw-mock/scale`;
  await stack.api.request("PATCH", path, { spec: { replicas } }, "application/merge-patch+json");
  const count = async (): Promise<number> =>
    (await stack.pods()).filter(({ deployment }) => deployment === "gw-mock").length;
  await until(async () => await count() === replicas, { within: 40_000, what: `${replicas} pods of the mocks` });
}

async function installGw(api: ApiServer): Promise<void> {
  const objects = installManifests({ namespace: NAMESPACE, image: "gw:test", replicas: REPLICAS });
  const kinds = objects.filter(({ kind }) => kind === "CustomResourceDefinition");
  await api.apply(...kinds);
  await api.kubectl(["wait", "--for=condition=Established", "crd", ...kinds.map(({ metadata }) => metadata.name)]);
  await api.apply(...objects.filter((object) => !kinds.includes(object)));
  const path = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/gw-mock/scale`;
  await api.request("PATCH", path, { spec: { replicas: REPLICAS } }, "application/merge-patch+json");
}

function isComplete(pods: readonly PodStatus[]): boolean {
  return DEPLOYMENTS.every((name) => pods.filter((pod) => pod.deployment === name && pod.isReady).length >= REPLICAS);
}

/** Tells whether a condition of an object is True for its current generation. */
export function isTrue(object: KubernetesObject | undefined, type: string): boolean {
  const conditions: { type: string; status: string; observedGeneration?: number }[] =
    Object(object?.status).conditions ?? [];
  return conditions.some((condition) =>
    condition.type === type && condition.status === "True" &&
    (condition.observedGeneration ?? object?.metadata.generation) === object?.metadata.generation
  );
}

/** A running stack, as the process that started it sees it. */
export interface RunningStack extends AsyncDisposable {
  readonly api: ApiServer;
  /** Environment variables by which test files find the stack. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a stack in the Linux namespaces of this process. */
export async function startStack(): Promise<RunningStack> {
  const tools = await provideGateway();
  // An EndpointSlice can't contain loopback addresses. So the loopback interface gets other addresses, one for each
  // pod.
  await runCommand(["ip", "link", "set", "lo", "up"]);
  await runCommand(["ip", "address", "replace", "10.77.0.1/16", "dev", "lo"]);

  const api = await startApiServer({ own: true });
  await api.apply(
    { apiVersion: "v1", kind: "Namespace", metadata: { name: SYSTEM } },
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "GatewayClass",
      metadata: { name: GATEWAY_CLASS },
      spec: { controllerName: "gateway.envoyproxy.io/gatewayclass-controller" },
    },
  );
  const env = { KUBECONFIG: api.kubeconfig, ENVOY_GATEWAY_NAMESPACE: SYSTEM };
  await runCommand([tools.envoyGateway, "certgen", "--disable-topology-injector"], { env });
  await mountVolume(api, "Secret", "envoy-gateway", `${api.folder}/envoy-gateway/certs`);
  let envoyGateway = await startEnvoyGateway(tools, api.folder, env);
  const kubelet = startKubelet(api, tools.envoy, `${api.folder}/proxies`);
  const workloads = startWorkloads(api, `${api.folder}/pods`);

  const acts: Readonly<Record<string, () => Promise<unknown>>> = {
    "api-server stop": () => api.stop(),
    "api-server start": () => api.start(),
    "envoy-gateway stop": () => envoyGateway.stop(),
    "envoy-gateway kill": () => envoyGateway.kill(),
    "envoy-gateway pause": () => signal("STOP", `${tools.envoyGateway} server`),
    "envoy-gateway resume": () => signal("CONT", `${tools.envoyGateway} server`),
    "envoy-gateway start": async () => envoyGateway = await startEnvoyGateway(tools, api.folder, env),
  };
  const podActs: Readonly<Record<string, (pod: string) => Promise<void>>> = {
    "kill-pod": (pod) => workloads.kill(pod),
    "pause-pod": (pod) => signal("STOP", `--host=${addressOf(pod)}$`),
    "resume-pod": (pod) => signal("CONT", `--host=${addressOf(pod)}$`),
  };
  const addressOf = (pod: string): string => {
    const found = workloads.pods().find(({ name }) => name === pod);
    if (found === undefined) throw new Error(`There is no pod ${pod}`);
    return found.address;
  };
  const orders = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const [, part = "", order = ""] = new URL(request.url).pathname.split("/");
    try {
      if (part === "pods") return Response.json(workloads.pods());
      const act = podActs[order]?.bind(undefined, part) ?? acts[`${part} ${order}`];
      if (act === undefined) return new Response(`${part} can't ${order}`, { status: 404 });
      await act();
      return new Response();
    } catch (error) {
      return new Response(String(error), { status: 500 });
    }
  });

  return {
    api,
    env: { [STACK]: `http://127.0.0.1:${orders.addr.port}`, [SHARED_SERVER]: api.folder },
    async [Symbol.asyncDispose]() {
      await orders.shutdown();
      await Promise.all([workloads.stop(), kubelet.stop()]);
      await envoyGateway.stop();
      await api[Symbol.asyncDispose]();
    },
  };
}

/** Sends a signal to all processes whose command lines match a pattern: a program and its child processes. */
async function signal(name: "STOP" | "CONT", pattern: string): Promise<void> {
  await runCommand(["pkill", `-${name}`, "-f", "--", pattern]);
}

async function startEnvoyGateway(
  { envoyGateway }: GatewayTools,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<Daemon> {
  const pod = `${folder}/envoy-gateway`;
  const config = fileURLToPath(import.meta.resolve("./envoy_gateway.yaml"));
  const daemon = await startPod({
    folder: pod,
    command: [envoyGateway, "server", "--config-path", config],
    env,
    authority: `${folder}/pki/ca.crt`,
  });
  await until(
    () => isOk("http://127.0.0.1:8081/readyz"),
    { within: 30_000, what: () => `Envoy Gateway:\n${Deno.readTextFileSync(`${pod}/log`).slice(-2000)}` },
  );
  return daemon;
}
