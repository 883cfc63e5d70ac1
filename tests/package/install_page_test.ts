import assert from "node:assert/strict";
import { hasProgram } from "../../scripts/program.ts";
import { startRegistry } from "../../scripts/package/registry.ts";
import { TODO } from "../cmd/definitions.ts";
import { startGw } from "../cmd/process.ts";
import { provideExecutable } from "./executable.ts";
import { isSkipped, stepsOf } from "./recipe.ts";
import { emptyFolder, newUser, packages, run } from "./support.ts";

const TEST = "tests/package/install_page_test.ts";

/** The pages that install the package by npm. */
const PAGES = ["docs/install.md", "docs/library.md", "docs/testing.md"];

/** Milliseconds that installing the packages and starting gw may take on a busy machine. */
const INSTALLING = 180_000;

const isPossible = hasProgram("npm") && await provideExecutable() !== undefined;

for (const page of PAGES) {
  const commands = stepsOf(page, TEST).flatMap((step) => step.kind === "script" ? step.text.trim().split("\n") : [])
    .filter((command) => /^(npm install --save-dev|npx) openapi-gw\b/.test(command));

  Deno.test({
    name: `${page}: the commands of npm pass, from an empty cache, with the packages of this clone`,
    ignore: isSkipped(TEST, isPossible, "npm, and an executable for this platform"),
    async fn() {
      assert.ok(commands.length > 0);
      await using registry = await startRegistry((await packages()).npm);
      for (const command of commands) {
        await using home = await emptyFolder();
        await using project = await emptyFolder({ "api.yaml": await Deno.readTextFile(TODO), "package.json": "{}" });
        const shell = { cwd: project.path, env: newUser(home.path, registry.url) };
        if (command.startsWith("npx")) await checkServer(command, shell);
        else await checkInstalled(command, shell);
      }
    },
  });
}

interface Shell {
  cwd: string;
  env: Record<string, string>;
}

/** Checks that a command starts a mock server of api.yaml. */
async function checkServer(command: string, { cwd, env }: Shell): Promise<void> {
  // npx asks before it installs a package, except with `npm_config_yes`.
  const variables = { ...env, GW_MOCK_PORT: "0", npm_config_yes: "true" };
  const program = ["sh", "-c"];
  await using gw = await startGw({
    program,
    args: [`exec ${command}`],
    cwd,
    env: variables,
    ownPort: true,
    timeout: INSTALLING,
  });
  assert.equal((await (await fetch(`${gw.url}/todos`)).json()).length, 2);
  gw.signal("SIGTERM");
  // The signal ends npx at once. Its output ends only when gw has ended too.
  await gw.ended;
}

/** Checks that a command installs the program and the library. */
async function checkInstalled(command: string, shell: Shell): Promise<void> {
  const use = `console.log(typeof (await import("openapi-gw")).createMock)`;
  for (const line of [command, "node_modules/.bin/gw --version", `node --input-type=module -e '${use}'`]) {
    const { code, stdout, stderr } = await run(["sh", "-c", line], shell);
    assert.equal(code, 0, `${line}: ${stderr}`);
    if (line.startsWith("node ")) assert.equal(stdout, "function\n");
  }
}
