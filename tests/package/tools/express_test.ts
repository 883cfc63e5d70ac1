import assert from "node:assert/strict";
import { isSkipped } from "../recipe.ts";
import { type ExampleFolder, exampleFolder, HAS_NODE } from "./examples.ts";

const TEST = "tests/package/tools/express_test.ts";

/** The middleware after a body parser, which has read the request's body. */
const PARSED = `
import express from "express";
import { createMockServer } from "openapi-gw";
import { createMiddleware, loadDocument } from "openapi-gw/node";

const app = express();
app.use(express.json(), express.urlencoded());
app.use("/api", createMiddleware(await createMockServer(await loadDocument("openapi.yaml"))));
const server = app.listen(0, () => console.log("Listening on " + server.address().port));
`;

const POST: RequestInit = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ name: "Kim" }),
};

const CASES: { file: string; path: string; init?: RequestInit; want: [status: number, body: RegExp] }[] = [
  { file: "server.mjs", path: "/v1/pets", want: [200, /^\[\{"id":/] },
  { file: "server.mjs", path: "/v1/pets", init: { method: "HEAD" }, want: [200, /^$/] },
  { file: "server.mjs", path: "/v1/pets", init: POST, want: [201, /"name":"Kim"/] },
  { file: "server.mjs", path: "/v1/pets", init: { method: "DELETE" }, want: [405, /DELETE/] },
  { file: "server.mjs", path: "/v1/health", want: [200, /^\{"up":true\}$/] },
  { file: "server.mjs", path: "/v1/cats", want: [404, /Cannot GET/] },
  { file: "parsed.mjs", path: "/api/pets", init: POST, want: [201, /"name":"Kim"/] },
  { file: "plain.mjs", path: "/v1/pets", want: [200, /^\[\{"id":/] },
  { file: "plain.mjs", path: "/v1/cats", want: [404, /No path of the definition fits/] },
];

Deno.test({
  name: "Express and node:http run the examples of docs/testing.md, and more",
  ignore: isSkipped(TEST, HAS_NODE, "npm, on Linux or macOS"),
  async fn(t) {
    await using folder = await exampleFolder(TEST, { express: "5.3.0" }, { "parsed.mjs": PARSED });
    for (const file of ["server.mjs", "parsed.mjs", "plain.mjs"]) {
      await using server = await startServer(folder, file);
      for (const { path, init, want: [status, body] } of CASES.filter((found) => found.file === file)) {
        await t.step(`${file}: ${init?.method ?? "GET"} ${path}`, async () => {
          const response = await fetch(`http://127.0.0.1:${server.port}${path}`, init);
          assert.match(await response.text(), body);
          assert.equal(response.status, status);
        });
      }
    }
  },
});

/** Starts a program that prints its port. */
async function startServer(folder: ExampleFolder, file: string): Promise<{ port: number } & AsyncDisposable> {
  const child = folder.start([file]);
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!/Listening on \d+\n/.test(text)) {
    const { done, value } = await lines.read();
    if (done) throw new Error(`${file} ended: ${await new Response(child.stderr).text()}`);
    text += value;
  }
  return {
    port: Number(/\d+/.exec(text)?.[0]),
    async [Symbol.asyncDispose]() {
      child.kill();
      await Promise.all([lines.cancel(), child.stderr.cancel(), child.status]);
    },
  };
}
