/**
 * Runs the blocks of a page from top to bottom, in a temporary folder. At most one server runs: a command that starts a
 * server first stops the one before.
 *
 * @module
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { parseDocument, validateDocument } from "../../mod.ts";
import { createFolder } from "../cmd/definitions.ts";
import { GW, type Running, spawn } from "../cmd/process.ts";
import { createStore } from "../cmd/serve_process.ts";
import { type Exchange, patternOf } from "./exchanges.ts";
import type { Step } from "./page.ts";
import { type Ports, withNamedPorts, withPorts } from "./ports.ts";
import type { Setup } from "./setups.ts";

const ROOT = fileURLToPath(import.meta.resolve("../../"));

/** Matches commands that start a server, which keeps running. */
const SERVER = /^(?:gw|npx -y deno@2\.9 task) (?:mock|proxy|serve)\b(?!.*(?:--help|--webhook))/;

/** Matches the line in which a server announces its URL. */
const LISTENS = /(?:Listening on|gateway-management-api [\d.]+ on) https?:\/\/[^\s:]+:(\d+)/;

export async function runPage(t: Deno.TestContext, steps: readonly Step[], setup: Setup): Promise<void> {
  await using folder = await createFolder();
  const { upstream = () => new Response(null, { status: 404 }), files, env = {} } = setup;
  await using backend = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, upstream);
  const state = `${folder.path}/.local/state/gw`;
  await Deno.mkdir(state, { recursive: true });
  const fleet = await createStore(state);
  const variables = { ...await environment(folder.path), ...env };
  await using reader = createReader(folder.path, new Map([[3000, backend.addr.port]]), variables);
  for (const [name, text] of Object.entries(await files?.() ?? {})) await reader.write(name, text);
  for (const step of steps) {
    switch (step.kind) {
      case "file":
        await reader.write(step.name, step.text);
        break;
      case "exchanges":
        for (const exchange of step.exchanges) {
          await t.step(`${step.line}: ${exchange.command}`, () => reader.follow(exchange, fleet));
        }
        break;
      case "log":
        await t.step(`${step.line}: log`, () => reader.findLogged(step.lines));
        break;
      case "script":
        await t.step(`${step.line}: script`, () => reader.runScript(step.text));
        break;
      case "program":
        await t.step(`${step.line}: program`, () => reader.runProgram(`${step.line}.${step.language}`, step.text));
        break;
      case "definition":
        await t.step(`${step.line}: definition`, () => checkDefinition(step.text));
        break;
      case "elsewhere":
      case "not run":
    }
  }
}

/** Follows a page as a reader at a terminal does. */
interface Reader extends AsyncDisposable {
  write(name: string, text: string): Promise<void>;
  /** @param fleet The port of the fleet `default`, if the command is `gw serve`. */
  follow(exchange: Exchange, fleet: number): Promise<void>;
  findLogged(lines: readonly string[]): Promise<void>;
  runScript(text: string): Promise<void>;
  runProgram(name: string, text: string): Promise<void>;
}

