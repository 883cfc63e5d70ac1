/**
 * The URLs of operations, by their Server Objects.
 *
 * @module
 */
import type { Document } from "../../openapi/document.ts";
import type { Operation } from "../../openapi/operation.ts";
import { child, entries, items, type Node, stringOf } from "../../schema/json/node.ts";
import { resolveUri } from "../../schema/json/uri.ts";

/** Limit of the URLs of an operation. The values of server variables multiply their number. */
const MOST_URLS = 50;

/** An operation; or a whole path, which has no `node`. */
export type Declared = Pick<Operation, "document" | "path" | "pathItems"> & Partial<Pick<Operation, "method" | "node">>;

/** The base paths of an operation: the paths of its servers' URLs without a trailing slash, such as `/v1`. */
export function basePathsOf(declared: Omit<Declared, "path">): string[] {
  return basePathsIn(urlsOf(declared), declared.document.uri);
}

/** The paths of URLs without a trailing slash. Relative URLs are resolved against the definition's. */
export function basePathsIn(urls: readonly string[], documentUri: string): string[] {
  const paths = urls.map((url) => pathOf(url, documentUri)).filter((path) => path !== undefined);
  return [...new Set(paths)].filter((path) => path !== "").slice(0, MOST_URLS);
}

/** Returns the base paths of a definition's `servers`, which gateways don't serve; none if one of the servers has its paths at the root. */
export function unservedBasePaths(document: Document): string[] {
  const urls = urlsOf({ document, pathItems: [] });
  const paths = basePathsIn(urls, document.uri);
  return urls.every((url) => basePathsIn([url], document.uri).length > 0) ? paths : [];
}

/** The origins of URLs; `undefined` for a relative URL. */
export function originsIn(urls: readonly string[]): (string | undefined)[] {
  return urls.map((url) => URL.canParse(url) ? new URL(url).origin : undefined);
}

/**
 * The URLs of an operation's servers, with each value of their variables inserted. The servers are those of the
 * operation, else of its Path Item, else of the definition.
 */
export function urlsOf({ document, node, pathItems }: Omit<Declared, "path">): string[] {
  const levels = [...(node === undefined ? [] : [node]), ...pathItems, document.root];
  const servers = levels.map((level) => items(child(level, "servers"))).find((list) => list.length > 0) ?? [];
  return servers.flatMap(urlsOfServer);
}

function urlsOfServer(server: Node<"Server">): string[] {
  const url = stringOf(child(server, "url"));
  if (url === undefined) return [];
  let urls = [url];
  for (const [name, variable] of entries(child(server, "variables"))) {
    const values = [child(variable, "default"), ...items(child(variable, "enum"))].map(({ value }) => String(value));
    urls = urls.flatMap((url) => [...new Set(values)].map((value) => url.replaceAll(`{${name}}`, value)))
      .slice(0, MOST_URLS);
  }
  return urls;
}

/**
 * The path of a server's URL, without a trailing slash. Its host may contain variables, so `URL` can't parse it.
 * `undefined` for a URL that is relative to a file, such as `v1`.
 */
function pathOf(url: string, documentUri: string): string | undefined {
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(url);
  if (absolute !== null) return withoutEnd(absolute[1] ?? "");
  if (url.startsWith("/")) return withoutEnd(url.replace(/[?#].*$/, ""));
  // A URL relative to an `http` URL has a path that clients use; a URL relative to a file has none.
  const resolved = resolveUri(url, documentUri);
  return /^https?:/.test(resolved) ? withoutEnd(new URL(resolved).pathname) : undefined;
}

function withoutEnd(path: string): string {
  return path.replace(/\/+$/, "");
}
