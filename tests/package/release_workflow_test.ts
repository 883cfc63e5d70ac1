/**
 * Runs the release workflow by act, in a repository of the workflow and its scripts. Stand-ins for the programs that
 * publish write their arguments to a log, and stand-ins for the actions of others copy files on this machine.
 *
 * @module
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { makeOnce } from "../../scripts/cache.ts";
import { provideGo } from "../../scripts/cluster/tools.ts";
import { executableOf, PLATFORMS } from "../../scripts/package/names.ts";
import { hasProgram } from "../../scripts/program.ts";
import { readRepositoryFile } from "../tour/pages.ts";
import { emptyFolder, run } from "./support.ts";
import { run as runToEnd } from "./programs.ts";
import { isSkipped } from "./recipe.ts";

const ROOT = fileURLToPath(import.meta.resolve("../../"));
const WORKFLOW = ".github/workflows/release.yml";
const ACT = "github.com/nektos/act@v0.2.89";
const IMAGE = "registry.example/owner/gw";
const DIGEST = `sha256:${"d".repeat(64)}`;
const EXECUTABLES = PLATFORMS.map(executableOf);

/** The files that the steps of the workflow read, besides those that the stand-ins make. */
const FILES = [WORKFLOW, "scripts/release.ts", "scripts/package/names.ts"];

const go = await provideGo("1.25.0", ROOT).catch(() => undefined);
const programs = ["bash", "git", "jq", "tar", "sha256sum"];
const isPossible = Deno.build.os === "linux" && go !== undefined && programs.every(hasProgram);
const ignore = isSkipped("The release workflow", isPossible, `Linux, Go 1.25 or later, ${programs.join(", ")}`);

/** A program that writes its name and arguments to the log. */
const LOGGED = '#!/bin/sh\necho "$(basename "$0") $*" >> "$LOG"\n';

/** Stand-ins for programs. */
const PROGRAMS: Readonly<Record<string, string>> = {
  cosign: LOGGED,
  docker: LOGGED,
  sudo: LOGGED,
  gh: `${LOGGED}[ "$2" != view ] || exit 1
sed -n 's/.*InstallerUrl: /installer /p' dist/openapi-gw.gw.installer.yaml >> "$LOG"
`,
  npm: `${LOGGED}[ "$1" = publish ] || [ "$1" = ci ]\n`,
  deno: `${LOGGED}case "$*" in
*"task compile all") mkdir dist; for name in ${EXECUTABLES.join(" ")}; do echo "$name" > "dist/$name"; done ;;
*"task package "*)
  mkdir -p dist/npm/package dist/pypi
  cd dist/npm
  for name in openapi-gw openapi-gw-linux-x64; do
    echo "{\\"name\\":\\"$name\\",\\"version\\":\\"1.0.0\\"}" > package/package.json
    tar -czf "$name-1.0.0.tgz" package
  done ;;
*scripts/release.ts) exec '${Deno.execPath()}' "$@" ;;
esac
`,
};

/** Stand-ins for the actions of others: what their step runs, and their outputs. */
const ACTIONS: Readonly<Record<string, { run: string; outputs?: readonly string[] }>> = {
  "actions/checkout": { run: "true" },
  "actions/setup-node": { run: "true" },
  "actions/upload-artifact": { run: 'mkdir "$STORE/$NAME" && cp $PATHS "$STORE/$NAME" && chmod 644 "$STORE/$NAME"/*' },
  "actions/download-artifact": { run: 'mkdir -p "$PATHS" && cp "$STORE/$NAME"/* "$PATHS"' },
  "docker/setup-buildx-action": { run: "true" },
  "docker/build-push-action": {
    run: [
      'ls "$CONTEXT"/dist/image/*/gw | sed "s/^/image has /" >> "$LOG"',
      'for word in $TAGS $LABELS $PLATFORMS; do echo "image $word" >> "$LOG"; done',
      `echo "digest=${DIGEST}" >> "$GITHUB_OUTPUT"`,
    ].join("\n"),
    outputs: ["digest"],
  },
  "sigstore/cosign-installer": { run: "true" },
  "pypa/gh-action-pypi-publish": { run: 'echo "pypi $DIR" >> "$LOG"' },
};

