import { escapeHtml } from "./escape_html.ts";

export interface Entry {
  title: string;
  /** The path of the page from the root of the website: `docs/rules.html`. */
  path: string;
}

/** The contents of a page, and of its head and navigation. */
export interface Layout {
  /** The path of the page from the root of the website. */
  path: string;
  title: string;
  html: string;
  entries: readonly Entry[];
  version: string;
}

/** Makes a whole HTML page. The navigation is a `details` element, which opens without scripts. */
export function layOut({ path, title, html, entries, version }: Layout): string {
  const top = "../".repeat(path.split("/").length - 1);
  const links = entries.map((entry) => {
    const current = entry.path === path ? ' aria-current="page"' : "";
    return `<li><a href="${top}${entry.path}"${current}>${escapeHtml(entry.title)}</a></li>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}${path === "index.html" ? "" : " · gw"}</title>
<link rel="stylesheet" href="${top}style.css">
</head>
<body>
<header>
<a class="home" href="${top}index.html">gw</a> <small>${escapeHtml(version)}</small>
<details>
<summary>Pages</summary>
<nav aria-label="Pages"><ul>
${links.join("\n")}
</ul></nav>
</details>
</header>
<main>
${html}</main>
</body>
</html>
`;
}
