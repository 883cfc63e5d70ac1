/**
 * The commands of docs/cluster.md that install, upgrade and uninstall gw, with a real API server and kubectl.
 *
 * @module
 */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { provideKubernetes } from "../../../scripts/cluster/tools.ts";
import { createFolder } from "../../cmd/definitions.ts";
import { GW } from "../../cmd/process.ts";
import { stepsOf } from "../../package/recipe.ts";
import { patternOf } from "../../tour/exchanges.ts";
import { type ApiServer, startApiServer } from "../support/api_server.ts";
import { runCommand } from "../support/daemon.ts";
import { until } from "../support/until.ts";

const steps = stepsOf("docs/cluster.md", "tests/cluster/api/cluster_page_test.ts");
const exchanges = steps.flatMap((step) => step.kind === "exchanges" ? step.exchanges : [])
  .filter(({ command }) => /kubectl|crds\.yaml/.test(command));
const SYSTEM = "/api/v1/namespaces/gw-system";

Deno.test("docs/cluster.md: installation, upgrade and uninstallation", async (t) => {
  // Use a separate API server: objects of other tests would be deleted.
  await using api = await startApiServer({ own: true });
  await using folder = await createFolder();
  const edge = steps.find((step) => step.kind === "file" && step.name === "edge.yaml");
  assert.ok(edge?.kind === "file");
  await Deno.writeTextFile(`${folder.path}/edge.yaml`, edge.text);
  const gw = GW.map((word) => `'${word}'`).join(" ");
  await Deno.writeTextFile(`${folder.path}/gw`, `#!/bin/sh\nexec ${gw} "$@"\n`, { mode: 0o755 });
  const { kubectl } = await provideKubernetes();
  const env = { PATH: `${folder.path}:${dirname(kubectl)}:${Deno.env.get("PATH")}`, KUBECONFIG: api.kubeconfig };
  const run = (command: string): Promise<string> =>
    runCommand(["bash", "-o", "pipefail", "-ec", command], { cwd: folder.path, env });

  assert.ok(exchanges.length > 5);
  for (const { command, output } of exchanges) {
    await t.step(command, async () => {
      const isLast = command.includes("gw manifests | kubectl delete");
      const [printed] = await Promise.all([run(command), isLast ? finalizeNamespace(api) : undefined]);
      assert.match(printed, patternOf(output));
    });
  }

  await t.step("nothing of gw is left", async () => {
    const left = await api.kubectl(["get", "crd,clusterrole,clusterrolebinding,namespace", "-o", "name"]);
    assert.deepEqual(left.split("\n").filter((name) => /x-svc\.io|\/gw-/.test(name)), []);
  });
});

/** Removes the namespace of gw when it is to be deleted, as a controller of Kubernetes does. */
async function finalizeNamespace(api: ApiServer): Promise<void> {
  await until(async () => {
    const namespace = await api.request("GET", SYSTEM);
    if (Object(namespace.metadata)["deletionTimestamp"] === undefined) return false;
    await api.request("PUT", `${SYSTEM}/finalize`, { ...namespace, spec: { finalizers: [] } });
    return true;
  }, { within: 60_000, what: "the end of gw-system" });
}
