/**
 * docs/cluster.md: kubectl deletes the objects of `gw render` that a later output no longer has, and nothing else.
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
import { startApiServer } from "../support/api_server.ts";
import { runCommand } from "../support/daemon.ts";

const AUTH = "{jwt: {providers: [{name: id, jwks_uri: 'https://id.example.com/keys'}]}}";
const RESPONSES = "responses: {'200': {description: Fine.}}";

/** A definition; each line of `paths` is a path with an operation. */
function definition(...paths: string[]): string {
  const head = "openapi: 3.1.0\ninfo: {title: Todo, version: 1.0.0}\nx-svc: {upstream: {service: {name: todo}}}\n";
  return `${head}paths:\n${paths.map((path) => `  ${path}\n`).join("")}`;
}

const OPEN = `/todos: {get: {${RESPONSES}}}`;
const SECRET = `/secrets: {get: {x-svc: {auth: ${AUTH}, qos: {retries: 1}}, ${RESPONSES}}}`;
const ELSEWHERE = `/host: {get: {x-svc: {upstream: {host: {hostname: www.example.com}, rewrite: {pattern: /host, ` +
  `substitution: /}}}, ${RESPONSES}}}`;

Deno.test("kubectl deletes what a later output of gw render lacks, and nothing else", async () => {
  // The objects of fleets have fixed names.
  await using api = await startApiServer({ own: true });
  await using folder = await createFolder();
  const gw = GW.map((word) => `'${word}'`).join(" ");
  await Deno.writeTextFile(`${folder.path}/gw`, `#!/bin/sh\nexec ${gw} "$@"\n`, { mode: 0o755 });
  const { kubectl } = await provideKubernetes();
  const env = { PATH: `${folder.path}:${dirname(kubectl)}:${Deno.env.get("PATH")}`, KUBECONFIG: api.kubeconfig };
  const run = (command: string): Promise<string> =>
    runCommand(["bash", "-o", "pipefail", "-ec", command], { cwd: folder.path, env });
  const write = (name: string, text: string): Promise<void> => Deno.writeTextFile(`${folder.path}/${name}`, text);
  await run("for name in shop infra gw-system; do kubectl create namespace $name; done");

  await write("other.yaml", definition("/others: {get: {x-svc: {mocking: {enabled: true}}, " + RESPONSES + "}}"));
  await write("todo.yaml", definition(OPEN, SECRET, ELSEWHERE));
  await run("gw render todo.yaml other.yaml -n shop -f infra/edge | kubectl apply -f -");
  const kinds = "gateways,envoyproxies,referencegrants,httproutes,securitypolicies,backendtrafficpolicies," +
    "httproutefilters,backends";
  const list = async (): Promise<string[]> =>
    (await run(`kubectl get ${kinds} -A -o custom-columns=KIND:.kind,NAME:.metadata.name --no-headers`))
      .trim().split("\n").map((line) => line.replace(/ +/, " ").replace(/[-.][0-9a-f]{12}/, ""));
  const before = await list();
  for (const kind of ["SecurityPolicy", "BackendTrafficPolicy", "HTTPRouteFilter", "Backend"]) {
    assert.ok(before.some((line) => line.startsWith(kind)), kind);
  }

  await write("todo.yaml", definition(OPEN));
  const exchanges = stepsOf("docs/cluster.md", "tests/cluster/api/render_prune_test.ts")
    .flatMap((step) => step.kind === "exchanges" ? step.exchanges : []);
  const prune = exchanges.findIndex(({ command }) => command.includes("--prune"));
  for (const { command, output } of exchanges.slice(prune - 1, prune + 1)) {
    assert.match(await run(command), patternOf(output));
  }
  const kept = before.filter((line) => !line.includes("todo")).concat("HTTPRoute todo.0");
  assert.deepEqual((await list()).sort(), kept.sort());
});
