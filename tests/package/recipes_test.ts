import assert from "node:assert/strict";
import { hasProgram } from "../../scripts/program.ts";
import { loadAll } from "js-yaml";
import { installPackages } from "../../scripts/cache.ts";
import { startRegistry } from "../../scripts/package/registry.ts";
import { startGw } from "../cmd/process.ts";
import { patternOf } from "../tour/exchanges.ts";
import { readRepositoryFile } from "../tour/pages.ts";
import { isSkipped, stepsOf } from "./recipe.ts";
import { provideExecutable } from "./executable.ts";
import { folderOf } from "./programs.ts";
import { emptyFolder, newUser, packages, run } from "./support.ts";

const PAGE = "docs/recipes.md";
const CONTAINER_PAGE = "docs/container.md";
const TEST = "tests/package/recipes_test.ts";

const steps = stepsOf(PAGE, TEST);
const exchanges = steps.flatMap((step) => step.kind === "exchanges" ? step.exchanges : []);
const files = new Map(steps.flatMap((step) => step.kind === "file" ? [[step.name, step.text]] : []));
const executable = await provideExecutable();
const isPossible = executable !== undefined && hasProgram("npm") && hasProgram("setsid") && hasProgram("curl");
const ignore = isSkipped(PAGE, isPossible, "npm, curl, setsid of util-linux, and an executable for this platform");

/** The fields of a compose.yaml that are used. */
interface Compose {
  services: { mock: { command: string[]; volumes: string[] } };
}

/** The commands of the job for each CI service, in order. */
const JOBS: Readonly<Record<string, () => string[]>> = {
  ".github/workflows/test.yml": () => {
    const { jobs } = parse<{ jobs: { test: { steps: { run?: string; if?: string }[] } } }>("test.yml");
    return jobs.test.steps.flatMap(({ run, if: condition }) => run === undefined || condition !== undefined ? [] : run);
  },
  ".gitlab-ci.yml": () => parse<{ test: { script: string[] } }>(".gitlab-ci.yml").test.script,
};

for (const [path, commandsOf] of Object.entries(JOBS)) {
  Deno.test({
    name: `${PAGE}: the commands of ${path} pass, in a project that has openapi-gw from npm`,
    ignore,
    async fn() {
      const commands = commandsOf();
      assert.equal(commands.length, 4);
      await using registry = await startRegistry((await packages()).npm);
      await using home = await emptyFolder();
      await using project = await createProject(["api.yaml", "package.json", "todos.test.js"]);
      const env = newUser(home.path, registry.url);
      const install = await run(["npm", "install", "--save-dev", "openapi-gw"], { cwd: project.path, env });
      assert.equal(install.code, 0, install.stderr);
      // Replace `npm ci`: it needs the packages of all platforms, and the registry of the tests has only one.
      const own = commands.map((command) => project.withPort(command).replace(/^npm ci$/, "npm install"));
      const ran = await runJob(own, { cwd: project.path, env });
      assert.equal(ran.code, 0, `${ran.stdout}${ran.stderr}`);
      assert.match(ran.stdout, /pass 1\n/);
    },
  });
}

Deno.test({
  name: `${PAGE}: Playwright starts gw and passes`,
  ignore,
  async fn() {
    const exchange = exchanges.find(({ command }) => command === "npx playwright test");
    assert.ok(exchange !== undefined);
    const modules = await installPackages({ "@playwright/test": "1.65.1" });
    await using bin = await folderOf({ gw: executable ?? "" });
    await using project = await createProject(["api.yaml", "playwright.config.mjs", "todos.spec.mjs"]);
    await Deno.symlink(modules, `${project.path}/node_modules`);
    // Run the program that npx would start. Playwright's output depends on CI and on a terminal, so the environment has
    // neither.
    const env = { PATH: bin.searchPath, HOME: project.path, NO_COLOR: "1" };
    const ran = await run(["node", "node_modules/@playwright/test/cli.js", "test"], { cwd: project.path, env });
    assert.match(`${ran.stdout}${ran.stderr}`, patternOf(exchange.output));
  },
});

