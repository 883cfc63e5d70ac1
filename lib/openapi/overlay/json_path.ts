/**
 * Parses JSONPath queries (RFC 9535) with json-p3. The library's own evaluation isn't used, as it has no limit of work:
 * select.ts evaluates queries.
 *
 * @module
 * @see {@link https://www.rfc-editor.org/rfc/rfc9535 RFC 9535}
 */
import type { JSONPathQuery } from "json-p3";
import { messageOf } from "../../http/message.ts";
import { quote } from "../../schema/wording.ts";

/** The library json-p3: its parser, and the classes of its syntax tree. */
export type JsonPathLibrary = typeof import("json-p3")["jsonpath"];

/**
 * A parsed query.
 *
 * @ignore `deno doc --lint` takes the types of npm packages for private ones.
 */
export type JsonPathQuery = JSONPathQuery;

/** The result of parsing a query. */
export type ReadQuery =
  /** `remark` is a sentence about syntax that RFC 9535 doesn't allow but gw accepts; absent for other queries. */
  | { kind: "query"; query: JsonPathQuery; remark?: string }
  /** `reason` is the end of a sentence. */
  | { kind: "broken"; reason: string };

/** Limit of the characters of a query: the parser is recursive, so that a longer query could overflow the stack. */
export const LONGEST_QUERY = 10_000;

/** Imports the library when it is needed: most definitions have no overlays. */
export async function loadJsonPath(): Promise<JsonPathLibrary> {
  return (await import("json-p3")).jsonpath;
}

/**
 * Parses a query. Accepts names after a dot for which RFC 9535 requires brackets, such as `$.info.x-logo`: many
 * overlays have them.
 */
export function readJsonPath(written: string, { compile }: JsonPathLibrary): ReadQuery {
  if (written.length > LONGEST_QUERY) {
    return { kind: "broken", reason: `it has more than ${LONGEST_QUERY} characters` };
  }
  const repaired = bracketNames(written);
  try {
    const query = compile(repaired);
    if (repaired === written) return { kind: "query", query };
    const remark = "RFC 9535 allows only letters, digits and `_` in a name after a dot";
    return { kind: "query", query, remark: `${remark}: write ${quote(repaired)}.` };
  } catch (error) {
    return { kind: "broken", reason: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return "it is nested too deep";
  // The library appends a part of the query and the index of the error to its messages: `… ('$.a[':4)`.
  const [, reason = messageOf(error), index] = /^(.*) \('.*':(\d+)\)$/s.exec(messageOf(error)) ?? [];
  const where = index === undefined ? "" : `, at character ${Number(index) + 1}`;
  return reason.charAt(0).toLowerCase() + reason.slice(1) + where;
}

/** A string literal, a number, or a name after one or two dots. */
const TOKEN = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\d+\.\d+|(\.\.?)([^\s.[\]()'"*,=<>!&|?@~]+)/gs;

/** A name that RFC 9535 allows after a dot (section 2.5.1). */
const SHORTHAND = /^[A-Za-z_\u0080-\u{10ffff}][\w\u0080-\u{10ffff}]*$/u;

/** Rewrites names after a dot that RFC 9535 doesn't allow there, such as `.x-logo`, to names in brackets. */
function bracketNames(written: string): string {
  return written.replace(TOKEN, (token: string, dots?: string, name?: string) => {
    if (dots === undefined || name === undefined || SHORTHAND.test(name)) return token;
    return `${dots === ".." ? ".." : ""}['${name.replaceAll("\\", "\\\\")}']`;
  });
}
