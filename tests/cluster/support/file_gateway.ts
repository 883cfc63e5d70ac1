/**
 * Runs Envoy Gateway without a cluster: it reads objects from files, and starts Envoy itself. Its ports are fixed, so
 * it needs a network namespace of its own. As a program:
 *
 *     file_gateway.ts FOLDER QUESTIONS
 *
 * It serves the objects of FOLDER/objects on port 18080, sends the requests in QUESTIONS (a JSON array of
 * {@linkcode Question}), and prints the responses as JSON ({@linkcode FileAnswer}). Each backend answers with its name.
 *
 * @module
 */
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { provideGateway } from "../../../scripts/cluster/tools.ts";
import { ask, type Question } from "./ask.ts";
import { runCommand, startDaemon } from "./daemon.ts";
import { until } from "./until.ts";

export const FILE_GATEWAY_PORT = 18080;

export interface FileAnswer {
  status: number;
  location: string | null;
  text: string;
}

/** The version in the name of the Envoy file that Envoy Gateway looks for. The version isn't checked. */
const ENVOY_VERSION = "0.0.0";

/** The GatewayClass and the Gateway that the rendered routes refer to. */
export function gatewayObjects(namespace: string, name: string): KubernetesObject[] {
  const parameters = { group: "gateway.envoyproxy.io", kind: "EnvoyProxy", name: "host", namespace };
  return [
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "GatewayClass",
      metadata: { name: "eg" },
      spec: { controllerName: "gateway.envoyproxy.io/gatewayclass-controller", parametersRef: parameters },
    },
    {
      apiVersion: "gateway.envoyproxy.io/v1alpha1",
      kind: "EnvoyProxy",
      metadata: { namespace, name: "host" },
      spec: {
        provider: { type: "Host", host: { envoyVersion: ENVOY_VERSION } },
        concurrency: 1,
        extraArgs: ["--disable-hot-restart"],
      },
    },
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "Gateway",
      metadata: { namespace, name },
      spec: { gatewayClassName: "eg", listeners: [{ name: "http", port: FILE_GATEWAY_PORT, protocol: "HTTP" }] },
    },
  ];
}

/** Replaces the Services in an object by Backends: Envoy Gateway doesn't support Services without a cluster. */
export function withBackends(object: KubernetesObject): KubernetesObject {
  return JSON.parse(
    JSON.stringify(object),
    (key, value) =>
      key === "backendRefs" && Array.isArray(value)
        ? value.map(({ port: _, ...reference }) => ({ ...reference, group: "gateway.envoyproxy.io", kind: "Backend" }))
        : value,
  );
}

/** A Backend object for a port of 127.0.0.1. */
export function backendObject(namespace: string, name: string, port: number): KubernetesObject {
  return {
    apiVersion: "gateway.envoyproxy.io/v1alpha1",
    kind: "Backend",
    metadata: { namespace, name },
    spec: { endpoints: [{ ip: { address: "127.0.0.1", port } }] },
  };
}

/** Serves the objects, sends the requests, and stops. */
async function main([folder = "", questions = "[]"]: readonly string[]): Promise<FileAnswer[]> {
  const asked: Question[] = JSON.parse(questions);
  await runCommand(["ip", "link", "set", "lo", "up"]);
  const backends = JSON.parse(await Deno.readTextFile(`${folder}/backends.json`));
  for (const [name, port] of Object.entries(backends)) {
    Deno.serve({ hostname: "127.0.0.1", port: Number(port), onListen: () => {} }, (request) => {
      const { pathname } = new URL(request.url);
      return new Response(`${name} ${request.method} ${pathname} ${request.headers.get("x-svc-api") ?? ""}`.trim());
    });
  }

  const { envoyGateway, envoy } = await provideGateway();
  const bin = `${folder}/data/envoy-versions/${ENVOY_VERSION}/bin`;
  for (const path of [bin, `${folder}/config`, `${folder}/state`, `${folder}/run`]) {
    await Deno.mkdir(path, { recursive: true });
  }
  await Deno.symlink(envoy, `${bin}/envoy`);
  await runCommand([envoyGateway, "certgen", "--local", "--config-home", `${folder}/config`]);
  const config = `${folder}/envoy_gateway.json`;
  await Deno.writeTextFile(config, JSON.stringify(configuration(folder)));
  const log = `${folder}/log`;
  const gateway = startDaemon({ command: [envoyGateway, "server", "--config-path", config], log });
  try {
    const [first] = asked;
    if (first === undefined) return [];
    await until(async () => (await ask(FILE_GATEWAY_PORT, first)).status === 200, {
      within: 60_000,
      what: () => `the first answer:\n${Deno.readTextFileSync(log).slice(-5000)}`,
    });
    const answers: FileAnswer[] = [];
    for (const question of asked) {
      const { status, headers, text } = await ask(FILE_GATEWAY_PORT, question);
      answers.push({ status, location: headers.get("location"), text });
    }
    return answers;
  } finally {
    await gateway.stop();
  }
}

/** Envoy Gateway's own configuration: it reads objects from files, and runs Envoy as a process. */
function configuration(folder: string): unknown {
  const host = {
    configHome: `${folder}/config`,
    dataHome: `${folder}/data`,
    stateHome: `${folder}/state`,
    runtimeDir: `${folder}/run`,
  };
  return {
    apiVersion: "gateway.envoyproxy.io/v1alpha1",
    kind: "EnvoyGateway",
    gateway: { controllerName: "gateway.envoyproxy.io/gatewayclass-controller" },
    provider: {
      type: "Custom",
      custom: {
        resource: { type: "File", file: { paths: [`${folder}/objects`] } },
        infrastructure: { type: "Host", host },
      },
    },
    extensionApis: { enableBackend: true },
    logging: { level: { default: "info" } },
  };
}

if (import.meta.main) {
  // deno-lint-ignore no-console
  console.log(JSON.stringify(await main(Deno.args)));
  Deno.exit(0);
}
