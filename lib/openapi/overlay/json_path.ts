/**
 * Reads JSONPath queries (RFC 9535) by a library. The library's own evaluation isn't used, as it has no bounds: see
 * select.ts.
 *
 * @module
 * @see {@link https://www.rfc-editor.org/rfc/rfc9535 RFC 9535}
 */
import type { JSONPathQuery } from "json-p3";
import { messageOf } from "../../http/message.ts";
import { quote } from "../../schema/wording.ts";

/** The library: the parser, and the classes of its syntax tree. */
export type JsonPathLibrary = typeof import("json-p3")["jsonpath"];

/**
 * A query that was read.
 *
 * @ignore `deno doc --lint` takes the types of npm packages for private ones.
 */
export type Query = JSONPathQuery;

/** A query that was read, or the reason why a text is no query. */
export type ReadQuery =
  /** `remark` is a sentence about a text that RFC 9535 doesn't quite allow; absent for others. */
  | { kind: "query"; query: Query; remark?: string }
  /** `reason` is the end of a sentence. */
  | { kind: "broken"; reason: string };

/** The most characters of a query. The parser is recursive, and its time grows with the length. */
export const LONGEST_QUERY = 10_000;

/** Imports the library, which only overlays need. */
export async function loadJsonPath(): Promise<JsonPathLibrary> {
  return (await import("json-p3")).jsonpath;
}

/** Reads a query. Accepts names after a dot that RFC 9535 wants in brackets, as many overlays have: `$.info.x-logo`. */
export function readQuery(written: string, { compile }: JsonPathLibrary): ReadQuery {
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
  // The library ends its messages with a part of the query and the index of the error: `… ('$.a[':4)`.
  const [, reason = messageOf(error), index] = /^(.*) \('.*':(\d+)\)$/s.exec(messageOf(error)) ?? [];
  const where = index === undefined ? "" : `, at character ${Number(index) + 1}`;
  return reason.charAt(0).toLowerCase() + reason.slice(1) + where;
}

/** A string literal, a number, or a name after dots. */
const TOKEN = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\d+\.\d+|(\.\.?)([^\s.[\]()'"*,=<>!&|?@~]+)/gs;

/** A name that may stand after a dot (RFC 9535, section 2.5.1). */
const SHORTHAND = /^[A-Za-z_\u0080-\u{10ffff}][\w\u0080-\u{10ffff}]*$/u;

/** Puts names into brackets that follow a dot although RFC 9535 doesn't allow them there. */
function bracketNames(written: string): string {
  return written.replace(TOKEN, (token: string, dots?: string, name?: string) => {
    if (dots === undefined || name === undefined || SHORTHAND.test(name)) return token;
    return `${dots === ".." ? ".." : ""}['${name.replaceAll("\\", "\\\\")}']`;
  });
}
