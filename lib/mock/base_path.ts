import { child, entries, items, type Node, stringOf } from "../schema/node.ts";
import type { Operation } from "../openapi/operation.ts";
import { resolveUri } from "../schema/uri.ts";

/** More combinations of server variables than this are not tried. */
const MOST_BASE_PATHS = 50;

/**
 * The paths of the servers of an operation (Server Object), without a slash at the end: `/v1`. Those of the operation
 * itself, else of its path, else of the definition; each value that a variable may take is one more path. Without the
 * `node` of an operation they are those of the path.
 */
export function basePathsOf(
  { document, node, pathItems }: Pick<Operation, "document" | "pathItems"> & Partial<Pick<Operation, "node">>,
): string[] {
  const levels = [...(node === undefined ? [] : [node]), ...pathItems, document.root];
  const servers = levels.map((level) => items(child(level, "servers"))).find((list) => list.length > 0) ?? [];
  return [...new Set(servers.flatMap((server) => pathsOf(server, document.uri)))]
    .filter((path) => path !== "")
    .slice(0, MOST_BASE_PATHS);
}

function pathsOf(server: Node, documentUri: string): string[] {
  const url = stringOf(child(server, "url"));
  if (url === undefined) return [];
  let urls = [url];
  for (const [name, variable] of entries(child(server, "variables"))) {
    const values = [child(variable, "default"), ...items(child(variable, "enum"))].map(({ value }) => String(value));
    urls = urls.flatMap((url) => [...new Set(values)].map((value) => url.replaceAll(`{${name}}`, value)))
      .slice(0, MOST_BASE_PATHS);
  }
  return urls.map((url) => pathOf(url, documentUri)).filter((path) => path !== undefined);
}

/** The path of a server's URL, which may be relative to the definition, or have variables in its host. */
function pathOf(url: string, documentUri: string): string | undefined {
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(url);
  if (absolute !== null) return withoutEnd(absolute[1] ?? "");
  if (url.startsWith("/")) return withoutEnd(url.replace(/[?#].*$/, ""));
  // Relative to a file there is no path that a client could know; relative to a URL there is.
  const resolved = resolveUri(url, documentUri);
  return /^https?:/.test(resolved) ? withoutEnd(new URL(resolved).pathname) : undefined;
}

function withoutEnd(path: string): string {
  return path.replace(/\/+$/, "");
}
