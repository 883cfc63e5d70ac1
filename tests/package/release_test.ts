/**
 * Tests the packages as the release workflow publishes them.
 *
 * @module
 */
import assert from "node:assert/strict";
import { hasProgram } from "../../scripts/program.ts";
import { freePort } from "../free_port.ts";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { makeOnce } from "../../scripts/cache.ts";
import { PYPI_NAME } from "../../scripts/package/names.ts";
import { configuredRegistry } from "../../scripts/package/registry.ts";
import { run as runToEnd } from "./programs.ts";
import { hasPython } from "./python_environment.ts";
import { isSkipped } from "./recipe.ts";
import { emptyFolder, newUser, packages, run } from "./support.ts";

const PUBLISH = fileURLToPath(import.meta.resolve("../../scripts/release/publish_npm.sh"));
/** PyPI's program for uploads, a package index, and programs that run packages without an installation. */
const PYPI = ["twine==6.2.0", "pypiserver==2.4.2", "pipx==1.18.4", "uv==0.13.9"];

/** A registry of npm. One of its dependencies is named by a tag that mirrors of npm may lack. */
const VERDACCIO = { dependencies: { verdaccio: "6.8.0" }, overrides: { "node-fetch": "2.7.0" } };

/** A registry that packages can be published to. */
interface Publishing extends AsyncDisposable {
  readonly url: string;
  /** The line of an .npmrc with the token of an account. */
  readonly token: string;
}

/** Starts an empty registry. It asks the configured one for the packages of others. */
async function startPublishing(): Promise<Publishing> {
  const installed = await makeOnce("npm-registry", "verdaccio", [JSON.stringify(VERDACCIO)], async (folder) => {
    await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify(VERDACCIO));
    await runToEnd("npm", ["install", "--no-audit", "--no-fund"], folder);
  });
  const own = { access: "$all", publish: "$authenticated" };
  const folder = await emptyFolder({
    // YAML includes JSON.
    "config.yaml": JSON.stringify({
      storage: "./storage",
      auth: { htpasswd: { file: "./htpasswd" } },
      uplinks: { npm: { url: await configuredRegistry() } },
      packages: { "openapi-gw": own, "@openapi-gw/*": own, "**": { access: "$all", proxy: "npm" } },
      max_body_size: "300mb",
    }),
  });
  const port = freePort();
  const program = `${installed}/node_modules/verdaccio/bin/verdaccio`;
  const server = new Deno.Command("node", {
    args: [program, "--config", `${folder.path}/config.yaml`, "--listen", `127.0.0.1:${port}`],
    stdout: "null",
    stderr: "null",
  }).spawn();
  const url = `http://127.0.0.1:${port}`;
  await answerOf(url, server);
  const account = { name: "test", password: "secret-of-test" };
  const response = await fetch(`${url}/-/user/org.couchdb.user:test`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(account),
  });
  const { token } = await response.json();
  const stop = async (): Promise<void> => {
    server.kill();
    await server.status;
    await folder[Symbol.asyncDispose]();
  };
  return { url, token: `${url.slice("http:".length)}/:_authToken=${token}\n`, [Symbol.asyncDispose]: stop };
}

