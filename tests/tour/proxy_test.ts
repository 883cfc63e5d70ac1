import assert from "node:assert/strict";
import { createFolder } from "../cmd/definitions.ts";
import { type Running, spawn, startGw } from "../cmd/process.ts";
import { type Exchange, patternOf, readExchanges } from "./exchanges.ts";

const DOCS = new URL("../../docs/proxy.md", import.meta.url);

/** The server of the text. */
function serve(): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    await request.text();
    const { pathname } = new URL(request.url);
    if (pathname === "/dogs") return Response.json(["Rex"]);
    if (request.method === "PUT") return new Response(null, { status: 204 });
    return Response.json({ name: "Puma", born: "1.4.2024" });
  });
}

/** Repeats the exchanges of a section, and looks for the lines of its log. */
async function follow(t: Deno.TestContext, text: string, heading: string, url: string, cwd: string): Promise<void> {
  const [start, ...requests]: Exchange[] = readExchanges(text, heading);
  assert.ok(start !== undefined && requests.length > 0, "The exchanges are not where they were.");
  const args = start.command.replace("http://127.0.0.1:3000", url).split(" ").slice(1);
  await using gw = await startGw({ args, cwd });
  await gw.until(/Watching/);
  await t.step(start.command, () => assert.match(shown(gw), patternOf(start.output)));
  for (const { command, output } of requests) {
    await t.step(command, async () => {
      const program = ["sh", "-c"];
      await using shell = spawn({ program, args: [command.replace(":8080", `:${gw.port}`)], cwd });
      await shell.ended;
      assert.match(`${shell.text().replaceAll("\r", "").trimEnd()}\n`, patternOf(output));
    });
  }
  const section = text.slice(text.indexOf(`\n${heading}\n`)).split("\n## ")[1] ?? "";
  for (const [, line = ""] of section.matchAll(/^(?:\d\d:[\d:.]+ | {2}! )(.*?)(?: [\d.]+ ms)?$/gm)) {
    await t.step(`log: ${line}`, async () => void await gw.until(new RegExp(RegExp.escape(line))));
  }
}

function shown(gw: Running): string {
  return `${gw.text().trimEnd()}\n`.replace(`:${gw.port}`, ":8080");
}

Deno.test("docs/proxy.md: gw proxy answers as it says", async (t) => {
  const text = await Deno.readTextFile(DOCS);
  const [, definition = ""] = /```yaml\n(.*?)```/s.exec(text) ?? [];
  await using folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/pets.yaml`, definition);
  const server = serve();
  try {
    const url = `http://127.0.0.1:${server.addr.port}`;
    for (const heading of ["## A server that breaks its contract", "## Refused"]) {
      await follow(t, text, heading, url, folder.path);
    }
  } finally {
    await server.shutdown();
  }
});
