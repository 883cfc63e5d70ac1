import assert from "node:assert/strict";
import { createFolder } from "../cmd/definitions.ts";
import { spawn, startGw } from "../cmd/process.ts";
import { type Exchange, patternOf, readExchanges } from "./exchanges.ts";

const DOCS = new URL("../../docs/record.md", import.meta.url);

/** The server of the text. */
function serve(): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const credential = request.headers.get("authorization")?.replace("Bearer ", "");
    switch (new URL(request.url).pathname) {
      case "/pets/1": {
        const owner = { email: "ada@example.com" };
        return Response.json({ id: 1, name: "Puma", code: "s3cr3t", owner, log: `asked with ${credential}` });
      }
      case "/pets/2":
        return Response.json({ id: 2, name: "Otter" });
      default:
        return Response.json({ title: "There is no pet 9." }, {
          status: 404,
          headers: { "content-type": "application/problem+json" },
        });
    }
  });
}

Deno.test("docs/record.md: gw records and answers as it says", async (t) => {
  const text = await Deno.readTextFile(DOCS);
  const [, definition = ""] = /```yaml\n(.*?)```/s.exec(text) ?? [];
  await using folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/pets.yaml`, definition);
  const server = serve();
  try {
    const recording = readExchanges(text, "## Record");
    const file = recording.pop();
    assert.equal(file?.command, "cat recorded.yaml", "The exchanges are not where they were.");
    await follow(recording, `http://127.0.0.1:${server.addr.port}`);
    await check(file, 0);
    await follow(readExchanges(text, "## Answer"), "");
  } finally {
    await server.shutdown();
  }

  /** Starts gw as the first exchange says, makes the requests of the others, and stops it. */
  async function follow([start, ...requests]: Exchange[], upstream: string): Promise<void> {
    assert.ok(start !== undefined && requests.length > 0);
    const args = start.command.replace("http://127.0.0.1:3000", upstream).split(" ").slice(1);
    await using gw = await startGw({ args, cwd: folder.path });
    await gw.until(/Watching/);
    await t.step(start.command, () => assert.match(`${gw.text().trimEnd()}\n`, patternOf(start.output)));
    for (const request of requests) await check(request, gw.port);
    gw.signal("SIGTERM");
    await gw.ended;
  }

  async function check({ command, output }: Exchange, port: number): Promise<void> {
    await t.step(command, async () => {
      const args = [command.replace(":8080", `:${port}`)];
      await using shell = spawn({ program: ["sh", "-c"], args, cwd: folder.path });
      await shell.ended;
      assert.match(`${shell.text().trimEnd()}\n`, patternOf(output));
    });
  }
});
