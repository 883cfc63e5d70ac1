import assert from "node:assert/strict";
import { findProgram } from "../../../scripts/program.ts";
import * as esbuild from "esbuild";
import { CHROMIUM } from "../../browser/chromium.ts";
import { isSkipped } from "../recipe.ts";
import { exampleFolder, HAS_NODE } from "./examples.ts";

const TEST = "tests/package/tools/msw_browser_test.ts";

/** The page with the example of docs/testing.md. It shows its result as its title. */
const PAGE = `
import "./worker.js";
import { listNames } from "./pets.js";

const outcomes = await Promise.allSettled([listNames(), fetch("https://api.example.com/v1/cats"), fetch("/openapi.yaml")]);
document.title = JSON.stringify(outcomes.map(({ value, reason }) => value?.length ?? value?.status ?? reason.message));
`;

/** A program that opens the page in Chromium, and prints the title once it is a result. */
const BROWSE = `
import { chromium } from "playwright-core";

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  // Resolve no host name but that of the page, so that the test needs no network.
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
});
const page = await browser.newPage();
page.on("pageerror", (error) => console.log(error.stack));
await page.goto(process.env.APP);
await page.waitForFunction(() => document.title.startsWith("["));
console.log(await page.title());
await browser.close();
`;

Deno.test({
  name: "MSW in a browser runs the example of docs/testing.md",
  ignore: isSkipped(TEST, HAS_NODE && CHROMIUM !== undefined, "npm, on Linux or macOS, and Chromium"),
  async fn() {
    const tools = { msw: "3.0.5", "playwright-core": "1.65.1" };
    await using folder = await exampleFolder(TEST, tools, { "page.js": PAGE, "browse.mjs": BROWSE });
    await esbuild.build({
      absWorkingDir: folder.path,
      entryPoints: ["page.js"],
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "browser",
      outdir: "site",
      logLevel: "silent",
    });
    await esbuild.stop();
    for (const file of ["node_modules/msw/lib/mockServiceWorker.js", "openapi.yaml"]) {
      await Deno.copyFile(`${folder.path}/${file}`, `${folder.path}/site/${file.split("/").at(-1)}`);
    }
    await Deno.writeTextFile(`${folder.path}/site/index.html`, `<script type="module" src="/page.js"></script>`);
    await using app = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ url }) => {
      const { pathname } = new URL(url);
      return serveFile(`${folder.path}/site${pathname === "/" ? "/index.html" : pathname}`);
    });
    const env = { APP: `http://127.0.0.1:${app.addr.port}/`, CHROMIUM: findProgram(CHROMIUM ?? "") ?? "" };
    const { success, text } = await folder.run(["browse.mjs"], env);
    assert.ok(success, text);
    // Three pets; the error of a path that isn't mocked and goes to the network; status 200 for a file of the page
    // itself.
    assert.deepEqual(JSON.parse(text.trim().split("\n").at(-1) ?? ""), [3, "Failed to fetch", 200]);
  },
});

const MEDIA_TYPES = new Map([["html", "text/html"], ["js", "text/javascript"], ["yaml", "application/yaml"]]);

async function serveFile(path: string): Promise<Response> {
  const bytes = await Deno.readFile(path).catch(() => undefined);
  if (bytes === undefined) return new Response(null, { status: 404 });
  const type = MEDIA_TYPES.get(path.split(".").at(-1) ?? "") ?? "application/octet-stream";
  return new Response(bytes, { headers: { "content-type": type } });
}