/** The inputs of the stand-ins, as environment variables. */
const INPUTS = {
  NAME: "name",
  PATHS: "path",
  CONTEXT: "context",
  TAGS: "tags",
  LABELS: "labels",
  PLATFORMS: "platforms",
  DIR: "packages-dir",
};

/** The text of action.yml: YAML includes JSON. */
function actionOf({ run, outputs = [] }: { run: string; outputs?: readonly string[] }): string {
  const described = (names: readonly string[], rest: (name: string) => object): object =>
    Object.fromEntries(names.map((name) => [name, { description: name, ...rest(name) }]));
  return JSON.stringify({
    name: "Stand-in",
    description: "Stand-in",
    inputs: described(Object.values(INPUTS), () => ({})),
    outputs: described(outputs, (name) => ({ value: `\${{ steps.own.outputs.${name} }}` })),
    runs: {
      using: "composite",
      steps: [{
        id: "own",
        shell: "bash",
        env: Object.fromEntries(Object.entries(INPUTS).map(([key, name]) => [key, `\${{ inputs.${name} }}`])),
        run,
      }],
    },
  });
}

/** Runs the workflow for a version of deno.json and a tag. */
async function release(version: string, tag: string): Promise<{ code: number; log: string[]; output: string }> {
  const act = await makeOnce("act", "act", [ACT], async (folder) => {
    await runToEnd("env", [`GOBIN=${folder}`, "CGO_ENABLED=0", go ?? "", "install", ACT]);
  });
  await using folder = await emptyFolder({
    "event.json": JSON.stringify({ ref: `refs/tags/${tag}`, repository: { full_name: "owner/gw" } }),
    log: "",
  });
  const { path } = folder;
  for (const name of ["bin", "store"]) await Deno.mkdir(`${path}/${name}`);
  for (const [name, text] of Object.entries(PROGRAMS)) {
    await Deno.writeTextFile(`${path}/bin/${name}`, text, { mode: 0o755 });
  }
  const repository = `${path}/repository`;
  const scripts = Array.from(Deno.readDirSync(`${ROOT}scripts/release`), ({ name }) => `scripts/release/${name}`);
  for (const file of [...FILES, ...scripts]) {
    await Deno.mkdir(`${repository}/${file}`.replace(/\/[^/]+$/, ""), { recursive: true });
    await Deno.copyFile(`${ROOT}${file}`, `${repository}/${file}`);
  }
  await Deno.writeTextFile(`${repository}/deno.json`, JSON.stringify({ version }));
  await runToEnd("git", ["init", "--quiet", repository]);
  await runToEnd("git", ["-C", repository, "remote", "add", "origin", "https://github.com/owner/gw"]);
  const commit = ["-c", "user.name=A", "-c", "user.email=a@a.test", "commit", "--quiet", "--message", "A"];
  for (const args of [["add", "."], commit]) await runToEnd("git", ["-C", repository, ...args]);

  const actions = new Set(
    Array.from(readRepositoryFile(WORKFLOW).matchAll(/\buses: (\S+)/g), ([, used = ""]) => used),
  );
  const local: string[] = [];
  for (const used of actions) {
    const [name = ""] = used.split("@");
    const action = ACTIONS[name];
    assert.ok(action !== undefined, `${name} has a stand-in`);
    await Deno.mkdir(`${path}/actions/${name}`, { recursive: true });
    await Deno.writeTextFile(`${path}/actions/${name}/action.yml`, actionOf(action));
    local.push("--local-repository", `${used}=${path}/actions/${name}`);
  }
  const search = `${path}/bin:${Deno.env.get("PATH")}`;
  const variables = { PATH: search, LOG: `${path}/log`, STORE: `${path}/store`, DENO_NO_UPDATE_CHECK: "1" };
  const { code, stdout, stderr } = await run([
    `${act}/act`,
    ...["push", "--workflows", WORKFLOW, "--eventpath", `${path}/event.json`, "--pull=false", "--no-cache-server"],
    // The steps run on this machine, and no container starts.
    ...["--platform", "ubuntu-latest=-self-hosted", "--container-daemon-socket", "-"],
    ...["--matrix", "runner:ubuntu-latest", "--secret", "GITHUB_TOKEN=secret-token", "--var", `IMAGE=${IMAGE}`],
    ...Object.entries(variables).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
    ...local,
  ], { cwd: repository, env: { PATH: search, HOME: path } });
  const log = (await Deno.readTextFile(`${path}/log`)).trim().split("\n");
  return { code, log, output: stdout + stderr };
}

