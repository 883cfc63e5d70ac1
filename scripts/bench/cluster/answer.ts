/**
 * Measures the time from sending a definition to the management API until Envoy gives its first correct answer, and
 * counts the objects of the cluster that an edit of one operation changes.
 *
 * @module
 */

import { load } from "js-yaml";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { LABELS } from "../../../lib/cluster/names.ts";
import { ask } from "../../../tests/cluster/support/ask.ts";
import { deployFleet, type Fleet } from "../../../tests/cluster/support/deploy.ts";
import type { Stack } from "../../../tests/cluster/support/stack.ts";
import { github, todo } from "../definitions.ts";
import type { BenchOptions } from "../options.ts";
import { median, printTable } from "../table.ts";
import { type Management, takeManagement } from "./management.ts";

const HOST = "bench.example.com";

/** The goal: an edit of one operation changes at most this number of Kubernetes objects. */
const MOST_TOUCHED = 2;

/** A definition, with the goal for the time of its deployment in milliseconds, and a path that answers 200. */
interface Deployable {
  name: string;
  document: Record<string, unknown>;
  /** `true`: all operations are mocked. `false`: only those with mocking enabled in the definition. */
  mocking: boolean;
  path: string;
  goal: number;
}

/** The kinds of the objects that gw makes for an API. */
const KINDS = [
  "/apis/gateway.networking.k8s.io/v1/httproutes",
  "/apis/gateway.networking.k8s.io/v1/referencegrants",
  "/apis/gateway.envoyproxy.io/v1alpha1/backends",
  "/apis/gateway.envoyproxy.io/v1alpha1/httproutefilters",
  "/apis/gateway.envoyproxy.io/v1alpha1/backendtrafficpolicies",
  "/apis/gateway.envoyproxy.io/v1alpha1/securitypolicies",
  "/apis/gateway.envoyproxy.io/v1alpha1/clienttrafficpolicies",
];

export async function benchAnswer(stack: Stack, { rounds }: BenchOptions): Promise<void> {
  await stack.installGw();
  const management = await takeManagement(stack);
  const namespace = await stack.api.createNamespace();
  const fleet = await deployFleet(stack, namespace);
  // Deploys another API first, since the first deployment includes one-time work such as starting Envoy.
  const [warmUp] = await deployables();
  await deploy(management, fleet, "warm-up", withSettings(warmUp, "warm-up.example.com"));
  await answered(fleet, "warm-up.example.com", todo.path);

  const rows = [["sent until the first answer through Envoy", "ms", "to reach", "worst"]];
  const all = await deployables();
  for (const deployable of all) {
    const { name, path, goal } = deployable;
    const taken: number[] = [];
    for (let round = 0; round < rounds; round++) {
      if (taken.length > 0 || name !== all[0].name) await remove(management, fleet, path);
      const start = performance.now();
      const answer = answered(fleet, HOST, path);
      await deploy(management, fleet, "bench", withSettings(deployable, HOST));
      taken.push(await answer - start);
    }
    rows.push([name, median(taken).toFixed(0), String(goal), Math.max(...taken).toFixed(0)]);
  }
  printTable(rows);
  await benchTouched(stack, management, fleet);
}

/**
 * Counts the objects that change when an operation of GitHub's definition gets an upstream, and when it is mocked
 * again. Expects the definition to be deployed.
 */
async function benchTouched({ api }: Stack, management: Management, fleet: Fleet): Promise<void> {
  const [, large] = await deployables();
  const { document } = large;
  const [path = "", item] = Object.entries(Object(document["paths"])).find(([, item]) => "get" in Object(item)) ?? [];
  const edited = {
    ...document,
    paths: {
      ...Object(document["paths"]),
      [path]: { ...Object(item), get: { ...Object(item).get, "x-svc": { mocking: { enabled: false } } } },
    },
  };
  const rows = [["edit of one of GitHub's operations", "objects changed", "at most"]];
  for (const [name, next] of [["it gets an upstream", edited], ["it is mocked again", document]] as const) {
    const before = await objectsIn(api, fleet.namespace);
    await management.send(
      "PUT",
      `/apis/${fleet.namespace}/bench`,
      content(fleet, "bench", withSettings({ ...large, document: next }, HOST)),
    );
    // Waits until gw has written the status of the API, so that later changes come from the edit.
    await new Promise((resolve) => setTimeout(resolve, 5000));
    const after = await objectsIn(api, fleet.namespace);
    const touched = [...new Set([...before.keys(), ...after.keys()])].filter((key) =>
      before.get(key) !== after.get(key)
    );
    rows.push([name, String(touched.length), String(MOST_TOUCHED)]);
  }
  printTable(rows);
}

/** The `spec` of each object that gw made in a namespace. */
async function objectsIn(api: Stack["api"], namespace: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const kind of KINDS) {
    const path = kind.replace(/\/([^/]+)$/, `/namespaces/${namespace}/$1?labelSelector=${LABELS.managedBy}%3Dgw`);
    const { items } = await api.request("GET", path);
    for (const { metadata: { name, annotations }, spec } of (items ?? []) as KubernetesObject[]) {
      found.set(`${kind} ${name}`, JSON.stringify([annotations, spec]));
    }
  }
  return found;
}

let known: Promise<[todo: Deployable, github: Deployable]> | undefined;

function deployables(): Promise<[todo: Deployable, github: Deployable]> {
  return known ??= Promise.all([readTodo(), readGithub()]);
}

async function readTodo(): Promise<Deployable> {
  return {
    name: "todo",
    document: Object(load(await Deno.readTextFile(todo.file))),
    mocking: false,
    path: todo.path,
    goal: 300,
  };
}

async function readGithub(): Promise<Deployable> {
  const { file, path } = await github();
  return {
    name: "GitHub, 5.7 MB",
    document: JSON.parse(await Deno.readTextFile(file)),
    mocking: true,
    path,
    goal: 2000,
  };
}

function withSettings({ document, mocking }: Pick<Deployable, "document" | "mocking">, host: string): typeof document {
  const upstream = { service: { name: "upstream" } };
  return { ...document, "x-svc": { hosts: [host], mocking: { enabled: mocking, generate: true }, upstream } };
}

function content({ namespace, name: fleet }: Fleet, name: string, document: Record<string, unknown>): unknown {
  return { name, namespace, proxyFleetName: fleet, proxyFleetNamespace: namespace, openapi: JSON.stringify(document) };
}

async function deploy(
  management: Management,
  fleet: Fleet,
  name: string,
  document: Record<string, unknown>,
): Promise<void> {
  await management.send("POST", "/apis", content(fleet, name, document));
}

/** Deletes an API, and waits until Envoy answers none of its operations any more. */
async function remove(management: Management, { namespace, port }: Fleet, path: string): Promise<void> {
  await management.send("DELETE", `/apis/${namespace}/bench`);
  while ((await ask(port, { host: HOST, path })).status === 200) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await new Promise((resolve) => setTimeout(resolve, 1000));
}

/** Sends requests until a mock answers one. Returns the time of that answer. */
async function answered({ port }: Fleet, host: string, path: string): Promise<number> {
  for (;;) {
    try {
      const { status, headers } = await ask(port, { host, path });
      if (status === 200 && headers.get("x-svc-mocked") === "true") return performance.now();
    } catch {
      // The connection was refused: nothing listens on the port yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
