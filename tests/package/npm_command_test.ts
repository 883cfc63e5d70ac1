import assert from "node:assert/strict";
import { dirname } from "node:path";
import { cacheFolder } from "../../scripts/cache.ts";
import { npmNameOf, PLATFORMS } from "../../scripts/package/names.ts";
import { startRegistry } from "../../scripts/package/registry.ts";
import { VERSION } from "../../scripts/package/stamp.ts";
import { runGw, startGw, type StartOptions } from "../cmd/process.ts";
import { emptyFolder, installFrom, newUser, packages, run } from "./support.ts";

const TODO = await Deno.readTextFile(new URL("../data/todo.yaml", import.meta.url));
const BROKEN = "openapi: 3.1.0\ninfo: {title: Broken, version: 1.0.0}\npaths: {/pets: {get: {responses: 200}}}\n";
const ITEMS = [{ id: 1, title: "Buy milk", done: false }, { id: 2, title: "Feed the cat", done: true }];

/** Milliseconds that installing the packages and starting gw may take on a busy machine. */
const INSTALLING = 180_000;

/** The name of the package that contains the executable for this platform. */
const OWN = PLATFORMS.filter(({ target }) => target === Deno.build.target).map(npmNameOf)[0];

Deno.test("npx openapi-gw mock api.yaml answers, from an empty folder and an empty cache, and leaves no process", async () => {
  await using registry = await startRegistry((await packages()).npm);
  await using folder = await emptyFolder({ "api.yaml": TODO });
  await using home = await emptyFolder();
  await using gw = await startGw({
    program: ["npx", "--yes", "openapi-gw"],
    args: ["mock", "api.yaml"],
    cwd: folder.path,
    env: newUser(home.path, registry.url),
    timeout: INSTALLING,
  });
  await answersAt(gw.url);
  // The signal ends npx at once. Its output ends only when gw has ended too.
  gw.signal("SIGTERM");
  await gw.ended;
  await assert.rejects(fetch(gw.url));
});

Deno.test("deno run -A npm:openapi-gw answers, with an empty cache", async () => {
  await using registry = await startRegistry((await packages()).npm);
  await using folder = await emptyFolder({ "api.yaml": TODO });
  await using cache = await emptyFolder();
  await using gw = await startGw({
    program: [Deno.execPath(), "run", "-A", "npm:openapi-gw"],
    args: ["mock", "api.yaml"],
    cwd: folder.path,
    env: { DENO_DIR: cache.path, NPM_CONFIG_REGISTRY: registry.url },
    timeout: INSTALLING,
  });
  await answersAt(gw.url);
  gw.signal("SIGTERM");
  assert.equal((await gw.ended).code, 0);
});

