import assert from "node:assert/strict";
import { layOut } from "../../cmd/io/terminal/dashboard_page.ts";
import { createPaint } from "../../cmd/io/terminal/terminal.ts";
import type { Summary } from "../../lib/observe/report/summary.ts";
import { createFolder } from "../cmd/definitions.ts";
import { spawn, startGw } from "../cmd/process.ts";
import { exchangesOf, patternOf } from "./exchanges.ts";

const DOCS = await Deno.readTextFile(new URL("../../docs/report.md", import.meta.url));
const [DEFINITION = ""] = blocksOf("yaml");
const [REPORT = ""] = blocksOf("text");
const [EXCHANGES = "", SUMMARY = "", PAGE = ""] = blocksOf("");

function blocksOf(language: string): string[] {
  return [...DOCS.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].filter(([, found]) => found === language)
    .map(([, , block = ""]) => block);
}

/** An upstream that violates its definition. */
function answer(request: Request): Response {
  return new URL(request.url).pathname === "/todos"
    ? Response.json([{ id: "1", title: "Buy milk" }, { id: "2" }])
    : Response.json({ error: "no" }, { status: 500 });
}

/** Runs the commands of the page, and compares their output. Returns the output and the report of `gw proxy`. */
async function run(t: Deno.TestContext, name: string): Promise<{ stdout: string; report: string }> {
  const [start, ...requests] = exchangesOf(EXCHANGES);
  assert.ok(start !== undefined && requests.length === 4, "The exchanges are not where they were.");
  await using folder = await createFolder();
  await using upstream = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, answer);
  await Deno.writeTextFile(`${folder.path}/todo.yaml`, DEFINITION);
  const line = start.command.replace("localhost:3000", `127.0.0.1:${upstream.addr.port}`).replace("report.md", name);
  await using gw = await startGw({ args: line.split(" ").slice(1), cwd: folder.path });
  await gw.until(/Watching.*\n/);
  assert.match(gw.text().replaceAll(`:${gw.port}`, ":8080"), patternOf(start.output));
  for (const { command, output } of requests) {
    await t.step(command, async () => {
      const args = [command.replace("localhost:8080", `127.0.0.1:${gw.port}`)];
      await using shell = spawn({ program: ["sh", "-c"], args, cwd: folder.path });
      await shell.ended;
      assert.match(`${shell.text().trimEnd()}\n`, patternOf(output));
    });
  }
  gw.signal("SIGINT");
  const { code, stdout } = await gw.ended;
  assert.equal(code, 0);
  return { stdout, report: await Deno.readTextFile(`${folder.path}/${name}`) };
}

Deno.test("docs/report.md: gw proxy sums up and reports as it says", async (t) => {
  const { stdout, report } = await run(t, "report.md");
  assert.ok(stdout.endsWith(`\n${SUMMARY}`), stdout);
  assert.match(report, patternOf(REPORT.trimEnd().split("\n")));
});

Deno.test("docs/report.md: the dashboard shows what it says", async (t) => {
  const { report } = await run(t, "report.json");
  const summary: Summary = JSON.parse(report);
  const title = "gw proxy: http://127.0.0.1:8080 to http://localhost:3000/";
  const page = layOut(
    { title, keys: "q or Ctrl+C ends.", summary, log: [] },
    { columns: 80, rows: 24 },
    createPaint(false),
  );
  assert.deepEqual(page, PAGE.trimEnd().split("\n"));
});
