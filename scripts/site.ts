/**
 * Makes the website of the documentation: `deno task site [FOLDER]`. Its pages are the README, other Markdown files at
 * the root and in docs/, and the library's API by `deno doc`. The pages need no scripts and no server. A broken link
 * makes the command fail.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../deno.json" with { type: "json" };
import { type BrokenLink, findBrokenLinks } from "./site/check_links.ts";
import { type Entry, layOut } from "./site/layout.ts";
import { type RenderedPage, renderPage } from "./site/render_page.ts";

const ROOT = new URL("../", import.meta.url);

/** The first pages of the navigation. The others follow, sorted by file name. */
const FIRST = [
  "README.md",
  "docs/mocking.md",
  "docs/recipes.md",
  "docs/gateway.md",
  "docs/cluster.md",
  "docs/library.md",
  "docs/migration.md",
];

/** The entry of the navigation for the library's API. */
const API: Entry = { title: "API of the library", path: "api/index.html" };

export interface BuiltSite {
  pages: number;
  broken: readonly BrokenLink[];
}

/**
 * Makes the website.
 *
 * @param folder The folder for its files. Old contents are removed.
 */
export async function buildSite(folder: string): Promise<BuiltSite> {
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder, { recursive: true });
  const sources = await listSources();
  const others = new Set<string>();
  const rendered = new Map<string, RenderedPage>();
  for (const source of sources) {
    const text = await Deno.readTextFile(new URL(source, ROOT));
    rendered.set(source, renderPage(text, (target) => hrefOf(target, source, sources, others)));
  }
  const entries = [
    ...[...rendered].map(([source, { title }]) => ({ title: titleOf(source, title), path: pathOf(source) })),
    API,
  ];
  for (const [source, page] of rendered) {
    const path = pathOf(source);
    await write(folder, path, layOut({ ...page, path, entries, version: config.version }));
  }
  for (const path of others) await copy(folder, path);
  await Deno.copyFile(new URL("site/style.css", import.meta.url), `${folder}/style.css`);
  await describeLibrary(`${folder}/api`);
  const files = await readSite(folder);
  return { pages: [...files.keys()].filter((path) => path.endsWith(".html")).length, broken: findBrokenLinks(files) };
}

async function listSources(): Promise<string[]> {
  const found: string[] = [];
  for (const prefix of ["", "docs/"]) {
    for await (const { name } of Deno.readDir(new URL(`./${prefix}`, ROOT))) {
      if (name.endsWith(".md")) found.push(`${prefix}${name}`);
    }
  }
  const rank = (source: string): number => FIRST.includes(source) ? FIRST.indexOf(source) : FIRST.length;
  return found.toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

function pathOf(source: string): string {
  return source === "README.md" ? "index.html" : source.replace(/\.md$/, ".html");
}

function titleOf(source: string, title: string): string {
  return source === "README.md" ? "Home" : title;
}

/**
 * The address of a link's target on the website. Targets that aren't pages, such as source files, have to be copied.
 *
 * @param others Collects the paths of these files.
 */
function hrefOf(target: string, source: string, sources: readonly string[], others: Set<string>): string {
  if (/^([a-z][a-z0-9+.-]*:|\/\/|#)/i.test(target)) return target;
  const [address = "", fragment] = target.split("#");
  const path = posix.normalize(posix.join(posix.dirname(source), decodeURI(address)));
  const hash = fragment === undefined ? "" : `#${fragment}`;
  const from = posix.dirname(pathOf(source));
  if (sources.includes(path)) return `${posix.relative(from, pathOf(path))}${hash}`;
  others.add(path);
  return `${posix.relative(from, copyOf(path))}${hash}`;
}

/** The path of a copied file on the website. It ends with `.txt`, so that a browser shows any file as text. */
function copyOf(path: string): string {
  return `files/${path.replace(/\/$/, "")}.txt`;
}

/** Copies a file of the repository. If the file doesn't exist, the link to it is reported as broken. */
async function copy(folder: string, path: string): Promise<void> {
  if (path.startsWith("..")) return;
  const text = await Deno.readTextFile(new URL(path, ROOT)).catch(() => undefined);
  if (text !== undefined) await write(folder, copyOf(path), text);
}

async function write(folder: string, path: string, text: string): Promise<void> {
  await Deno.mkdir(posix.dirname(`${folder}/${path}`), { recursive: true });
  await Deno.writeTextFile(`${folder}/${path}`, text);
}

async function describeLibrary(folder: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--html", "--name=gw", `--output=${folder}`, "mod.ts"],
    cwd: fileURLToPath(ROOT),
    env: { NO_COLOR: "1" },
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`deno doc failed:\n${new TextDecoder().decode(stderr)}`);
  const additions = await Deno.readTextFile(new URL("site/api.css", import.meta.url));
  await Deno.writeTextFile(`${folder}/page.css`, additions, { append: true });
}

/** The files of a folder, by path. Only HTML pages have a text, other files are empty. */
async function readSite(folder: string, prefix = ""): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for await (const { name, isDirectory } of Deno.readDir(`${folder}/${prefix}`)) {
    const path = `${prefix}${name}`;
    if (isDirectory) { for (const [inner, text] of await readSite(folder, `${path}/`)) files.set(inner, text); }
    else files.set(path, name.endsWith(".html") ? await Deno.readTextFile(`${folder}/${path}`) : "");
  }
  return files;
}

if (import.meta.main) {
  const folder = Deno.args[0] ?? fileURLToPath(new URL("dist/site", ROOT));
  const { pages, broken } = await buildSite(folder);
  for (const { page, href } of broken) console.error(`${page}: the link ${href} leads nowhere`);
  console.log(`${pages} pages in ${folder}, ${broken.length} broken links.`);
  if (broken.length > 0) Deno.exit(1);
}
