import assert from "node:assert/strict";
import { isSkipped } from "../recipe.ts";
import { exampleFolder, HAS_NODE } from "./examples.ts";

const TEST = "tests/package/tools/msw_test.ts";

const MORE = `
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import axios from "axios";
import { setupServer } from "msw/node";
import { createMockServer } from "openapi-gw";
import { mockHandlers } from "openapi-gw/msw";
import { loadDocument } from "openapi-gw/node";

const api = await createMockServer(await loadDocument("openapi.yaml"));
const server = setupServer(...mockHandlers(api));
before(() => server.listen({ onUnhandledRequest: "error" }));
after(() => server.close());

test("axios sends and gets bodies", async () => {
  const { status, data } = await axios.post("https://api.example.com/v1/pets", { name: "Kim" });
  assert.deepEqual([status, data.name], [201, "Kim"]);
});

test("requests for other paths are unhandled", async () => {
  await assert.rejects(fetch("https://api.example.com/v1/cats"));
  await assert.rejects(fetch("https://other.example.com/v1/pets"));
});

test("undeclared paths are refused if the option says so", async () => {
  server.use(...mockHandlers(api, { undeclared: "answer" }));
  assert.equal((await fetch("https://api.example.com/v1/cats")).status, 404);
  server.resetHandlers();
});

test("a delay is waited for, until a request aborts", async () => {
  await api.rules.add("listPets: delay 80 x1");
  const start = performance.now();
  await fetch("https://api.example.com/v1/pets");
  assert.ok(performance.now() - start > 70);
  await api.rules.add("listPets: delay 60000 x1");
  await assert.rejects(fetch("https://api.example.com/v1/pets", { signal: AbortSignal.timeout(50) }));
});

test("fake timers advance a delay", async (context) => {
  await api.rules.add("listPets: delay 5000 x1");
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let isLoading = true;
  const pets = fetch("https://api.example.com/v1/pets").finally(() => isLoading = false);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  for (let time = 0; time < 4_900; time += 100) {
    await turn();
    context.mock.timers.tick(100);
  }
  assert.ok(isLoading);
  while (isLoading) {
    context.mock.timers.tick(100);
    await turn();
  }
  assert.equal((await pets).status, 200);
});

test("a broken connection is an error of the network", async () => {
  await api.rules.add("listPets: reset x1");
  await assert.rejects(fetch("https://api.example.com/v1/pets"), TypeError);
});
`;

for (const version of ["2.15.0", "3.0.5"]) {
  Deno.test({
    name: `MSW ${version} runs the examples of docs/testing.md, and more`,
    ignore: isSkipped(TEST, HAS_NODE, "npm, on Linux or macOS"),
    async fn() {
      await using folder = await exampleFolder(TEST, { axios: "1.21.1", msw: version }, { "more.test.mjs": MORE });
      const { success, text } = await folder.run(["--test", "msw.test.mjs", "more.test.mjs"]);
      assert.ok(success, text);
      assert.match(text, /pass 8/);
    },
  });
}