const CASES = [
  { version: "1.2.3", prerelease: false, tag: "latest" },
  { version: "1.2.3-rc.1", prerelease: true, tag: "next" },
];

for (const { version, prerelease, tag } of CASES) {
  Deno.test({
    name: `the workflow releases ${version} with all files, an image that it signs, and packages tagged ${tag}`,
    ignore,
    async fn() {
      const { code, log, output } = await release(version, `v${version}`);
      assert.equal(code, 0, output);
      const linesOf = (name: string): string[] => log.filter((line) => line.startsWith(`${name} `));
      const created = linesOf("gh").find((line) => line.startsWith("gh release create"));
      const manifests = ["installer.", "locale.en-US.", ""].map((part) => `openapi-gw.gw.${part}yaml`);
      assert.deepEqual(created?.split(" ").slice(3), [
        ...[`v${version}`, "--verify-tag", "--generate-notes", `--prerelease=${prerelease}`],
        ...[...EXECUTABLES.toSorted(), "gw.rb", ...manifests, "SHA256SUMS"].map((name) => `dist/${name}`),
      ]);
      const url = `https://github.com/owner/gw/releases/download/v${version}`;
      assert.deepEqual(linesOf("installer"), [`installer ${url}/gw-windows-x64.exe`]);
      const [, sha] = /^image registry\.example\/owner\/gw:([0-9a-f]{40})$/m.exec(log.join("\n")) ?? [];
      assert.deepEqual(linesOf("image"), [
        ...["amd64", "arm64"].map((cpu) => `image has ./dist/image/${cpu}/gw`),
        ...[`image ${IMAGE}:${version}`, `image ${IMAGE}:${sha}`],
        `image org.opencontainers.image.version=${version}`,
        `image org.opencontainers.image.revision=${sha}`,
        "image org.opencontainers.image.source=https://github.com/owner/gw",
        "image linux/amd64,linux/arm64",
      ]);
      assert.match(linesOf("docker").join(), /^docker login registry\.example --username \S+ --password-stdin$/);
      assert.deepEqual(linesOf("cosign"), [`cosign sign --yes ${IMAGE}@${DIGEST}`]);
      const published = linesOf("npm").flatMap((line) => /^npm publish \S+\/(\S+) (.*)/.exec(line)?.slice(1) ?? []);
      const options = `--access public --tag ${tag}`;
      assert.deepEqual(published, ["openapi-gw-linux-x64-1.0.0.tgz", options, "openapi-gw-1.0.0.tgz", options]);
      assert.deepEqual(linesOf("pypi"), ["pypi dist/pypi"]);
      assert.deepEqual(linesOf("deno").filter((line) => line.includes("compile:check")), [
        "deno task compile:check dist/gw-linux-x64",
      ]);
    },
  });
}

Deno.test({
  name: "the workflow publishes nothing for a tag that isn't the version",
  ignore,
  async fn() {
    const { code, log, output } = await release("1.2.3", "v1.2.4");
    assert.match(output, /Failure - Main The tag is the version in deno\.json/);
    assert.deepEqual({ code, log }, { code: 1, log: ["npm ci --ignore-scripts --prefix .github/deno"] });
  },
});
