import assert from "node:assert/strict";
import { findProgram } from "../../../scripts/program.ts";
import { CHROMIUM } from "../../browser/chromium.ts";
import { isSkipped } from "../recipe.ts";
import { exampleFolder, HAS_NODE } from "./examples.ts";

const TEST = "tests/package/tools/playwright_test.ts";

const CONFIGURATION = `
export default {
  workers: 2,
  reporter: "line",
  fullyParallel: true,
  use: {
    baseURL: process.env.APP,
    launchOptions: { executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] },
  },
};
`;

const MORE = `
import { expect, test as base } from "@playwright/test";
import { mockFixture } from "openapi-gw/playwright";

const test = base.extend({ api: [mockFixture("openapi.yaml"), { auto: true }] });
const PETS = "https://api.example.com/v1/pets";

for (const name of ["Ada", "Bob", "Cem"]) {
  test("the items of " + name + " are those of one test", async ({ page, api }) => {
    expect(await api.state.list("pets")).toHaveLength(3);
    await page.goto("/");
    const created = await page.evaluate(async ([url, name]) => {
      const headers = { "content-type": "application/json", "x-more": "1" };
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ name }) });
      return [response.status, (await response.json()).name];
    }, [PETS, name]);
    expect(created).toEqual([201, name]);
    expect(await api.state.list("pets")).toHaveLength(4);
  });
}

test("a broken connection is an error of the network", async ({ page, api }) => {
  await api.rules.add("listPets: reset");
  await page.goto("/");
  await expect(page.getByRole("alert")).toHaveText("Failed to fetch");
});

test("a test that doesn't wait for its answers ends", async ({ page, api }) => {
  await api.rules.add("listPets: time-out");
  await page.goto("/");
  await api.requests.verify({ operation: "listPets" }).catch(() => {});
});
`;

/** A page that lists the pets, or shows the error. */
const APP = `<!doctype html>
<title>Pets</title>
<ul></ul>
<p role="alert"></p>
<script type="module">
import { listNames } from "./pets.js";
try {
  for (const name of await listNames()) document.querySelector("ul").append(
    Object.assign(document.createElement("li"), { textContent: name }),
  );
} catch ({ message }) {
  document.querySelector("p").textContent = message;
}
</script>
`;

Deno.test({
  name: "Playwright runs the examples of docs/testing.md, and more",
  ignore: isSkipped(TEST, HAS_NODE && CHROMIUM !== undefined, "npm, on Linux or macOS, and Chromium"),
  async fn() {
    const files = { "playwright.config.mjs": CONFIGURATION, "more.spec.mjs": MORE };
    await using folder = await exampleFolder(TEST, { "@playwright/test": "1.65.1" }, files);
    await using app = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async ({ url }) => {
      const path = new URL(url).pathname;
      if (path === "/") return new Response(APP, { headers: { "content-type": "text/html" } });
      if (path !== "/pets.js") return new Response(null, { status: 404 });
      const headers = { "content-type": "text/javascript" };
      return new Response(await Deno.readTextFile(`${folder.path}/pets.js`), { headers });
    });
    const env = { APP: `http://127.0.0.1:${app.addr.port}`, CHROMIUM: findProgram(CHROMIUM ?? "") ?? "" };
    const { success, text } = await folder.run(["node_modules/@playwright/test/cli.js", "test"], env);
    assert.ok(success, text);
    assert.match(text, /7 passed/);
  },
});
