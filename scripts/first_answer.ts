/**
 * Measures how long a new user waits for a first mocked answer: `deno task first-answer [NAME…]`. Needs Linux.
 *
 * Each installation (npx, pip, …) starts in a folder that has only the definition, with an empty home and empty caches,
 * and runs the lines that the user would type. gw's own packages and executable come from this machine, other packages from
 * their registries. The time ends with the body of the answer; for Go, when the test of docs/go.md has passed.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import assert from "node:assert/strict";
import { basename } from "node:path";
import { exists } from "./cache.ts";
import { type DownloadSources, type Installation, INSTALLATIONS } from "./first_answer/installations.ts";
import { buildPackages, DIST } from "./package/build.ts";
import { emptyFolder, newUser } from "./package/install.ts";
import { executableOf, PLATFORMS } from "./package/names.ts";
import { startRegistry } from "./package/registry.ts";
import { hasProgram } from "./program.ts";

/** The goals: the longest time in seconds, and the most lines that a user has to type. */
const MOST = { seconds: 30, lines: 3 };

/** The time limit for the installation and first answer of one `Installation`, in milliseconds. */
const TIME_LIMIT = 300_000;

const TODO = `${import.meta.dirname}/../tests/data/todo.yaml`;

async function main(names: readonly string[]): Promise<void> {
  const installations = INSTALLATIONS.filter(({ name }) => names.length === 0 || names.includes(name));
  if (installations.length === 0) {
    throw new Error(`There is no installation ${names}; there are ${INSTALLATIONS.map(({ name }) => name)}.`);
  }
  const paths = await buildPackages();
  await using registry = await startRegistry(paths.filter((path) => path.endsWith(".tgz")));
  await using release = serveRelease();
  const sources = { registry: registry.url, release: release.url, wheels: `${DIST}/pypi` };
  console.log(`to reach: ${MOST.seconds} s, ${MOST.lines} lines`);
  for (const path of [...paths, `${DIST}/gw-linux-x64`]) console.log(downloadLine(path));
  for (const installation of installations) {
    const missing = installation.needs.find((program) => !hasProgram(program));
    if (missing !== undefined) console.log(`${installation.name.padEnd(8)} not measured: there is no ${missing}`);
    else console.log(await measure(installation, sources));
  }
}

/**
 * Describes the download that a real user has in addition: in this measurement gw's own packages come from this
 * machine.
 */
function downloadLine(path: string): string {
  const { size } = Deno.statSync(path);
  const seconds = size * 8 / 100e6;
  return `${(size / 1e6).toFixed(1).padStart(5)} MB, ${seconds.toFixed(1)} s at 100 Mbit/s: ${basename(path)}`;
}

async function measure(installation: Installation, sources: DownloadSources): Promise<string> {
  await using folder = await emptyFolder({
    "api.yaml": await Deno.readTextFile(TODO),
    ...await installation.files?.(),
  });
  await using home = await emptyFolder();
  const lines = installation.lines(sources);
  const start = performance.now();
  // Runs the lines in a new session (setsid), so that all its processes can be killed together.
  const child = new Deno.Command("setsid", {
    args: ["sh", "-ec", lines.join("\n") + (installation.answers === undefined ? " --port 0" : "")],
    cwd: folder.path,
    clearEnv: true,
    env: { ...newUser(home.path, sources.registry), PATH: searchPath(), ...await installation.env?.(sources) },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const timer = setTimeout(() => killSession(child.pid), TIME_LIMIT);
  const errors = new Response(child.stderr).text();
  try {
    await firstAnswer(child.stdout, installation.answers);
    const seconds = (performance.now() - start) / 1000;
    const isReached = seconds <= MOST.seconds && lines.length <= MOST.lines;
    return [
      `${installation.name.padEnd(8)} ${seconds.toFixed(1).padStart(5)} s  ${lines.length} lines${
        isReached ? "" : "  NOT REACHED"
      }`,
      ...installation.lines({ registry: "", release: "https://…/releases/latest/download", wheels: "" }).map((line) =>
        `  ${line}`
      ),
    ].join("\n");
  } catch (error) {
    killSession(child.pid);
    throw new Error(`${installation.name} gave no answer:\n${await errors}`, { cause: error });
  } finally {
    clearTimeout(timer);
    killSession(child.pid);
    await child.status;
  }
}

/** Resolves when the output tells of an answer, or has the URL of a server that then answers a request. */
async function firstAnswer(output: ReadableStream<Uint8Array<ArrayBuffer>>, answers?: RegExp): Promise<void> {
  let printed = "";
  let isFound = false;
  for await (const text of output.pipeThrough(new TextDecoderStream()).values({ preventCancel: true })) {
    printed += text;
    const url = /Listening on (http:\S+)\s/.exec(printed)?.[1];
    if (answers === undefined && url !== undefined) {
      const [first] = await (await fetch(`${url}/todos`)).json();
      assert.equal(first.title, "Buy milk");
      isFound = true;
    } else if (answers?.test(printed)) isFound = true;
    if (isFound) return;
  }
  throw new Error(`It ended:\n${printed}`);
}

function killSession(leader: number): void {
  try {
    Deno.kill(-leader, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** The search path of a new user: without the folders that npx adds to run this program. */
function searchPath(): string {
  return (Deno.env.get("PATH") ?? "").split(":").filter((folder) => !folder.includes("node_modules")).join(":");
}

/** Serves the executable of this source tree at the URL that a release would have. */
function serveRelease(): { readonly url: string } & AsyncDisposable {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const file = new URL(request.url).pathname.slice(1);
    if (!PLATFORMS.some((platform) => executableOf(platform) === file) || !await exists(`${DIST}/${file}`)) {
      return new Response(null, { status: 404 });
    }
    return new Response((await Deno.open(`${DIST}/${file}`)).readable);
  });
  return { url: `http://127.0.0.1:${server.addr.port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}

if (import.meta.main) await main(Deno.args);
