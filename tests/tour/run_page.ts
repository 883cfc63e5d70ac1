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
  // Without it, gw serve would remark that the port of the fleet isn't 8080.
  const variables = { ...await environment(folder.path), GW_SERVE_FLEET_PORT: String(fleet), ...env };
  await using reader = new PageReader(folder.path, new Map([[3000, backend.addr.port]]), variables);
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
class PageReader implements AsyncDisposable {
  readonly #cwd: string;
  /** The real port of each port that the page names. */
  readonly #ports: Ports;
  readonly #env: Record<string, string>;
  #server: Running | undefined;

  /** @param cwd The folder. */
  constructor(cwd: string, ports: Ports, env: Record<string, string>) {
    this.#cwd = cwd;
    this.#ports = ports;
    this.#env = env;
  }

  async write(name: string, text: string): Promise<void> {
    const path = `${this.#cwd}/${name}`;
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    const written = text.replaceAll(/(?:localhost|127\.0\.0\.1):\d+/g, (at) => withPorts(at, this.#ports));
    await Deno.writeTextFile(path, written);
  }

  /** @param fleet The port of the fleet `default`, if the command is `gw serve`. */
  async follow(exchange: Exchange, fleet: number): Promise<void> {
    if (exchange.command === "^C") return await this.#interrupt(exchange.output);
    await (SERVER.test(exchange.command) ? this.#start(exchange, fleet) : this.#run(exchange));
  }

  async findLogged(lines: readonly string[]): Promise<void> {
    assert.ok(this.#server !== undefined, "No server runs.");
    for (const line of lines) {
      const said = withPorts(line, this.#ports).replace(/^\d\d:[\d:.]+ /, "").replace(/ [\d.]+ ms$/, "");
      await this.#server.until(new RegExp(said.split("…").map((part) => RegExp.escape(part)).join(".*")));
    }
  }

  async runScript(text: string): Promise<void> {
    const { code, stdout, stderr } = await this.#shell(`set -e\n${text}`);
    assert.equal(code, 0, `${stdout}${stderr}`);
  }

  async runProgram(name: string, text: string): Promise<void> {
    await Deno.writeTextFile(`${this.#cwd}/${name}`, withLibrary(text));
    if (text.includes("Deno.serve(")) return await this.#serveProgram(name);
    const { code, stdout, stderr } = await this.#shell(`deno run --no-check -A --config '${ROOT}deno.json' ${name}`);
    assert.equal(code, 0, `${stdout}${stderr}`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop();
  }

  async #start({ command, output }: Exchange, fleet: number): Promise<void> {
    await this.#stop();
    const ports = this.#ports;
    for (const name of ["mock", "proxy", "serve"]) {
      if (command.includes(` ${name} `) && name === "serve") ports.set(8080, fleet);
      else ports.delete(8080);
    }
    const isTask = command.startsWith("npx");
    const args = [`exec ${withPorts(command.replace("npx -y deno@2.9", "deno"), ports)}`];
    const server = spawn({ program: ["sh", "-c"], args, cwd: isTask ? ROOT : this.#cwd, env: this.#env });
    this.#server = server;
    await Promise.race([server.until(LISTENS), server.ended]).catch(() => {});
    const [, port] = LISTENS.exec(server.text()) ?? [];
    if (port !== undefined && !/ (?:-p|--port) /.test(command)) {
      ports.set(/gw serve/.test(command) ? 8090 : 8080, Number(port));
    }
    if (port !== undefined) this.#env.GW_SERVER = `http://127.0.0.1:${ports.get(8090) ?? 8090}`;
    await eventually(server, (text) => patternOf(output).test(this.#named(text)), output);
  }

  async #serveProgram(name: string): Promise<void> {
    await this.#stop();
    const args = ["run", "--no-check", "-A", "--config", `${ROOT}deno.json`, name];
    const env = { ...this.#env, DENO_SERVE_ADDRESS: "tcp:127.0.0.1:0" };
    this.#server = spawn({ program: [Deno.execPath()], args, cwd: this.#cwd, env });
    const [, port] = await this.#server.until(LISTENS);
    this.#ports.set(8000, Number(port));
  }

  /** Stops the server. Asserts that its output ends as the page shows; the log of earlier requests precedes that. */
  async #interrupt(output: readonly string[]): Promise<void> {
    const stopped = this.#server;
    await this.#stop();
    assert.match(this.#named(stopped?.text() ?? ""), patternOf(["…", ...output]));
  }

  async #run({ command, output }: Exchange): Promise<void> {
    assert.match(this.#named((await this.#shell(command)).all), patternOf(output));
  }

  async #shell(command: string): Promise<{ code: number; stdout: string; stderr: string; all: string }> {
    const args = [withPorts(command, this.#ports)];
    await using shell = spawn({ program: ["sh", "-c"], args, cwd: this.#cwd, env: this.#env });
    const ended = await shell.ended;
    return { ...ended, all: shell.text() };
  }

  /** Replaces the ports in an output by those that the page names. */
  #named(text: string): string {
    const lines = withNamedPorts(text.replaceAll("\r", ""), this.#ports);
    return lines === "" ? "" : `${lines.trimEnd()}\n`;
  }

  /** Stops the server, if one runs. */
  async #stop(): Promise<void> {
    const stopped = this.#server;
    this.#server = undefined;
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
