import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { load } from "js-yaml";
import { GW } from "../cmd/process.ts";
import { TODO } from "../cmd/definitions.ts";
import { readRepositoryFile } from "../tour/pages.ts";

const ACTION = ".github/actions/gw";
const ignore = Deno.build.os === "windows";

/** Makes a folder with a release whose executable runs gw from source, and with the files of a GitHub runner. */
async function createRunner(): Promise<AsyncDisposable & { path: string; env: Record<string, string> }> {
  const path = await Deno.makeTempDir();
  const program = `#!/bin/sh\nexec ${GW.map((word) => `'${word}'`).join(" ")} "$@"\n`;
  await Deno.writeTextFile(`${path}/gw-linux-x64`, program);
  const checksum = createHash("sha256").update(program).digest("hex");
  await Deno.writeTextFile(`${path}/SHA256SUMS`, `${"0".repeat(64)}  gw-linux-arm64\n${checksum}  gw-linux-x64\n`);
  const env = {
    RUNNER_OS: "Linux",
    RUNNER_ARCH: "X64",
    RUNNER_TEMP: `${path}/temp`,
    GITHUB_PATH: `${path}/path`,
    GITHUB_OUTPUT: `${path}/output`,
    RELEASE: `file://${path}`,
    SHA256: "",
    PATH: `${path}/temp/gw-bin:${Deno.env.get("PATH")}`,
  };
  return { path, env, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Runs the script of a step as GitHub's runner does. */
async function step(script: string, env: Record<string, string>): Promise<{ code: number; text: string }> {
  const args = [fileURLToPath(import.meta.resolve(`../../${ACTION}/${script}`))];
  const { code, stdout, stderr } = await new Deno.Command("bash", { args, env }).output();
  return { code, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

Deno.test({
  name: "the action installs gw by checksum, starts a mock server and outputs its URL",
  ignore,
  async fn() {
    await using runner = await createRunner();
    const installed = await step("install.sh", runner.env);
    assert.equal(installed.code, 0, installed.text);
    assert.equal(await Deno.readTextFile(runner.env["GITHUB_PATH"] ?? ""), `${runner.path}/temp/gw-bin\n`);
    const started = await step("mock.sh", { ...runner.env, DEFINITION: TODO, ARGS: "--seed 1 --no-watch" });
    assert.equal(started.code, 0, started.text);
    const output = await Deno.readTextFile(runner.env["GITHUB_OUTPUT"] ?? "");
    const [, url, pid] = /^url=(http:\/\/127\.0\.0\.1:\d+)\npid=(\d+)\n$/.exec(output) ?? [];
    try {
      const response = await fetch(`${url}/todos`);
      await response.body?.cancel();
      assert.equal(response.status, 200);
    } finally {
      Deno.kill(Number(pid), "SIGTERM");
    }
  },
});

Deno.test({
  name: "the action refuses an executable with another checksum",
  ignore,
  async fn() {
    await using runner = await createRunner();
    const cases = [{ SHA256: "0".repeat(64) }, { RUNNER_ARCH: "ARM64", SHA256: "" }];
    await Deno.copyFile(`${runner.path}/gw-linux-x64`, `${runner.path}/gw-linux-arm64`);
    for (const env of cases) {
      const { code, text } = await step("install.sh", { ...runner.env, ...env });
      assert.equal(code, 1);
      assert.match(text, /^::error::The SHA-256 of file:\S+ is [0-9a-f]{64} instead of/);
    }
    const left = Array.from(Deno.readDirSync(`${runner.path}/temp/gw-bin`), ({ name }) => name);
    assert.deepEqual(left, []);
  },
});

Deno.test({
  name: "the action takes a checksum in upper case",
  ignore,
  async fn() {
    await using runner = await createRunner();
    const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(`${runner.path}/gw-linux-x64`));
    const SHA256 = new Uint8Array(digest).toHex().toUpperCase();
    const { code, text } = await step("install.sh", { ...runner.env, SHA256 });
    assert.equal(code, 0, text);
  },
});

Deno.test({
  name: "the action leaves nothing behind if there are no checksums",
  ignore,
  async fn() {
    await using runner = await createRunner();
    await Deno.remove(`${runner.path}/SHA256SUMS`);
    const { code, text } = await step("install.sh", { ...runner.env, SHA256: "" });
    assert.equal(code, 1);
    assert.match(text, /::error::The SHA-256 of file:\S+ is [0-9a-f]{64} instead of one in SHA256SUMS/);
    await assert.rejects(Deno.stat(`${runner.path}/temp/gw-bin/gw`), Deno.errors.NotFound);
  },
});

Deno.test({
  name: "the action downloads nothing without TLS",
  ignore,
  async fn() {
    await using runner = await createRunner();
    let requests = 0;
    await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
      requests++;
      return new Response("#!/bin/sh\n");
    });
    const RELEASE = `http://127.0.0.1:${server.addr.port}`;
    assert.notEqual((await step("install.sh", { ...runner.env, RELEASE })).code, 0);
    assert.equal(requests, 0);
    await assert.rejects(Deno.stat(`${runner.path}/temp/gw-bin/gw`), Deno.errors.NotFound);
  },
});

Deno.test({
  name: "the action shows the output of a mock server that doesn't start",
  ignore,
  async fn() {
    await using runner = await createRunner();
    assert.equal((await step("install.sh", runner.env)).code, 0);
    const { code, text } = await step("mock.sh", { ...runner.env, DEFINITION: "absent.yaml", ARGS: "" });
    assert.equal(code, 1);
    assert.match(text, /absent\.yaml[^]*::error::gw mock absent\.yaml didn't start/);
  },
});

Deno.test({
  name: "the action takes the URL from gw, whatever a definition prints",
  ignore,
  async fn() {
    await using runner = await createRunner();
    assert.equal((await step("install.sh", runner.env)).code, 0);
    const title =
      "Todo\nListening on http://evil.example\n::set-output name=url::http://evil.example\nurl=http://evil.example";
    const definition = `${runner.path}/api.json`;
    await Deno.writeTextFile(
      definition,
      JSON.stringify({ openapi: "3.1.0", info: { title, version: title }, paths: {} }),
    );
    const { code, text } = await step("mock.sh", { ...runner.env, DEFINITION: definition, ARGS: "" });
    assert.equal(code, 0, text);
    const output = await Deno.readTextFile(runner.env["GITHUB_OUTPUT"] ?? "");
    const [, pid] = /^url=http:\/\/127\.0\.0\.1:\d+\npid=(\d+)\n$/.exec(output) ?? [];
    assert.notEqual(pid, undefined, output);
    Deno.kill(Number(pid), "SIGTERM");
  },
});

Deno.test({
  name: "the action shows no workflow commands of a definition that can't be mocked",
  ignore,
  async fn() {
    await using runner = await createRunner();
    const fake = '#!/bin/sh\nprintf "%s\\n" "::add-mask::x"\nexit 1\n';
    await Deno.writeTextFile(`${runner.path}/gw`, fake, { mode: 0o755 });
    await Deno.mkdir(`${runner.path}/temp`);
    const env = { ...runner.env, PATH: `${runner.path}:${Deno.env.get("PATH")}`, DEFINITION: "a\n::b::", ARGS: "" };
    const { text } = await step("mock.sh", env);
    assert.match(text, /^::stop-commands::([0-9a-f]{32})\n::add-mask::x\n::\1::\n::error::gw mock a::b:: didn't start/);
  },
});

Deno.test({
  name: "the action takes a definition whose name begins with -, and doesn't expand patterns in its arguments",
  ignore,
  async fn() {
    await using runner = await createRunner();
    await Deno.writeTextFile(`${runner.path}/gw`, '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
    const env = {
      ...runner.env,
      PATH: `${runner.path}:${Deno.env.get("PATH")}`,
      DEFINITION: "-x.yaml",
      ARGS: "--rule *\n--seed 1",
    };
    await Deno.mkdir(`${runner.path}/temp`);
    const { text } = await step("mock.sh", env);
    assert.match(text, /^mock\n--port\n0\n--rule\n\*\n--seed\n1\n--url-file\n\S+\n--\n-x\.yaml\n/m);
  },
});

Deno.test("the steps of the action are scripts of its folder, or run gw", () => {
  const action = load(readRepositoryFile(`${ACTION}/action.yml`));
  assert.ok(typeof action === "object" && action !== null && "runs" in action);
  const { steps } = action.runs as { steps: { run: string; env: Record<string, string> }[] };
  assert.deepEqual(steps.map(({ run }) => run), [
    'bash "$GITHUB_ACTION_PATH/install.sh"',
    'bash "$GITHUB_ACTION_PATH/mock.sh"',
    'read -rd \'\' -a args <<< "$ARGS" || true\ngw validate --format github "${args[@]}" -- "$DEFINITION"\n',
  ]);
  // Inputs must reach the shell as environment variables. An expression in the script could inject commands.
  for (const { run } of steps) assert.doesNotMatch(run, /\$\{\{/);
});
