import assert from "node:assert/strict";
import { buildSite, checkLinks } from "../../scripts/site.ts";
import { createFolder } from "../cmd/definitions.ts";
import { CHROMIUM, serveSite } from "./chromium.ts";

/** The width of a phone's screen, in CSS pixels. */
const PHONE = 390;

/** The smallest font size that can be read without zooming, in CSS pixels. */
const READABLE = 12;

/** The least contrast of text and background, for text of normal size: WCAG 2.2, 1.4.3. */
const CONTRAST = 4.5;

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
  scripts: number;
  /** Links that work only if the site is at the root of a server. */
  absolute: number;
  /** Tables whose columns have headings, but whose cells have no labels. */
  unlabelled: number;
  /** Code blocks of a known language without a coloured part. */
  colourless: number;
  /** The lowest contrast of text and background, in the light and in the dark colour scheme. */
  contrast: number;
}

Deno.test("the site of the documentation has no link that leads nowhere, and is readable on a phone without scripts", {
  ignore: CHROMIUM === undefined && Deno.env.get("CI") !== "true",
}, async (t) => {
  await using folder = await createFolder();
  await buildSite(folder.path);
  await t.step("links", async () => {
    const links = await checkLinks(folder.path);
    assert.ok(links.length > 300, `${links.length} links`);
    assert.deepEqual(links.filter(({ state }) => state === "BROKEN"), []);
  });
  const paths = ["index.html"];
  for await (const { name } of Deno.readDir(`${folder.path}/docs`)) {
    if (name.endsWith(".html")) paths.push(`docs/${name}`);
  }
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
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const luminances = new Map();
    const luminanceOf = (colour) => {
      if (!luminances.has(colour)) {
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data]
          .map((value) => value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
        luminances.set(colour, 0.2126 * red + 0.7152 * green + 0.0722 * blue);
      }
      return luminances.get(colour);
    };
    const backgroundOf = (element) => {
      const { backgroundColor } = getComputedStyle(element);
      return backgroundColor === "rgba(0, 0, 0, 0)" ? backgroundOf(element.parentElement) : backgroundColor;
    };
    const contrastOf = (element) => {
      const [low, high] = [getComputedStyle(element).color, backgroundOf(element)].map(luminanceOf).toSorted((a, b) => a - b);
      return (high + 0.05) / (low + 0.05);
    };
    const found = [];
    for (const path of ${JSON.stringify([...paths, ...API_PAGES])}) {
      const frame = document.createElement("iframe");
      frame.sandbox = "allow-same-origin";
      frame.style = "width: ${PHONE}px; height: 800px; border: 0";
      frame.src = "/" + path;
      await new Promise((resolve) => { frame.onload = resolve; document.body.append(frame); });
      const { documentElement } = frame.contentDocument;
      const texts = [...documentElement.querySelectorAll("main p, main td, main code, main li")];
      const content = documentElement.querySelector("main");
      const contrasts = ["light", "dark"].flatMap((scheme) => {
        documentElement.style.colorScheme = scheme;
        const elements = documentElement.querySelectorAll("body a, summary, main p, main td, main th, main code, .token");
        return [...elements].map(contrastOf);
      });
      found.push({
        path,
        width: documentElement.scrollWidth,
        text: Math.min(...texts.map((element) => parseFloat(frame.contentWindow.getComputedStyle(element).fontSize))),
        links: documentElement.querySelectorAll("nav a[href]").length,
        heading: content?.querySelector("h1")?.textContent ?? "",
        length: content?.innerText.length ?? 0,
        scripts: documentElement.querySelectorAll("script").length,
        absolute: documentElement.querySelectorAll("[href^='/'], [src^='/']").length,
        unlabelled: documentElement.querySelectorAll("table:has(th + th:not(:empty)):not(:has(td[data-label]))").length,
        colourless: documentElement.querySelectorAll("pre[class]:not(:has(.token), .language-text)").length,
        contrast: Math.min(...contrasts),
      });
      frame.remove();
    }
    return found;
  `) as Measured[];
  assert.equal(measured.length, paths.length + API_PAGES.length);
  for (const { path, width, text, links, heading, length, ...page } of measured) {
    await t.step(path, () => {
      assert.ok(width <= PHONE, `${width} pixels wide`);
      assert.ok(length > 100, `${length} characters`);
      if (API_PAGES.includes(path)) return;
      assert.ok(text >= READABLE, `a text of ${text} pixels`);
      assert.ok(links >= paths.length, `${links} links in the navigation`);
      assert.notEqual(heading, "");
      assert.ok(page.contrast >= CONTRAST, `a contrast of ${page.contrast}`);
      assert.deepEqual([page.scripts, page.absolute, page.unlabelled, page.colourless], [0, 0, 0, 0]);
    });
  }
});

const LINKS: { href: string; broken: boolean }[] = [
  { href: "other.html", broken: false },
  { href: "other.html#a", broken: false },
  { href: "https://example.com/", broken: false },
  { href: "none.html", broken: true },
  { href: "other.html#b", broken: true },
  { href: "folder/", broken: true },
];

for (const { href, broken } of LINKS) {
  Deno.test(`checkLinks() takes a link to ${href} for ${broken ? "broken" : "right"}`, async () => {
    await using folder = await createFolder();
    await Deno.mkdir(`${folder.path}/folder`);
    await Deno.writeTextFile(`${folder.path}/index.html`, `<!doctype html><a href="${href}">A</a>`);
    await Deno.writeTextFile(`${folder.path}/other.html`, '<!doctype html><h1 id="a">A</h1>');
    const links = await checkLinks(folder.path);
    assert.equal(links.some(({ state }) => state === "BROKEN"), broken);
  });
}