/** Waits until a server answers. */
async function answerOf(url: string, server: Deno.ChildProcess): Promise<void> {
  let ended = false;
  server.status.then(() => ended = true);
  while (!await fetch(url).then((response) => response.body?.cancel().then(() => true), () => false)) {
    assert.ok(!ended, `the server for ${url} has ended`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

Deno.test({
  name: "publish_npm.sh publishes each package once, also when it is run again; npx finds them by name",
  ignore: isSkipped("Publishing to npm", hasProgram("jq") && hasProgram("npm"), "bash, jq and npm"),
  async fn() {
    const { npm } = await packages();
    await using registry = await startPublishing();
    await using home = await emptyFolder({ ".npmrc": registry.token });
    const publish = async (tarballs: readonly string[]): Promise<string[]> => {
      const env = { ...newUser(home.path, registry.url), TAG: "next" };
      const { code, stdout, stderr } = await run([PUBLISH, ...tarballs], { cwd: home.path, env });
      assert.equal(code, 0, stderr);
      return stdout.trim().split("\n");
    };
    const [first = "", ...others] = await publish(npm.slice(0, 1));
    assert.match(first, /^\+ @?openapi-gw\S*@\d+\.\d+\.\d+$/);
    assert.deepEqual(others, []);
    const again = await publish(npm);
    assert.equal(again[0], `${first.slice(2)} is published already.`);
    assert.equal(again.filter((line) => line.startsWith("+ ")).length, npm.length - 1);

    await using user = await emptyFolder();
    const env = newUser(user.path, registry.url);
    const { code, stdout, stderr } = await run(["npx", "--yes", "openapi-gw@next", "--version"], {
      cwd: user.path,
      env,
    });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^gw \d/);
  },
});

Deno.test({
  name: "npm takes each package without a warning",
  ignore: isSkipped("Publishing to npm", hasProgram("npm"), "npm"),
  async fn() {
    const { npm } = await packages();
    await using registry = await startPublishing();
    await using home = await emptyFolder();
    for (const tarball of npm) {
      const command = ["npm", "publish", tarball, "--dry-run", "--access", "public", "--tag", "latest"] as const;
      const { code, stderr } = await run(command, { cwd: home.path, env: newUser(home.path, registry.url) });
      const warnings = stderr.split("\n").filter((line) => /^npm (warn|error)/.test(line))
        // A dry run needs no account, so ignore this warning.
        .filter((line) => !line.includes("requires you to be logged in"));
      assert.deepEqual({ code, warnings }, { code: 0, warnings: [] }, basename(tarball));
    }
  },
});

/** Makes a virtual environment with these programs, once. */
function pypiTools(): Promise<string> {
  return makeOnce("python", "pypi", PYPI, async (folder) => {
    await runToEnd("python3", ["-m", "venv", folder]);
    await runToEnd(`${folder}/bin/python`, ["-m", "pip", "--quiet", "--disable-pip-version-check", "install", ...PYPI]);
  });
}

const noPython = isSkipped("Publishing to PyPI", await hasPython(), "Python 3.9 or later with its venv");

Deno.test({
  name: "PyPI's twine takes each wheel",
  ignore: noPython,
  async fn() {
    const { pypi } = await packages();
    assert.ok(pypi.length > 0);
    await runToEnd(`${await pypiTools()}/bin/twine`, ["check", "--strict", ...pypi]);
  },
});

/** Starts an empty package index that takes uploads from anyone. */
async function startIndex(): Promise<{ url: string } & AsyncDisposable> {
  const folder = await emptyFolder();
  const port = freePort();
  const args = ["run", "--interface", "127.0.0.1", "--port", `${port}`, "--disable-fallback", folder.path];
  const index = new Deno.Command(`${await pypiTools()}/bin/pypi-server`, {
    args: [...args, ...["--passwords", ".", "--authenticate", "."]],
    stdout: "null",
    stderr: "null",
  }).spawn();
  const url = `http://127.0.0.1:${port}`;
  await answerOf(url, index);
  const stop = async (): Promise<void> => {
    index.kill();
    await index.status;
    await folder[Symbol.asyncDispose]();
  };
  return { url, [Symbol.asyncDispose]: stop };
}

Deno.test({
  name: "pip, pipx and uvx find the wheels by name in the index to which they were uploaded",
  ignore: noPython,
  async fn() {
    const tools = await pypiTools();
    const { pypi } = await packages();
    await using index = await startIndex();
    await using folder = await emptyFolder();
    const account = ["--username", "test", "--password", "test"];
    const upload = ["upload", "--non-interactive", "--repository-url", index.url, ...account, ...pypi];
    await runToEnd(`${tools}/bin/twine`, upload);

    await runToEnd("python3", ["-m", "venv", "--without-pip", folder.path]);
    const pip = ["-m", "pip", "--isolated", "--disable-pip-version-check", "--python", `${folder.path}/bin/python`];
    const from = ["--no-cache-dir", "--index-url", `${index.url}/simple/`];
    await runToEnd(`${tools}/bin/python`, [...pip, "install", ...from, PYPI_NAME]);
    for (const command of ["gw", "openapi-gw"]) {
      assert.match(await runToEnd(`${folder.path}/bin/${command}`, ["--version"]), /^gw \d/);
    }

    await using home = await emptyFolder();
    const env = {
      PATH: `${tools}/bin:${Deno.env.get("PATH")}`,
      HOME: home.path,
      // pipx takes packages by uv, where it is installed.
      UV_DEFAULT_INDEX: `${index.url}/simple/`,
    };
    for (const [program, ...args] of [["pipx", "run"], ["uvx"]]) {
      const command = [`${tools}/bin/${program}`, ...args, PYPI_NAME, "--version"] as const;
      const { stdout, stderr } = await run(command, { cwd: home.path, env });
      assert.match(stdout, /^gw \d/, stderr);
    }
  },
});
