/**
 * Checks the program in an empty folder with an empty environment, as after an installation: its version, an example
 * and a generated body, the management API, and its end by SIGTERM.
 *
 * @module
 */
import assert from "node:assert/strict";
import config from "../deno.json" with { type: "json" };

const TODO = `${import.meta.dirname}/../tests/data/todo.yaml`;

/** The time limit for printing a URL, and for ending, in milliseconds. */
const TIME_LIMIT = 30_000;

const isWindows = Deno.build.os === "windows";

/**
 * Checks the program.
 *
 * @param command The program and its first arguments.
 * @returns What it prints for `--version`.
 * @throws {Error} If an answer is wrong.
 */
export async function checkProgram(command: readonly string[]): Promise<string> {
  const cwd = await Deno.makeTempDir({ prefix: "gw_empty_" });
  const todo = await Deno.makeTempFile({ suffix: ".yaml" });
  const options: Deno.CommandOptions = {
    cwd,
    clearEnv: true,
    // Windows needs `SystemRoot` to open sockets.
    env: isWindows ? { SystemRoot: Deno.env.get("SystemRoot") ?? "C:\\Windows" } : {},
  };
  const [program = "", ...first] = command;
  try {
    await Deno.copyFile(TODO, todo);
    const version = await new Deno.Command(program, { ...options, args: [...first, "--version"] }).output();
    const line = new TextDecoder().decode(version.stdout).trim();
    const [name, number] = line.split(" ");
    assert.deepEqual([name, number], ["gw", config.version]);

    await checkServer(command, options, ["mock", todo, "--port", "0"], checkAnswers);
    const serve = ["serve", "--data", ":memory:", "--port", "0", "--fleet-port", "0"];
    await checkServer(command, options, serve, checkManagement);
    assert.deepEqual([...Deno.readDirSync(cwd)], [], "files that it left in its folder");
    return line;
  } finally {
    await Deno.remove(cwd, { recursive: true });
    await Deno.remove(todo);
  }
}

async function checkServer(
  command: readonly string[],
  options: Deno.CommandOptions,
  args: string[],
  checkAt: (url: string) => Promise<void>,
): Promise<void> {
  const [program = "", ...first] = command;
  const child = new Deno.Command(program, {
    ...options,
    args: [...first, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const timer = setTimeout(() => child.kill("SIGKILL"), TIME_LIMIT);
  const output = child.stdout.pipeThrough(new TextDecoderStream());
  try {
    await checkAt(await findUrl(output));
  } finally {
    // Ends the server also after a wrong answer: otherwise it would keep the standard output of this program open.
    end(child);
  }
  const { code } = await child.status;
  clearTimeout(timer);
  if (!isWindows) assert.equal(code, 0, `exit code of ${args[0]} after SIGTERM`);
}

function end(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGTERM");
  } catch {
    // The process has ended already.
  }
}

/**
 * Reads output until it contains a URL. Then reads and discards the rest, since the program would block on a full pipe.
 */
function findUrl(output: ReadableStream<string>): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = "";
    const write = (text: string): void => {
      printed += text;
      const url = /http:\/\/[\w.:]+\d(?=\s)/.exec(printed)?.[0];
      if (url !== undefined) resolve(url);
    };
    output.pipeTo(new WritableStream({ write }))
      .then(() => reject(new Error(`It ended without a URL:\n${printed}`)), reject);
  });
}

async function checkAnswers(url: string): Promise<void> {
  const example = await fetch(`${url}/todos`);
  assert.equal(example.status, 200);
  assert.equal(example.headers.get("x-svc-mocked"), "true");
  assert.deepEqual(await example.json(), [
    { id: 1, title: "Buy milk", done: false },
    { id: 2, title: "Feed the cat", done: true },
  ]);

  const generated = await fetch(`${url}/todos/1`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: `{"title":"Water the plants"}`,
  });
  assert.equal(generated.status, 200);
  const { id, title, done } = await generated.json();
  assert.deepEqual([typeof id, typeof title, typeof done], ["number", "string", "boolean"], "generated body");
}

async function checkManagement(url: string): Promise<void> {
  const response = await fetch(`${url}/fleets`);
  assert.equal(response.status, 200);
  const [fleet] = await response.json();
  assert.equal(fleet.services[0].status, "available");
}