Deno.test("The command of an installed package", async (t) => {
  await using folder = await emptyFolder({ "api.yaml": TODO, "broken.yaml": BROKEN });
  await installFrom(folder.path, ["openapi-gw"]);
  await using path = await pathWithNodeOnly();
  const bin = `${folder.path}/node_modules/.bin`;
  const gw = { program: [`${bin}/gw`], cwd: folder.path, env: { PATH: path.path } };
  const stamped = await run([`${folder.path}/node_modules/${OWN}/bin/gw`, "--version"], { cwd: folder.path, env: {} });

  await t.step("--version is that of the executable, with the commit", async () => {
    assert.match(stamped.stdout, new RegExp(`^gw ${VERSION} \\([0-9a-f]{7}(-dirty)?\\)\n$`));
    for (const name of ["gw", "openapi-gw"]) {
      const { code, stdout } = await runGw({ ...gw, program: [`${bin}/${name}`], args: ["--version"] });
      assert.deepEqual({ code, stdout }, { code: 0, stdout: stamped.stdout });
    }
    for (const name of ["openapi-gw", OWN]) {
      const { version, gitHead } = JSON.parse(
        await Deno.readTextFile(`${folder.path}/node_modules/${name}/package.json`),
      );
      assert.equal(`gw ${version} (${gitHead})\n`, stamped.stdout);
    }
  });
  await t.step("no package has scripts, such as install scripts, or dependencies that aren't optional", async () => {
    for (const name of ["openapi-gw", OWN]) {
      const manifest = JSON.parse(await Deno.readTextFile(`${folder.path}/node_modules/${name}/package.json`));
      assert.deepEqual([manifest.scripts, manifest.dependencies], [undefined, undefined]);
    }
  });
  await t.step("signals end a server with exit code 0", () => endsBySignal(gw));
  await t.step("exit codes are those of gw", () => passesExitCodes(gw));
  await t.step("standard input is passed on", () => readsInput(gw));

  // A `PATH` with the Deno that runs these tests.
  const fallback = { ...gw, env: { PATH: `${path.path}:${dirname(Deno.execPath())}` } };
  // As on a system with musl: some package managers install the package all the same, and the loader isn't there.
  await Deno.writeTextFile(`${folder.path}/node_modules/${OWN}/bin/gw`, "#!/no/such/loader\n");
  await t.step("an executable that can't be started is named", async () => {
    const { code, stderr } = await runGw({ ...gw, args: ["--version"] });
    assert.equal(code, 3);
    assert.match(stderr, /^Cannot start \S+\/bin\/gw: spawn .* ENOENT\.\n$/);
  });
  await t.step("with musl it says how to install Deno instead", async () => {
    const musl = `${folder.path}/musl.cjs`;
    await Deno.writeTextFile(musl, "process.report.getReport = () => ({ header: {} });");
    const env = { ...gw.env, NODE_OPTIONS: `--require ${musl}` };
    const { code, stderr } = await runGw({ ...gw, env, args: ["--version"] });
    assert.equal(code, 3);
    assert.match(
      stderr,
      /^There is no executable of gw for linux-\w+ with musl, and no Deno to run it with\.\nInstall/,
    );
  });
  await t.step("Deno runs the bundle where the executable can't be started", async () => {
    assert.equal((await runGw({ ...fallback, args: ["--version"] })).stdout, stamped.stdout);
    await endsBySignal(fallback);
  });

  await Deno.remove(`${folder.path}/node_modules/${OWN}`, { recursive: true });
  await t.step("without the executable it says what to install", async () => {
    const { code, stdout, stderr } = await runGw({ ...gw, args: ["mock", "api.yaml"] });
    assert.deepEqual({ code, stdout }, { code: 3, stdout: "" });
    assert.equal(
      stderr,
      `The executable of gw is missing: the package ${OWN} isn't installed, as with --omit=optional.\n` +
        `Install it: npm install openapi-gw@${VERSION} ${OWN}@${VERSION}\n`,
    );
  });
  await t.step("on a platform without an executable it says how to install Deno", async () => {
    const freebsd = `${folder.path}/freebsd.cjs`;
    await Deno.writeTextFile(freebsd, `Object.defineProperty(process, "platform", { value: "freebsd" });`);
    const env = { ...gw.env, NODE_OPTIONS: `--require ${freebsd}` };
    const { code, stderr } = await runGw({ ...gw, env, args: ["mock", "api.yaml"] });
    assert.equal(code, 3);
    assert.match(stderr, /^There is no executable of gw for freebsd-\w+, and no Deno to run it with\.\nInstall Deno/);
  });
  await t.step("without the executable Deno runs the bundle, of the same version", async () => {
    const { stdout } = await runGw({ ...fallback, args: ["--version"] });
    assert.equal(stdout, stamped.stdout);
  });
  await t.step("signals end a server that Deno runs with exit code 0", () => endsBySignal(fallback));
  await t.step("exit codes of the bundle are those of gw", () => passesExitCodes(fallback));
  await t.step("standard input is passed on to the bundle", () => readsInput(fallback));
});

Deno.test("The npm package deno runs the bundle where there is no executable", async () => {
  await using folder = await emptyFolder({ "api.yaml": TODO });
  // Deno's package has 40 MB, so this installation shares a cache instead of using an empty one.
  await installFrom(folder.path, ["openapi-gw", "deno@2.9.6"], { cache: `${cacheFolder()}/package/npm` });
  await Deno.remove(`${folder.path}/node_modules/${OWN}`, { recursive: true });
  await using path = await pathWithNodeOnly();
  await endsBySignal({ program: [`${folder.path}/node_modules/.bin/gw`], cwd: folder.path, env: { PATH: path.path } });
});

type Gw = Pick<StartOptions, "program" | "cwd" | "env">;

async function endsBySignal(gw: Gw): Promise<void> {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    await using server = await startGw({ ...gw, args: ["mock", "api.yaml"], timeout: INSTALLING });
    await answersAt(server.url);
    server.signal(signal);
    assert.equal((await server.ended).code, 0, signal);
  }
}

async function passesExitCodes(gw: Gw): Promise<void> {
  const cases = [
    { args: ["validate", "api.yaml"], want: 0 },
    { args: ["validate", "broken.yaml"], want: 1 },
    { args: ["validate", "--no-such-flag"], want: 2 },
  ];
  for (const { args, want } of cases) assert.equal((await runGw({ ...gw, args })).code, want, args.join(" "));
}

async function readsInput(gw: Gw): Promise<void> {
  const { code, stdout } = await runGw({ ...gw, args: ["validate", "-"], stdin: BROKEN });
  assert.equal(code, 1, stdout);
}

async function answersAt(url: string): Promise<void> {
  const response = await fetch(`${url}/todos`);
  assert.deepEqual([response.status, response.headers.get("x-svc-mocked")], [200, "true"]);
  assert.deepEqual(await response.json(), ITEMS);
}

/** Makes a folder for `PATH` that contains Node but not Deno. */
async function pathWithNodeOnly(): Promise<{ readonly path: string } & AsyncDisposable> {
  const folder = await emptyFolder();
  const { stdout } = await new Deno.Command("node", { args: ["-p", "process.execPath"] }).output();
  await Deno.symlink(new TextDecoder().decode(stdout).trim(), `${folder.path}/node`);
  return folder;
}
