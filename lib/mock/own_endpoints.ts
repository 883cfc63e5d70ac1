/**
 * The mock server's own endpoints without access control: an index of operations at `/`, and a health check at
 * `/_gw/health`.
 *
 * @module
 */
import { jsonText, oneLine } from "../http/one_line.ts";
import type { Document } from "../openapi/document.ts";
import { child, stringOf } from "../schema/node.ts";
import type { Operation } from "../openapi/operation.ts";
import { type Answer, createAnswer, problemAnswer } from "./answer/answer.ts";
import { negotiate } from "./answer/negotiate.ts";

/**
 * The default prefix of the mock server's own paths. A definition's path without parameters takes precedence over an
 * equal path of the server.
 */
export const CONTROL_PREFIX = "/_gw/";

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

/** A definition in the index. */
interface Listed {
  readonly title: string;
  readonly version: string;
  readonly operations: readonly { readonly method: string; readonly path: string; readonly summary: string }[];
}

/** Answers the health check, which needs no credentials. */
export function answerHealth(method: string, path: string): Answer {
  if (method === "GET" || method === "HEAD") return jsonAnswer({ status: "ok" });
  const detail = `${path} has no ${method}; it has GET, HEAD.`;
  return problemAnswer({ title: "Method Not Allowed", status: 405, detail }, [["allow", "GET, HEAD"]]);
}

/** The index of operations as HTML and as JSON. */
interface IndexAnswers {
  readonly json: Answer;
  readonly page: Answer;
}

/** Makes the index of operations: HTML for browsers, JSON for other clients. Prepared at its first request. */
export function createIndex(
  documents: readonly Document[],
  operations: readonly Operation[],
): (accept: string | null) => Answer {
  let answers: IndexAnswers | undefined;
  return (accept) => {
    const { json, page } = answers ??= indexAnswers(documents, operations);
    return negotiate(accept, ["application/json", "text/html"])?.index === 1 ? page : json;
  };
}

function indexAnswers(documents: readonly Document[], operations: readonly Operation[]): IndexAnswers {
  const shown = operations.slice(0, MOST_LISTED);
  const listed = documents.map((document): Listed => ({
    title: stringOf(child(child(document.root, "info"), "title")) ?? document.uri,
    version: stringOf(child(child(document.root, "info"), "version")) ?? "",
    operations: shown.filter((operation) => operation.document === document).map(({ method, path, node }) => (
      { method, path, summary: stringOf(child(node, "summary")) ?? "" }
    )),
  }));
  const more = operations.length - shown.length;
  const index = more > 0 ? { definitions: listed, more } : { definitions: listed };
  return { json: jsonAnswer(index), page: pageAnswer(listed, more) };
}

function jsonAnswer(value: unknown): Answer {
  return ownAnswer("application/json", jsonText(value));
}

function pageAnswer(listed: readonly Listed[], more: number): Answer {
  const sections = listed.map(({ title, version, operations }) => {
    const rows = operations.map(({ method, path, summary }) => {
      // A browser doesn't send a fragment (`#`), so a path key with one gets no link.
      const isLink = method === "GET" && !/[{#]/.test(path) && oneLine(path) === path;
      // The `.` makes the link relative. Without it, the path `//name/x` would be a link to the server `name`.
      const shown = isLink ? `<a href=".${escape(path)}">${escape(path)}</a>` : escape(path);
      return `<tr><td>${escape(method)}<td><code>${shown}</code><td>${escape(summary)}`;
    });
    return `<h1>${escape(title)} ${escape(version)}</h1>\n<table>\n${rows.join("\n")}\n</table>\n`;
  });
  const rest = more > 0 ? `<p>and ${more} more.\n` : "";
  const html = '<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n' +
    '<meta name="viewport" content="width=device-width">\n' +
    `<title>${escape(listed.map(({ title }) => title).join(", "))}, mocked by gw</title>\n` +
    "<style>body{font:1rem/1.5 system-ui;margin:1rem auto;max-width:60rem;padding:0 1rem}" +
    "td{padding:0 1rem .25rem 0;vertical-align:top;overflow-wrap:anywhere}</style>\n" +
    sections.join("") + rest;
  return ownAnswer("text/html; charset=utf-8", html, [
    ["content-security-policy", "default-src 'none'; style-src 'unsafe-inline'"],
  ]);
}

function ownAnswer(mediaType: string, text: string, more: readonly (readonly [string, string])[] = []): Answer {
  return createAnswer({
    status: 200,
    headers: [["content-type", mediaType], ["cache-control", "no-store"], ...more],
    body: new TextEncoder().encode(text),
    text,
    mediaType,
    source: "gw",
  });
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return oneLine(text).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
