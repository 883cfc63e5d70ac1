import assert from "node:assert/strict";
import { buildSite } from "../../scripts/site.ts";
import { createFolder } from "../cmd/definitions.ts";
import { CHROMIUM, serveSite } from "./chromium.ts";

/** The width of a phone's screen, in CSS pixels. */
const PHONE = 390;

/** The smallest font size that can be read without zooming, in CSS pixels. */
const READABLE = 12;

/** Pages of the library's API, which deno doc makes: the overview, the list, a function and an interface. */
const API_PAGES = ["index", "all_symbols", "~/createMock", "~/MockOptions"].map((name) => `api/${name}.html`);

const TYPES: Readonly<Record<string, string>> = { html: "text/html", css: "text/css", js: "text/javascript" };

interface Measured {
  path: string;
  width: number;
  /** The font size of the smallest text on the page. */
  text: number;
  /** The number of links to other pages. */
  links: number;
  heading: string;
  /** The number of characters that the page shows. */
  length: number;
}

Deno.test("the site of the documentation has no link that leads nowhere, and is readable on a phone without scripts", {
  ignore: CHROMIUM === undefined && Deno.env.get("CI") !== "true",
}, async (t) => {
  await using folder = await createFolder();
  const { pages, broken } = await buildSite(folder.path);
  await t.step("links", () => {
    assert.ok(pages > 100, `${pages} pages`);
    assert.deepEqual(broken, []);
  });
  const paths = ["index.html"];
  for await (const { name } of Deno.readDir(`${folder.path}/docs`)) paths.push(`docs/${name}`);
  await using site = serveSite("localhost", async (path) => {
    const body = await Deno.readFile(`${folder.path}${path}`).catch(() => undefined);
    const type = TYPES[path.split(".").at(-1) ?? ""] ?? "text/plain";
    return body === undefined
      ? new Response("", { status: 404 })
      : new Response(body, { headers: { "content-type": type } });
  });
  // A sandboxed frame without `allow-scripts` runs no scripts, so each page is measured as a browser without JavaScript
  // shows it.
  const measured = await site.run(`
    const found = [];
    for (const path of ${JSON.stringify([...paths, ...API_PAGES])}) {
      const frame = document.createElement("iframe");
      frame.sandbox = "allow-same-origin";
      frame.style = "width: ${PHONE}px; height: 800px; border: 0";
      frame.src = "/" + path;
      await new Promise((resolve) => { frame.onload = resolve; document.body.append(frame); });
      const { documentElement } = frame.contentDocument;
      const texts = [...documentElement.querySelectorAll("main p, main td, main code, main li")];
      found.push({
        path,
        width: documentElement.scrollWidth,
        text: Math.min(...texts.map((element) => parseFloat(frame.contentWindow.getComputedStyle(element).fontSize))),
        links: documentElement.querySelectorAll("nav a[href]").length,
        heading: documentElement.querySelector("main h1")?.textContent ?? "",
        length: documentElement.querySelector("main")?.innerText.length ?? 0,
      });
      frame.remove();
    }
    return found;
  `) as Measured[];
  assert.equal(measured.length, paths.length + API_PAGES.length);
  for (const { path, width, text, links, heading, length } of measured) {
    await t.step(path, () => {
      assert.ok(width <= PHONE, `${width} pixels wide`);
      assert.ok(length > 100, `${length} characters`);
      if (API_PAGES.includes(path)) return;
      assert.ok(text >= READABLE, `a text of ${text} pixels`);
      assert.ok(links >= paths.length, `${links} links in the navigation`);
      assert.notEqual(heading, "");
    });
  }
});
