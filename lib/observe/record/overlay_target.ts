/**
 * Formats and parses the targets of overlay actions: JSONPath queries (RFC 9535) that select one place by its exact
 * path.
 *
 * @module
 * @see {@link https://www.rfc-editor.org/rfc/rfc9535 RFC 9535}
 */

/** Names that JSONPath allows after a dot (member-name-shorthand). */
const SHORTHAND = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The target for the reference tokens of a JSON Pointer: `$.paths['/pets/{id}'].get`. */
export function formatTarget(tokens: readonly string[]): string {
  return `$${tokens.map((token) => SHORTHAND.test(token) ? `.${token}` : `[${quote(token)}]`).join("")}`;
}

/**
 * Parses a target into the reference tokens of a JSON Pointer. Returns `undefined` for a query that may select several
 * places.
 */
export function parseTarget(target: string): string[] | undefined {
  if (!target.startsWith("$")) return undefined;
  const tokens: string[] = [];
  const segment = /\.([A-Za-z_]\w*)|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/uy;
  segment.lastIndex = 1;
  while (segment.lastIndex < target.length) {
    const [, name, single, double] = segment.exec(target) ?? [];
    const token = name ?? unquote(single ?? double);
    if (token === undefined) return undefined;
    tokens.push(token);
  }
  return tokens;
}

function quote(token: string): string {
  const json = JSON.stringify(token.toWellFormed()).slice(1, -1);
  return `'${json.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function unquote(literal: string | undefined): string | undefined {
  if (literal === undefined) return undefined;
  try {
    const text: unknown = JSON.parse(`"${literal.replaceAll("\\'", "'").replace(/(?<!\\)"/g, '\\"')}"`);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}
