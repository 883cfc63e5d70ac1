/**
 * The recipe of docs/recipes.md for `gw mock` in a Deployment, with a real API server and kubectl. A volume of the test
 * stands for the kubelet's.
 *
 * @module
 */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { provideKubernetes } from "../../../scripts/cluster/tools.ts";
import { createFolder } from "../../cmd/definitions.ts";
import { startGw } from "../../cmd/process.ts";
import { stepsOf } from "../../package/recipe.ts";
import { startApiServer } from "../support/api_server.ts";
import { writeConfigMapVolume } from "../support/config_map_volume.ts";
import { runCommand } from "../support/daemon.ts";
import { isLike, startLoad } from "../support/load.ts";
import { isOk } from "../support/probe.ts";
import { until } from "../support/until.ts";

const steps = stepsOf("docs/recipes.md", "tests/cluster/api/config_map_test.ts");
const files = new Map(steps.flatMap((step) => step.kind === "file" ? [[step.name, step.text]] : []));
const script = steps.flatMap((step) => step.kind === "script" && step.text.includes("kubectl") ? step.text : []).join(
  "",
);

/** The fields of the recipe's Deployment that are used. */
interface DeploymentSpec {
  template: {
    metadata: { labels: Record<string, string> };
    spec: { containers: [Container]; volumes: [{ name: string; configMap: { name: string } }] };
  };
}

interface Container {
  args: string[];
  ports: [{ containerPort: number }];
  readinessProbe: { httpGet: { path: string; port: number } };
  volumeMounts: [{ name: string; mountPath: string }];
}

Deno.test("docs/recipes.md: a Deployment with its definition in a ConfigMap answers, and reloads it", async (t) => {
  await using api = await startApiServer();
  await using folder = await createFolder();
  await using volume = await createFolder();
  const namespace = await api.createNamespace();
  // The strictest of the Pod Security Standards.
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  await api.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } });

  const { kubectl } = await provideKubernetes();
  const env = { PATH: `${dirname(kubectl)}:${Deno.env.get("PATH")}`, KUBECONFIG: `${folder.path}/kubeconfig` };
  await Deno.copyFile(api.kubeconfig, env.KUBECONFIG);
  await runCommand([kubectl, "config", "set-context", "--current", "--namespace", namespace], { env });
  const runScript = (): Promise<string> => runCommand(["sh", "-e", "-c", script], { cwd: folder.path, env });
  const writeDefinition = (text: string): Promise<void> => Deno.writeTextFile(`${folder.path}/api.yaml`, text);
  const definition = files.get("api.yaml") ?? "";
  await Deno.writeTextFile(`${folder.path}/mock.k8s.yaml`, files.get("mock.k8s.yaml") ?? "");

  /** Reads an object of the recipe back. */
  const read = async (apiVersion: string, kind: string, name: string): Promise<KubernetesObject> => {
    const object = await api.read({ apiVersion, kind, metadata: { namespace, name } });
    assert.ok(object !== undefined, `No ${kind} ${name}`);
    return object;
  };

  await writeDefinition(definition);
  assert.deepEqual((await runScript()).trim().split("\n"), [
    "configmap/todos-definition serverside-applied",
    "deployment.apps/todos-mock created",
    "service/todos-mock created",
  ]);
  const deployment = await read("apps/v1", "Deployment", "todos-mock");
  const { template }: DeploymentSpec = Object(deployment.spec);
  const { containers: [container], volumes: [{ name, configMap }] } = template.spec;
  const { args, ports: [{ containerPort }], readinessProbe: { httpGet }, volumeMounts: [mount] } = container;

  await t.step("the parts of the recipe refer to each other", async () => {
    assert.equal(mount.name, name);
    const { selector, ports: [port] } = Object((await read("v1", "Service", "todos-mock")).spec);
    assert.deepEqual(selector, template.metadata.labels);
    assert.deepEqual([port.targetPort, httpGet.port, args.at(-1)], [containerPort, containerPort, `${containerPort}`]);
  });

  await t.step("its pod is admitted where only restricted pods are", async () => {
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { ...template.metadata, name: "pod" }, spec: template.spec };
    await api.request("POST", `/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod);
  });

  /** Writes the present ConfigMap into the volume. */
  const syncVolume = async (): Promise<void> =>
    writeConfigMapVolume(volume.path, Object((await read("v1", "ConfigMap", configMap.name))["data"]));

  await syncVolume();
  const own = args.map((arg) => arg === `${containerPort}` ? "0" : arg.replace(mount.mountPath, volume.path));
  await using gw = await startGw({ args: own });
  const url = `http://127.0.0.1:${gw.port}`;
  const answer = async (): Promise<string> => await (await fetch(`${url}/todos`)).text();

  await t.step("it is ready, and answers", async () => {
    assert.ok(await isOk(`${url}${httpGet.path}`));
    assert.equal(await answer(), '[{"id":1,"title":"Buy milk"}]');
  });

  await t.step("after an edit it answers from the new definition, without a failed request", async () => {
    const load = startLoad(gw.port, { host: "todos-mock", path: "/todos" }, isLike(/Buy (?:milk|bread)/));
    await writeDefinition(definition.replace("Buy milk", "Buy bread"));
    assert.deepEqual((await runScript()).trim().split("\n"), [
      "configmap/todos-definition serverside-applied",
      "deployment.apps/todos-mock unchanged",
      "service/todos-mock unchanged",
    ]);
    assert.match(await answer(), /Buy milk/);
    await syncVolume();
    await until(async () => await answer() === '[{"id":1,"title":"Buy bread"}]', {
      what: () => gw.text().slice(-2000),
    });
    const { total, failed } = await load.stop();
    assert.deepEqual(failed, {});
    assert.ok(total > 100, `only ${total} requests`);
  });

  await t.step("a definition of nearly 1 MiB fits in", async () => {
    const text = `${definition}# ${"x".repeat(1_000_000)}\n`;
    await writeDefinition(text);
    await runScript();
    assert.deepEqual(Object((await read("v1", "ConfigMap", configMap.name))["data"]), { "api.yaml": text });
  });
});
