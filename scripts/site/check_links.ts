import { posix } from "node:path";

/** The path of the file that a link leads to; for a folder, the path of its index page. */
function targetOf(page: string, address: string): string {
  const path = posix.normalize(posix.join(posix.dirname(page), decodeURI(address.replace(/\?.*/, ""))));
  return path.endsWith("/") ? posix.join(path, "index.html") : path;
}

const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', amp: "&" };

export interface BrokenLink {
  page: string;
  href: string;
}

/**
 * Finds links between pages whose target file, or whose element with the id of the fragment, doesn't exist. Links to
 * other websites aren't checked.
 *
 * @param files The texts of HTML pages, and empty texts for other files, by path from the root of the website.
 */
export function findBrokenLinks(files: ReadonlyMap<string, string>): BrokenLink[] {
  const ids = new Map<string, Set<string>>();
  const idsOf = (path: string): Set<string> => {
    const known = ids.get(path) ??
      new Set([...files.get(path)?.matchAll(/\s(?:id|name)="([^"]*)"/g) ?? []].map(([, id = ""]) => unescaped(id)));
    ids.set(path, known);
    return known;
  };
  return [...files].flatMap(([page, html]) => {
    const hrefs = new Set(
      [...html.matchAll(/<[a-z][^>]*?\s(?:href|src)="([^"]*)"/g)].map(([, href = ""]) => unescaped(href)),
    );
    return [...hrefs].filter((href) => {
      if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(href)) return false;
      const [address = "", fragment] = href.split("#");
      const target = address === "" ? page : targetOf(page, address);
      if (!files.has(target)) return true;
      return fragment !== undefined && fragment !== "" && !idsOf(target).has(decodeURIComponent(fragment));
    }).map((href) => ({ page, href }));
  });
}

function unescaped(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]+)|#(\d+)|(lt|gt|quot|amp));/gi, (_, hex, decimal, name) => {
    if (name !== undefined) return NAMED[String(name).toLowerCase()] ?? "";
    return String.fromCodePoint(hex === undefined ? Number(decimal) : parseInt(String(hex), 16));
  });
}
