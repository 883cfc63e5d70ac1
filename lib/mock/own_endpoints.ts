/**
 * The mock server's own endpoints without access control: at `/` an index of operations, which leads browsers to the
 * console, and a health check at `/_gw/health`.
 *
 * @module
 */
import { jsonText } from "../http/one_line.ts";
import type { Document } from "../openapi/document.ts";
import { child, stringOf } from "../schema/json/node.ts";
import type { Operation } from "../openapi/operation.ts";
import { type Answer, createAnswer, problemAnswer } from "./answer/answer.ts";
import { negotiate } from "./answer/negotiate.ts";

/**
 * The default prefix of the mock server's own paths. A definition's path without parameters takes precedence over an
 * equal path of the server.
 */
export const CONTROL_PREFIX = "/_gw/";

/** The path of the console's pages below the base path of the control API, which itself leads to the first page. */
export const PAGES_PATH = "console/";

/**
 * Whether a path leads to the control API of a server with a base path, or with the default one, perhaps in a session
 * (`/_gw/s/NAME/_gw/state`). The other paths of a session lead to the mocked API.
 */
export function isControlPath(path: string, controlPath: string): boolean {
  return [CONTROL_PREFIX, controlPath].some((prefix) => {
    if (!path.startsWith(prefix)) return false;
    const [session] = /^s\/[^/]*(?=\/)/.exec(path.slice(prefix.length)) ?? [];
    return session === undefined || path.slice(prefix.length + session.length).startsWith(prefix);
  });
}

/** Limit of the operations that the index lists. It says how many are left out. */
const MOST_LISTED = 2_000;

/** Answers the health check, which needs no credentials. */
export function answerHealth(method: string, path: string): Answer {
  if (method === "GET" || method === "HEAD") return jsonAnswer({ status: "ok" });
  const detail = `${path} has no ${method}; it has GET, HEAD.`;
  return problemAnswer({ title: "Method Not Allowed", status: 405, detail }, [["allow", "GET, HEAD"]]);
}

/**
 * Makes the index of operations, prepared at its first request.
 *
 * @param page The path of the console's first page, to which the index leads browsers. Default: there is no console.
 */
export function createIndex(
  documents: readonly Document[],
  operations: readonly Operation[],
  page?: string,
): (accept: string | null) => Answer {
  let index: Answer | undefined;
  const redirect = page === undefined ? undefined : redirectTo(page);
  return (accept) => {
    const wantsPage = negotiate(accept, ["application/json", "text/html"])?.index === 1;
    return wantsPage && redirect !== undefined ? redirect : index ??= indexAnswer(documents, operations);
  };
}

function indexAnswer(documents: readonly Document[], operations: readonly Operation[]): Answer {
  const shown = operations.slice(0, MOST_LISTED);
  const definitions = documents.map((document) => ({
    title: stringOf(child(child(document.root, "info"), "title")) ?? document.uri,
    version: stringOf(child(child(document.root, "info"), "version")) ?? "",
    operations: shown.filter((operation) => operation.document === document).map(({ method, path, node }) => (
      { method, path, summary: stringOf(child(node, "summary")) ?? "" }
    )),
  }));
  const more = operations.length - shown.length;
  return jsonAnswer(more > 0 ? { definitions, more } : { definitions });
}

/** Leads to the console. The answer depends on `Accept`, so that no cache may keep it. */
function redirectTo(location: string): Answer {
  const headers = [["location", location], ["cache-control", "no-store"]] as const;
  return createAnswer({ status: 303, headers, body: null, mediaType: "", source: "gw" });
}

function jsonAnswer(value: unknown): Answer {
  const text = jsonText(value);
  return createAnswer({
    status: 200,
    headers: [["content-type", "application/json"], ["cache-control", "no-store"]],
    body: new TextEncoder().encode(text),
    text,
    mediaType: "application/json",
    source: "gw",
  });
}
