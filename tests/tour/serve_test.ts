import assert from "node:assert/strict";
import { createFolder, TODO } from "../cmd/definitions.ts";
import { GW, spawn } from "../cmd/process.ts";
import { createStore } from "../cmd/serve_process.ts";
import { type Exchange, patternOf, readExchanges } from "./exchanges.ts";
import { freePort } from "../free_port.ts";

const README = new URL("../../README.md", import.meta.url);

Deno.test("README: every command of the tour of gw serve prints what it says", async (t) => {
  const [serve, ...others] = readExchanges(await Deno.readTextFile(README), "## gw serve");
  assert.ok(serve !== undefined && others.length >= 6, "The tour is not where it was.");
  await using upstream = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const todo = { id: 3, ...await request.json() };
    return Response.json(todo, { status: 201 });
  });
  await using folder = await createFolder();
  await prepare(folder.path);
  const home = { HOME: folder.path, DENO_DIR: await denoFolder(), PATH: `${folder.path}/bin:${Deno.env.get("PATH")}` };
  const data = `${folder.path}/.local/state/gw`;
  await Deno.mkdir(data, { recursive: true });
  const ports: Ports = { 3000: upstream.addr.port, 8080: await createStore(data), 8081: freePort(), 8090: 0 };

  await using gw = spawn({
    program: ["sh", "-c"],
    args: [`exec ${withPorts(serve.command, ports)}`],
    cwd: folder.path,
    env: { ...home, GW_SERVE_PORT: "0" },
  });
  const [, port] = await gw.until(/gateway-management-api [\d.]+ on http:\/\/127\.0\.0\.1:(\d+)[^]*fleet .*\n/);
  ports[8090] = Number(port);
  await t.step(serve.command, () => compare(serve, gw.text(), ports));
  for (const exchange of others) {
    await t.step(exchange.command, async () => {
      await using shell = spawn({
        program: ["sh", "-c"],
        args: [withPorts(exchange.command, ports)],
        cwd: folder.path,
        env: { ...home, GW_SERVER: `http://127.0.0.1:${ports[8090]}` },
      });
      await shell.ended;
      compare(exchange, shell.text(), ports);
    });
  }
  gw.signal("SIGTERM");
  assert.equal((await gw.ended).code, 0);
});

/** The ports of the tour, and their replacements: other programs may use the tour's ports. */
type Ports = Record<3000 | 8080 | 8081 | 8090, number>;

/** Provides the tour's preconditions: `gw` in the path, and its definitions. */
async function prepare(folder: string): Promise<void> {
  await Deno.mkdir(`${folder}/bin`);
  const words = GW.map((word) => `'${word}'`).join(" ");
  await Deno.writeTextFile(`${folder}/bin/gw`, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  const todo = await Deno.readTextFile(TODO);
  await Deno.writeTextFile(`${folder}/todo.yaml`, todo);
  await Deno.writeTextFile(`${folder}/broken.yaml`, todo.replace("mocking:", "mokcing:"));
}

/** Where Deno keeps what it has loaded: another home is no reason to load it again. */
async function denoFolder(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}

function withPorts(text: string, ports: Ports): string {
  return Object.entries(ports).reduce((text, [named, port]) => replacePort(text, named, port), text);
}

/** Replaces a port behind a colon or a space. */
function replacePort(text: string, before: string | number, after: string | number): string {
  return text.replaceAll(new RegExp(`(?<=[: ])${before}\\b`, "g"), String(after));
}

function compare({ output }: Exchange, text: string, ports: Ports): void {
  const printed = Object.entries(ports).reduce(
    (text, [named, port]) => replacePort(text, port, named),
    text.replaceAll("\r\n", "\n").replace(/(?<=[^\n])$/, "\n"),
  );
  assert.match(printed, patternOf(output));
}
