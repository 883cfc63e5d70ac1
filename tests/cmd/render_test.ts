import assert from "node:assert/strict";
import { parseAllDocuments } from "yaml";
import { render } from "../../cmd/commands/render.ts";
import { createFolder } from "./definitions.ts";
import { recordPlatform } from "./recorded_platform.ts";

const FOLDER = "tests/data/render";

async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const platform = recordPlatform();
  const code = await render(args, platform);
  return { code, ...platform.printed };
}

/** Compares a text with a golden file. `deno test -A tests/cmd/render_test.ts -- --update` writes the golden files. */
async function assertGolden(name: string, actual: string): Promise<void> {
  const path = `${FOLDER}/${name}`;
  if (Deno.args.includes("--update")) await Deno.writeTextFile(path, actual);
  assert.equal(actual, await Deno.readTextFile(path), `${path} differs; -- --update writes it anew`);
}

const PRINTED: readonly [golden: string, ...args: string[]][] = [
  ["shop.k8s.yaml", `${FOLDER}/shop.yaml`, "-n", "shop", "--fleet", "infra/edge", "--quiet"],
  ["shop.closed.k8s.yaml", `${FOLDER}/shop.yaml`, "-n", "shop", "--fleet", "infra/edge", "--closed", "--quiet"],
  [
    "orders.portable.json",
    `${FOLDER}/orders.yaml`,
    "--profile",
    "portable",
    "--gateway",
    "theirs/public",
    "-o",
    "json",
  ],
  ["actions.k8s.yaml", `${FOLDER}/actions.yaml`, "-n", "shop", "--fleet", "infra/edge"],
  ["todo.k8s.yaml", "tests/data/todo.yaml", `${FOLDER}/orders.yaml`, "--gateway-class", "other", "--mocks", "x/mocks"],
];

for (const [golden, ...args] of PRINTED) {
  Deno.test(`gw render ${args.join(" ")}`, async () => {
    const { code, stdout, stderr } = await run(...args);
    assert.equal(stderr, "");
    assert.equal(code, 0);
    await assertGolden(golden, stdout);
  });
}

Deno.test("gw render prints each object once", async () => {
  const { stdout } = await run("tests/data/todo.yaml", `${FOLDER}/orders.yaml`, `${FOLDER}/shop.yaml`);
  const objects: { kind: string; metadata: { namespace: string; name: string } }[] = parseAllDocuments(stdout)
    .map((document) => document.toJS());
  const names = objects.map(({ kind, metadata: { namespace, name } }) => `${kind} ${namespace}/${name}`);
  assert.deepEqual(names, [...new Set(names)]);
});

Deno.test("gw render reports the errors of a deployment, with file, line and column", async (t) => {
  const cases: { name: string; args: string[]; code: number; message: RegExp }[] = [
    { name: "no definition", args: [], code: 2, message: /Which definition\?/ },
    { name: "a name for two", args: ["a.yaml", "b.yaml", "--name", "x"], code: 2, message: /--name is for one/ },
    { name: "a name that is none", args: ["a.yaml", "--name", "A_B"], code: 2, message: /lower-case letters/ },
    { name: "no such file", args: ["nowhere.yaml"], code: 3, message: /Cannot read nowhere\.yaml/ },
    {
      name: "an error of the definition",
      args: ["tests/data/validate/extension.yaml"],
      code: 1,
      message: /extension\.yaml:\d+:\d+ error deployment-error: /,
    },
    {
      name: "what the profile can't express",
      args: ["tests/data/todo.yaml", "--profile", "portable"],
      code: 1,
      message: /todo\.yaml:\d+:\d+ error not-in-cluster: `\/todos\/report\.\{format\}` takes requests that /,
    },
    {
      name: "two definitions with the same requests",
      args: ["tests/data/todo.yaml", `${FOLDER}/again.yaml`],
      code: 1,
      message: /again\.yaml:5:\d+ error conflict: GET \/todos is taken by the API default\/todo/,
    },
    {
      name: "two definitions whose users would be the same",
      args: [`${FOLDER}/shop.yaml`, `${FOLDER}/staff.yaml`],
      code: 1,
      message:
        /staff\.yaml:8:\d+ error conflict: Users of GET \/staff log in as another client than those of the API default\/shop/,
    },
  ];
  for (const { name, args, code, message } of cases) {
    await t.step(name, async () => {
      const result = await run(...args);
      assert.match(result.stderr, message);
      assert.equal(result.code, code);
      assert.equal(result.stdout, "");
    });
  }
});

Deno.test("gw render shows warnings as it shows errors", async () => {
  await using folder = await createFolder();
  const text = 'openapi: 3.1.0\ninfo: {title: A, version: "1"}\nx-svc: {disabled: true, cors: {methods: [GET]}}\n' +
    'paths: {/a: {get: {responses: {"200": {description: A.}}}}}\n';
  await Deno.writeTextFile(`${folder.path}/a.yaml`, text);
  const { code, stderr } = await run(`${folder.path}/a.yaml`);
  assert.equal(code, 0);
  assert.match(
    stderr,
    /a\.yaml:3:25 warning deployment-warning: `x-svc\.cors` has no `origins`.*\n(.*\n)*> 3 \| x-svc: /,
  );
});
