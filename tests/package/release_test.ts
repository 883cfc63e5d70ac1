/**
 * Tests the packages as the release workflow publishes them.
 *
 * @module
 */
import assert from "node:assert/strict";
import { hasProgram } from "../../scripts/program.ts";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { makeOnce } from "../../scripts/cache.ts";
import { run as runToEnd } from "./programs.ts";
import { hasPython } from "./python_environment.ts";
import { isSkipped } from "./recipe.ts";
import { emptyFolder, newUser, packages, run } from "./support.ts";

const PUBLISH = fileURLToPath(import.meta.resolve("../../scripts/release/publish_npm.sh"));
const TWINE = "twine==6.2.0";

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

Deno.test({
  name: "PyPI's twine takes each wheel",
  ignore: isSkipped("The check of wheels", await hasPython(), "Python 3.9 or later with its venv"),
  async fn() {
    const twine = await makeOnce("python", "twine", [TWINE], async (folder) => {
      await runToEnd("python3", ["-m", "venv", folder]);
      await runToEnd(`${folder}/bin/python`, ["-m", "pip", "--quiet", "--disable-pip-version-check", "install", TWINE]);
    });
    const { pypi } = await packages();
    assert.ok(pypi.length > 0);
    await runToEnd(`${twine}/bin/twine`, ["check", "--strict", ...pypi]);
  },
});
