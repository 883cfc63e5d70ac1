/**
 * The console of `gw mock` in a real browser: what people do there, and what every page keeps. Needs Chromium.
 *
 * @module
 */
import assert from "node:assert/strict";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { TODO } from "../cmd/definitions.ts";
import { type Running, startGw } from "../cmd/process.ts";
import { CHROMIUM, pathOfChromium } from "./chromium.ts";

const ignore = CHROMIUM === undefined && Deno.env.get("CI") !== "true";

function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: pathOfChromium(), args: ["--no-sandbox"] });
}

/** Runs a test on a page of a mock server's console. What the console complains of, and foreign requests, fail it. */
async function onPage(
  test: (page: Page, gw: Running) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  await using gw = await startGw({ args: ["mock", TODO, "--stateful"] });
  const browser = await startBrowser();
  try {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      // A refused request is an error for the console of the browser, and expected where a test sends it.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
        complaints.push(message.text());
      }
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== new URL(gw.url).origin) complaints.push(request.url());
    });
    await test(page, gw);
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
  }
}

async function ask(gw: Running, line: string, init: RequestInit = {}): Promise<number> {
  const [method = "", path = ""] = line.split(" ");
  const response = await fetch(gw.url + path, { ...init, method });
  await response.body?.cancel();
  return response.status;
}

Deno.test({
  name: "requests appear as they come, not while they are paused, and the filter is in the address",
  ignore,
  fn: () =>
    onPage(async (page, gw) => {
      await page.goto(gw.url, { waitUntil: "load" });
      assert.equal(new URL(page.url()).pathname, "/_gw/");
      await ask(gw, "GET /todos");
      await page.getByRole("link", { name: "/todos" }).waitFor();
      await page.getByRole("button", { name: "Pause" }).click();
      await ask(gw, "GET /todoz");
      await ask(gw, "GET /todos/1");
      await page.getByRole("button", { name: "Go on" }).click();
      await page.getByRole("link", { name: "/todoz" }).waitFor();
      await page.getByLabel("Filter").fill("todoz");
      await page.locator("[data-count]", { hasText: "1 request, 1 error" }).waitFor();
      assert.equal(new URL(page.url()).search, "?text=todoz");
      await page.reload();
      assert.equal(await page.getByLabel("Filter").inputValue(), "todoz");
      assert.equal(await page.locator("tbody tr").count(), 1);
      await page.getByRole("button", { name: "Clear" }).click();
      await page.getByText("No request yet").waitFor();
    }),
});

Deno.test({
  name: "one click shows why a request got 404, and three more make the next answer 503",
  ignore,
  fn: () =>
    onPage(async (page, gw) => {
      await ask(gw, "GET /todos/9999");
      await page.goto(`${gw.url}/_gw/`);
      await page.getByRole("link", { name: "/todos/9999" }).click();
      await page.locator(".decides").getByText("9999").waitFor();
      await page.getByRole("link", { name: "Make a rule of it" }).click();
      await page.getByLabel("Rule").fill("GET /todos: 503 x1");
      await page.getByRole("button", { name: "Add the rule" }).first().click();
      await page.getByRole("cell", { name: "status 503, times 1" }).waitFor();
      assert.equal(await ask(gw, "GET /todos"), 503);
      assert.equal(await ask(gw, "GET /todos"), 200);
    }),
});

Deno.test({
  name: "a request is sent again changed, and an operation is tried with a body that is valid",
  ignore,
  fn: () =>
    onPage(async (page, gw) => {
      await ask(gw, "GET /todoz");
      await page.goto(`${gw.url}/_gw/console/request?id=1`);
      await page.getByLabel("Path and query").fill("/todos");
      await page.getByRole("button", { name: "Send" }).click();
      await page.locator("[data-result]").getByText("200 OK").waitFor();
      await page.getByLabel("Path and query").fill("//evil.example/todos");
      await page.getByRole("button", { name: "Send" }).click();
      await page.goto(`${gw.url}/_gw/console/operations`);
      await page.getByLabel("Search").fill("post");
      await page.locator("[data-count]", { hasText: /^1 operation$/ }).waitFor();
      await page.getByRole("link", { name: "/todos" }).click();
      await page.getByRole("button", { name: "Send" }).click();
      await page.locator("[data-result]").getByText("201 Created").waitFor();
      await page.goto(`${gw.url}/_gw/console/operation?of=GET+%2Ftodos%2F%7Bid%7D`);
      await page.getByLabel(/^id \*/).fill("2/3");
      assert.equal(await page.getByLabel("Path and query").inputValue(), "/v1/todos/2%2F3");
      await page.getByLabel("Prefer").selectOption("code=404");
      assert.match(await page.getByLabel("Headers").inputValue(), /^prefer: code=404$/m);
    }),
});

const PAGES = [
  "",
  "console/request?id=1",
  "console/request?id=3",
  "console/operations",
  "console/operation?of=POST+%2Ftodos",
  "console/state",
  "console/rules",
  "console/definition",
  "console/nothing",
];

async function sendSome(gw: Running): Promise<void> {
  const headers = { "content-type": "application/json" };
  await ask(gw, "POST /todos", { headers, body: '{"titel":1}' });
  await ask(gw, "POST /_gw/rules", { body: "GET /todos: 503 x5 if query.a=1" });
  await ask(gw, "GET /todos");
  await ask(gw, "GET /todoz");
  await ask(gw, "GET /todos", { headers: { "x-gw-session": "a" } });
}

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [1280, 360]) {
    Deno.test({
      name: `axe finds nothing on any page, ${colorScheme} and ${width} px wide, and none scrolls sideways`,
      ignore,
      fn: () =>
        onPage(async (page, gw) => {
          await sendSome(gw);
          for (const path of PAGES) {
            await page.goto(`${gw.url}/_gw/${path}`);
            const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
            assert.ok(Number(overflow) <= 0, `${path} is ${overflow} px too wide`);
            await page.evaluate(axe.source);
            const found: axe.AxeResults = await page.evaluate("axe.run()");
            const violations = found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
            assert.deepEqual(violations, [], path);
          }
          // Only this test runs code of its own in the pages, for which it lifts their policy.
        }, { colorScheme, viewport: { width, height: 800 }, bypassCSP: true }),
    });
  }
}

Deno.test({
  name: "without scripts every page can be read, and forms work",
  ignore,
  fn: () =>
    onPage(async (page, gw) => {
      await sendSome(gw);
      for (const path of PAGES) {
        await page.goto(`${gw.url}/_gw/${path}`);
        assert.ok(await page.getByRole("heading", { level: 1 }).isVisible(), path);
      }
      await page.goto(`${gw.url}/_gw/`);
      await page.getByLabel("Filter").fill("todoz");
      await page.getByRole("button", { name: "Filter" }).click();
      await page.locator("[data-count]", { hasText: "1 request, 1 error" }).waitFor();
      await page.goto(`${gw.url}/_gw/console/rules`);
      await page.getByRole("button", { name: "Remove", exact: true }).click();
      await page.getByText("No rule: every request gets its own answer.").waitFor();
    }, { javaScriptEnabled: false }),
});