function createReader(cwd: string, ports: Ports, env: Record<string, string>): Reader {
  let server: Running | undefined;

  return {
    async write(name, text) {
      const path = `${cwd}/${name}`;
      await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
      await Deno.writeTextFile(path, text.replaceAll(/(?:localhost|127\.0\.0\.1):\d+/g, (at) => withPorts(at, ports)));
    },
    async follow(exchange, fleet) {
      if (exchange.command === "^C") return await interrupt(exchange.output);
      await (SERVER.test(exchange.command) ? start(exchange, fleet) : run(exchange));
    },
    async findLogged(lines) {
      assert.ok(server !== undefined, "No server runs.");
      for (const line of lines) {
        const said = withPorts(line, ports).replace(/^\d\d:[\d:.]+ /, "").replace(/ [\d.]+ ms$/, "");
        await server.until(new RegExp(said.split("…").map((part) => RegExp.escape(part)).join(".*")));
      }
    },
    async runScript(text) {
      const { code, stdout, stderr } = await shell(`set -e\n${text}`);
      assert.equal(code, 0, `${stdout}${stderr}`);
    },
    async runProgram(name, text) {
      await Deno.writeTextFile(`${cwd}/${name}`, withLibrary(text));
      if (text.includes("Deno.serve(")) return await serveProgram(name);
      const { code, stdout, stderr } = await shell(`deno run --no-check -A --config '${ROOT}deno.json' ${name}`);
      assert.equal(code, 0, `${stdout}${stderr}`);
    },
    [Symbol.asyncDispose]: stop,
  };

  async function start({ command, output }: Exchange, fleet: number): Promise<void> {
    await stop();
    for (const name of ["mock", "proxy", "serve"]) {
      if (command.includes(` ${name} `) && name === "serve") ports.set(8080, fleet);
      else ports.delete(8080);
    }
    const isTask = command.startsWith("npx");
    const args = [`exec ${withPorts(command.replace("npx -y deno@2.9", "deno"), ports)}`];
    server = spawn({ program: ["sh", "-c"], args, cwd: isTask ? ROOT : cwd, env });
    await Promise.race([server.until(LISTENS), server.ended]).catch(() => {});
    const [, port] = LISTENS.exec(server.text()) ?? [];
    if (port !== undefined && !/ (?:-p|--port) /.test(command)) {
      ports.set(/gw serve/.test(command) ? 8090 : 8080, Number(port));
    }
    if (port !== undefined) env.GW_SERVER = `http://127.0.0.1:${ports.get(8090) ?? 8090}`;
    await eventually(server, (text) => patternOf(output).test(named(text)), output);
  }

  async function serveProgram(name: string): Promise<void> {
    await stop();
    const args = ["run", "--no-check", "-A", "--config", `${ROOT}deno.json`, name];
    const serveEnv = { ...env, DENO_SERVE_ADDRESS: "tcp:127.0.0.1:0" };
    server = spawn({ program: [Deno.execPath()], args, cwd, env: serveEnv });
    const [, port] = await server.until(LISTENS);
    ports.set(8000, Number(port));
  }

  /** Stops the server. Asserts that its output ends as the page shows; the log of earlier requests precedes that. */
  async function interrupt(output: readonly string[]): Promise<void> {
    const stopped = server;
    await stop();
    assert.match(named(stopped?.text() ?? ""), patternOf(["…", ...output]));
  }

  async function run({ command, output }: Exchange): Promise<void> {
    assert.match(named((await shell(command)).all), patternOf(output));
  }

  async function shell(command: string): Promise<{ code: number; stdout: string; stderr: string; all: string }> {
    await using shell = spawn({ program: ["sh", "-c"], args: [withPorts(command, ports)], cwd, env });
    const ended = await shell.ended;
    return { ...ended, all: shell.text() };
  }

  /** Replaces the ports in an output by those that the page names. */
  function named(text: string): string {
    const lines = withNamedPorts(text.replaceAll("\r", ""), ports);
    return lines === "" ? "" : `${lines.trimEnd()}\n`;
  }

  async function stop(): Promise<void> {
    const stopped = server;
    server = undefined;
    if (stopped === undefined) return;
    try {
      stopped.signal("SIGINT");
    } catch {
      // The server has ended already.
    }
    await stopped.ended;
  }
}

/** Waits until the output of a program is as expected, the program has ended, or its output has paused for a while. */
async function eventually(program: Running, isRight: (text: string) => boolean, output: string[]): Promise<void> {
  let length = -1;
  while (!isRight(program.text()) && length !== program.text().length) {
    length = program.text().length;
    await program.until(/[^]/, length).catch(() => {});
  }
  assert.ok(isRight(program.text()), `want:\n${output.join("\n")}\n\ngot:\n${program.text()}`);
}

/** The environment of the page's commands: `gw` and `deno` are in the path, and the home folder is a temporary one. */
async function environment(folder: string): Promise<Record<string, string>> {
  await Deno.mkdir(`${folder}/.bin`);
  const gw = GW.map((word) => `'${word}'`).join(" ");
  await Deno.writeTextFile(`${folder}/.bin/gw`, `#!/bin/sh\nexec ${gw} "$@"\n`, { mode: 0o755 });
  await Deno.symlink(Deno.execPath(), `${folder}/.bin/deno`);
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return {
    HOME: folder,
    PATH: `${folder}/.bin:${Deno.env.get("PATH")}`,
    // Use the real cache of Deno. With an empty one below the temporary home, packages would be downloaded again.
    DENO_DIR: JSON.parse(new TextDecoder().decode(stdout)).denoDir,
    GW_MOCK_PORT: "0",
    GW_PROXY_PORT: "0",
    GW_SERVE_PORT: "0",
  };
}

/**
 * Changes the imports in a program of the page: they lead to this repository's library, not to a clone or a package.
 */
function withLibrary(program: string): string {
  return program.replaceAll(
    /"(?:\.\/mod\.ts|(?:npm:)?openapi-gw(?:\/(\w+))?)"/g,
    (_, adapter) => JSON.stringify(`file://${ROOT}${adapter === undefined ? "mod.ts" : `adapters/${adapter}.ts`}`),
  );
}

async function checkDefinition(text: string): Promise<void> {
  const diagnostics = await validateDocument(await parseDocument(text));
  assert.deepEqual(diagnostics.filter(({ severity }) => severity === "error"), []);
}
