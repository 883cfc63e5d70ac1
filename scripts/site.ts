/**
 * Makes the website of the documentation: `deno task site [FOLDER]`. Eleventy makes its pages from the Markdown files at
 * the root and in docs/, and `deno doc` those of the library's API. The pages need no scripts and no server. A broken
 * link makes the command fail.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import { fileURLToPath } from "node:url";
import Eleventy from "@11ty/eleventy";
import { check, type LinkResult } from "linkinator";

const ROOT = new URL("../", import.meta.url);

/**
 * Makes the website. The working directory has to be the root of the repository.
 *
 * @param folder The folder for its files. Old contents are removed.
 */
export async function buildSite(folder: string): Promise<void> {
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await new Eleventy(".", folder, { configPath: "scripts/site/eleventy.config.ts", quietMode: true }).write();
  await describeLibrary(`${folder}/api`);
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

/** Follows the links of the website from its first page, without those to other websites. Checks fragments too. */
export async function checkLinks(folder: string): Promise<LinkResult[]> {
  const { links } = await check({
    path: folder,
    recurse: true,
    checkFragments: true,
    linksToSkip: ["^https?://(?!127\\.0\\.0\\.1:)"],
    // On a busy machine, Deno may reset a connection to linkinator's own server.
    retryErrors: true,
    retryErrorsJitter: 100,
  });
  return links;
}

if (import.meta.main) {
  const folder = Deno.args[0] ?? fileURLToPath(new URL("dist/site", ROOT));
  await buildSite(folder);
  const links = await checkLinks(folder);
  const broken = links.filter(({ state }) => state === "BROKEN");
  for (const { parent, url } of broken) console.error(`${parent}: the link ${url} leads nowhere`);
  console.log(`${links.length} links in ${folder}, ${broken.length} of them broken.`);
  if (broken.length > 0) Deno.exit(1);
}