Deno.test({
  name: `${PAGE}: the command of compose.yaml answers, with its volume`,
  ignore,
  async fn() {
    const { services: { mock } } = parse<Compose>("compose.yaml");
    const [source = "", target = ""] = mock.volumes[0]?.split(":") ?? [];
    assert.equal(source, "./api.yaml");
    await using folder = await emptyFolder({ "api.yaml": files.get("api.yaml") ?? "" });
    await checkContainer(mock.command, target, `${folder.path}/api.yaml`);
  },
});

Deno.test({
  name: `${CONTAINER_PAGE}: the command of compose.yaml answers, in the folder of its volume`,
  ignore,
  async fn() {
    const [compose] = stepsOf(CONTAINER_PAGE, TEST).flatMap((step) => step.kind === "file" ? step.text : []);
    const { services: { mock } } = loadAll(compose ?? "")[0] as Compose;
    const dockerfile = readRepositoryFile("Dockerfile");
    const [, folderOfImage = ""] = /^WORKDIR (.+)$/m.exec(dockerfile) ?? [];
    const [, host = ""] = /^ENV GW_MOCK_HOST=(.+)$/m.exec(dockerfile) ?? [];
    assert.deepEqual(mock.volumes, [`.:${folderOfImage}:ro`]);
    await using folder = await emptyFolder({ "api.yaml": files.get("api.yaml") ?? "" });
    const env = { GW_MOCK_HOST: host };
    await using gw = await startGw({ program: [executable ?? ""], args: mock.command, cwd: folder.path, env });
    await checkAnswers(gw.port);
  },
});

/**
 * Runs the command of a container on this machine, with a local path in place of the mounted one. Sends a request to
 * it.
 */
async function checkContainer(args: readonly string[], mounted: string, path: string): Promise<void> {
  assert.ok(args.some((arg) => arg.startsWith(mounted)), `No argument is below ${mounted}.`);
  const own = args.map((arg) => arg === "8080" ? "0" : arg.replace(mounted, path));
  await using gw = await startGw({ program: [executable ?? ""], args: own });
  await checkAnswers(gw.port);
}

async function checkAnswers(port: number): Promise<void> {
  for (const asked of ["/_gw/health", "/todos"]) {
    const response = await fetch(`http://127.0.0.1:${port}${asked}`);
    assert.equal(response.status, 200, asked);
    await response.body?.cancel();
  }
}

/** The value of the page's first YAML or JSON file whose name ends in `end`. */
function parse<T>(end: string): T {
  const [, text = ""] = [...files].find(([name]) => name.endsWith(end)) ?? [];
  return loadAll(text)[0] as T;
}

/** Makes a folder with files of the page, in which all ports are replaced by a free one. */
async function createProject(names: readonly string[]) {
  const port = unassignedPort();
  const withPort = (text: string): string => text.replaceAll("8080", String(port));
  const folder = await emptyFolder(Object.fromEntries(names.map((name) => [name, withPort(files.get(name) ?? "")])));
  return Object.assign(folder, { withPort });
}

/**
 * Finds a free port below the range of ephemeral ports. While npm installs, no other test can get it by asking for any
 * port.
 */
function unassignedPort(): number {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    try {
      using _listener = Deno.listen({ hostname: "127.0.0.1", port });
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

/** Runs commands one after the other, each in its own shell. Kills processes that still run afterwards. */
async function runJob(commands: readonly string[], options: { cwd: string; env: Record<string, string> }) {
  const steps = commands.map((command) => `bash -e -c ${quote(command)}`).join(" && ");
  // Otherwise such processes would keep the pipes of the output open, and the test would wait for them.
  const all = `trap 'trap "" TERM; kill 0' EXIT; ${steps}`;
  return await run(["setsid", "bash", "-c", all], options);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
