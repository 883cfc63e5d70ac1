/**
 * The configuration of Eleventy, which makes the pages of the website from the Markdown files at the root and in docs/.
 * These have no front matter: data for them is computed here.
 *
 * @module
 */
import { posix } from "node:path";
import { InputPathToUrlTransformPlugin } from "@11ty/eleventy";
import syntaxHighlight from "@11ty/eleventy-plugin-syntaxhighlight";
import type { default as Configuration } from "@11ty/eleventy/UserConfig";
import { slug } from "github-slugger";
import anchor from "markdown-it-anchor";
import config from "../../deno.json" with { type: "json" };
import { labelCells, nameSessions } from "./markdown.ts";
import { NAVIGATION } from "./navigation.ts";

/** What is known of a page, when its data is computed. */
interface PageData {
  page: { filePathStem: string; rawInput: string };
}

/** A page in a collection. */
interface Page {
  inputPath: string;
}

/** The context of a transform of URLs. */
interface Transform {
  page: { url: string };
}

export default function configure(site: Configuration): Record<string, unknown> {
  site.setTemplateFormats(["md"]);
  site.ignores.add("!(docs)/**/*");
  site.addPassthroughCopy({ "scripts/site/style.css": "style.css" });
  // Other files that pages link to are copied too.
  site.addPassthroughCopy("**/*", { mode: "html-relative", failOnError: false });

  site.addGlobalData("layout", "page.njk");
  site.addGlobalData("version", config.version);
  site.addGlobalData("permalink", () => ({ page }: PageData) => `${page.filePathStem.replace("README", "index")}.html`);
  site.addGlobalData("eleventyComputed", {
    title: ({ page }: PageData) => /^# (.*)$/m.exec(page.rawInput)?.[1]?.replaceAll("`", ""),
  });
  site.addCollection("navigation", (collection: { getAll(): Page[] }) => {
    const pages = new Map(collection.getAll().map((page) => [posix.normalize(page.inputPath), page]));
    const groups = NAVIGATION.map(({ title, pages: paths }) => ({
      title,
      pages: paths.map((path) => take(pages, path)),
    }));
    groups.at(-1)?.pages.push(...pages.values());
    return groups;
  });

  site.addPlugin(syntaxHighlight);
  site.amendLibrary("md", (engine: Parameters<typeof anchor>[0]) => {
    engine.core.ruler.push("table_labels", labelCells);
    engine.core.ruler.push("sessions", nameSessions);
    // The ids are those that GitHub gives, so that links to headings work in the repository and on the website.
    engine.use(anchor, { slugify: slug, permalink: anchor.permalink.headerLink() });
  });

  // The website works in any folder, and without a server: its links are relative, and to files instead of folders.
  site.addPlugin(InputPathToUrlTransformPlugin);
  site.htmlTransformer.addUrlTransform("html", function (this: Transform, url: string): string {
    if (!url.startsWith("/")) return url;
    return posix.relative(posix.dirname(this.page.url), url.replace(/\/(?=#|$)/, "/index.html"));
  }, { priority: -2 });
  return { markdownTemplateEngine: false, dir: { includes: "scripts/site" } };
}

/** Takes a page out of those that aren't in the navigation yet. */
function take(pages: Map<string, Page>, path: string): Page {
  const page = pages.get(path);
  if (page === undefined) throw new Error(`navigation.ts names ${path}, which doesn't exist.`);
  pages.delete(path);
  return page;
}
