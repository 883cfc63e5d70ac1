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
import { run as runToEnd } from "./programs.ts";
import { hasPython } from "./python_environment.ts";
import { isSkipped } from "./recipe.ts";
import { emptyFolder, newUser, packages, run } from "./support.ts";

const PUBLISH = fileURLToPath(import.meta.resolve("../../scripts/release/publish_npm.sh"));
/** PyPI's program for uploads, and a package index. */
const PYPI = ["twine==6.2.0", "pypiserver==2.4.2"];

/** A registry that packages can be published to. */
interface Publishing extends AsyncDisposable {
  readonly url: string;
  /** The packages that were published, with their tags: `openapi-gw@0.1.0 latest`. */
  readonly published: string[];
}

function startPublishing(): Publishing {
  const published: string[] = [];
  const described = new Map<string, unknown>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const name = decodeURIComponent(new URL(request.url).pathname.slice(1));
    if (request.method !== "PUT") {
      const found = described.get(name);
      return found === undefined ? Response.json({ error: "Not found" }, { status: 404 }) : Response.json(found);
    }
    const sent = await request.json();
    const tags: Record<string, string> = sent["dist-tags"];
    for (const [tag, version] of Object.entries(tags)) published.push(`${name}@${version} ${tag}`);
    described.set(name, sent);
    return Response.json({ ok: true }, { status: 201 });
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  return { url, published, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test({
  name: "publish_npm.sh publishes each package once, also when it is run again",
  ignore: isSkipped("Publishing to npm", hasProgram("jq") && hasProgram("npm"), "bash, jq and npm"),
  async fn() {
    const { npm } = await packages();
    await using registry = startPublishing();
    await using home = await emptyFolder({ ".npmrc": `${registry.url.slice("http:".length)}/:_authToken=test\n` });
    const publish = async (tarballs: readonly string[]): Promise<string> => {
      const env = { ...newUser(home.path, registry.url), TAG: "next" };
      const { code, stdout, stderr } = await run([PUBLISH, ...tarballs], { cwd: home.path, env });
      assert.equal(code, 0, stderr);
      return stdout;
    };
    await publish(npm.slice(0, 1));
    assert.equal(registry.published.length, 1);
    assert.match(registry.published[0] ?? "", /^@?openapi-gw\S*@\d+\.\d+\.\d+ next$/);

    assert.match(await publish(npm), /^\S+ is published already\.$/m);
    assert.equal(new Set(registry.published).size, npm.length);
    assert.equal(registry.published.length, npm.length);
  },
});

Deno.test({
  name: "npm takes each package without a warning",
  ignore: isSkipped("Publishing to npm", hasProgram("npm"), "npm"),
  async fn() {
    const { npm } = await packages();
    await using registry = startPublishing();
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

/** Makes a virtual environment with twine and pypiserver, once. */
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
  let ended = false;
  index.status.then(() => ended = true);
  while (!await fetch(url).then((response) => response.body?.cancel().then(() => true), () => false)) {
    assert.ok(!ended, "pypi-server has ended");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const stop = async (): Promise<void> => {
    index.kill();
    await index.status;
    await folder[Symbol.asyncDispose]();
  };
  return { url, [Symbol.asyncDispose]: stop };
}

Deno.test({
  name: "pip installs the wheels by name from the index to which they were uploaded",
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
  },
});
