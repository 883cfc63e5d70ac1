import { createKubeClient } from "../../cmd/cluster/http_client.ts";
import { toYaml } from "../../cmd/io/files/yaml.ts";
import type { KubernetesObject } from "../../lib/cluster/object.ts";
import { type ApiServer, startApiServer } from "../../tests/cluster/support/api_server.ts";
import { startFakeGateway } from "../../tests/cluster/support/fake_gateway.ts";
import { collectionOf } from "../../tests/cluster/support/resource_path.ts";
import { until } from "../../tests/cluster/support/until.ts";
import { runGw, spawn } from "../../tests/cmd/process.ts";
import {
  DEPLOYED,
  FLEETS,
  isPolicyOfClosed,
  nameOf,
  NAMESPACES,
  OTHERS_GATEWAY,
  type State,
} from "../../tests/upgrade/deployed.ts";
import { programIn } from "./old_program.ts";

/** The type of the condition, with the status and reason, that an API has in each state. */
const CONDITIONS: Readonly<Record<State, readonly [type: string, said: string]>> = {
  open: ["Programmed", "True Programmed"],
  closed: ["Programmed", "False WaitingForProtection"],
  mocked: ["Programmed", "True Programmed"],
  held: ["Programmed", "True Programmed"],
  conflicted: ["Accepted", "False Conflicted"],
};

/** The kinds of objects that gw writes: its custom resources, and those of the gateway. */
const KINDS: readonly [apiVersion: string, kind: string][] = [
  ["gateway.x-svc.io/v1alpha1", "Fleet"],
  ["gateway.x-svc.io/v1alpha1", "API"],
  ["gateway.x-svc.io/v1alpha1", "StaticRoute"],
  ["apps/v1", "ControllerRevision"],
  ["gateway.networking.k8s.io/v1", "Gateway"],
  ["gateway.networking.k8s.io/v1", "HTTPRoute"],
  ["gateway.networking.k8s.io/v1beta1", "ReferenceGrant"],
  ["gateway.envoyproxy.io/v1alpha1", "EnvoyProxy"],
  ["gateway.envoyproxy.io/v1alpha1", "SecurityPolicy"],
  ["gateway.envoyproxy.io/v1alpha1", "BackendTrafficPolicy"],
  ["gateway.envoyproxy.io/v1alpha1", "ClientTrafficPolicy"],
  ["gateway.envoyproxy.io/v1alpha1", "HTTPRouteFilter"],
  ["gateway.envoyproxy.io/v1alpha1", "Backend"],
];

/**
 * The time limit until a protected API opens, in milliseconds. gw waits 60 s for the connections of a Gateway that it
 * doesn't own to drain.
 */
const TIME_LIMIT = 120_000;

/**
 * Runs the program in a folder against a real API server, with a simulated gateway that accepts all policies but one.
 * Applies {@linkcode DEPLOYED}, waits until each object has its state, and writes all objects to `target`, including
 * their generations, field managers and statuses.
 */
export async function makeCluster(folder: string, target: string): Promise<void> {
  const program = programIn(folder);
  await using api = await startApiServer({ own: true });
  const printed = await runGw({ program, args: ["manifests", "--only", "crds"] });
  await api.kubectl(["apply", "--server-side", "-f", "-"], printed.stdout);
  await api.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
  await createNamespaces(api);
  const client = await createKubeClient({ kubeconfig: api.kubeconfig });
  using _gateway = startFakeGateway(client, isPolicyOfClosed);
  try {
    await using gw = spawn({ program, args: ["serve", "--port", "0", "--kubeconfig", api.kubeconfig] });
    await api.apply(OTHERS_GATEWAY, ...FLEETS);
    for (const { object, state, refused } of DEPLOYED) {
      await api.apply(object);
      await untilCondition(api, object, ...CONDITIONS[state]);
      if (refused === undefined) continue;
      await api.apply(refused);
      await untilCondition(api, object, "Accepted", "False Invalid");
    }
    gw.signal("SIGTERM");
    await gw.ended;
    const objects: KubernetesObject[] = [];
    for (const [apiVersion, kind] of KINDS) objects.push(...await listAll(api, apiVersion, kind));
    await Deno.writeTextFile(target, toYaml(objects));
  } finally {
    client.close();
  }
}

/** Makes the namespaces of the objects, and the namespace of gw. */
export async function createNamespaces(api: ApiServer): Promise<void> {
  for (const name of [...NAMESPACES, "gw-system"]) {
    await api.request("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
}

async function listAll(api: ApiServer, apiVersion: string, kind: string): Promise<KubernetesObject[]> {
  const { items } = await api.request("GET", collectionOf(apiVersion, kind));
  return (Array.isArray(items) ? items : []).map(({ metadata: { resourceVersion: _, ...metadata }, ...rest }) => ({
    apiVersion,
    kind,
    ...rest,
    metadata,
  }));
}

async function untilCondition(api: ApiServer, object: KubernetesObject, type: string, said: string): Promise<void> {
  let present: KubernetesObject | undefined;
  await until(async () => {
    present = await api.read(object);
    const { conditions = [] } = Object(present?.status);
    return conditions.some((condition: Record<string, unknown>) =>
      condition["type"] === type && `${condition["status"]} ${condition["reason"]}` === said &&
      condition["observedGeneration"] === present?.metadata.generation
    );
  }, { within: TIME_LIMIT, what: () => `${type} ${said} of ${nameOf(object)}: ${JSON.stringify(present?.status)}` });
}
