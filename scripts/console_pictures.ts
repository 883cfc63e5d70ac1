/**
 * Takes the pictures of the console for the documentation: `deno task pictures`. Needs Chromium.
 *
 * @module
 */
import { chromium, type Page } from "playwright-core";
import { pathOfChromium } from "../tests/browser/chromium.ts";
import { TODO } from "../tests/cmd/definitions.ts";
import { startGw } from "../tests/cmd/process.ts";

const FOLDER = new URL("../docs/pictures/", import.meta.url);

const json = { "content-type": "application/json" };

/** What the pictures show: requests that are answered in different ways. */
const REQUESTS: readonly (readonly [line: string, body?: string])[] = [
  ["GET /todos?limit=2"],
  ["POST /todos", '{"title":"Buy milk"}'],
  ["GET /todos/2"],
  ["POST /_gw/rules", '{"operation":"GET /todos/{id}","status":503,"times":1}'],
  ["GET /todos/1"],
  ["POST /todos", '{"titel":"Feed the cat"}'],
  ["DELETE /todos/3"],
  ["GET /todo/4"],
];

await using gw = await startGw({ args: ["mock", TODO, "--stateful"] });
for (const [line, body] of REQUESTS) {
  const [method = "", path = ""] = line.split(" ");
  const response = await fetch(gw.url + path, { method, ...body === undefined ? {} : { body, headers: json } });
  await response.body?.cancel();
}
const browser = await chromium.launch({ executablePath: pathOfChromium(), args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1100, height: 640 } });
await take(page, "requests", "/_gw/");
await take(page, "decision", "/_gw/console/request?id=7");
await browser.close();

async function take(page: Page, name: string, path: string): Promise<void> {
  await page.goto(gw.url + path);
  await Deno.mkdir(FOLDER, { recursive: true });
  await Deno.writeFile(new URL(`${name}.png`, FOLDER), await page.screenshot());
}
