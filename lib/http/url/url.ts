/**
 * Reads the parts of a URL as the client wrote them: path and query of a request, percent-encoding (RFC 3986, section
 * 2.1).
 *
 * @module
 */
/**
 * Splits the URL of a request into path and query, without the cost of making a `URL`.
 *
 * @param url The value of `Request.url`.
 * @returns The path, percent-encoded as written, and the query without `?`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(splitTarget("http://localhost:8080/pets/%zz?limit=3"), { path: "/pets/%zz", query: "limit=3" });
 * ```
 */
export function splitTarget(url: string): { path: string; query: string } {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start === -1) return { path: "/", query: "" };
  // A request's target has no fragment (RFC 9112, section 3.2), but the URL of a `Request` that a program makes may
  // have a fragment.
  const hash = url.indexOf("#", start);
  const end = hash === -1 ? url.length : hash;
  const question = url.indexOf("?", start);
  if (question === -1 || question > end) return { path: url.slice(start, end), query: "" };
  return { path: url.slice(start, question), query: url.slice(question + 1, end) };
}

/** Returns path and query of a URL, as they are written. */
export function targetOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  return start === -1 ? "/" : url.slice(start);
}

/** Tells whether every `%` in a text starts an escape, and the escaped bytes are UTF-8. */
export function isPercentEncoded(text: string): boolean {
  return !text.includes("%") || tryDecode(text) !== undefined;
}

/** Decodes percent-encoding. A badly encoded text is returned unchanged. */
export function percentDecode(text: string): string {
  return text.includes("%") ? tryDecode(text) ?? text : text;
}

function tryDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The parameters of a query: by name, the values as written, with percent-encoding. */
export class QueryParameters extends Map<string, string[]> {
  /** The names of all values, in the order of the query. A repeated parameter is repeated here. */
  readonly order: string[] = [];
}

/**
 * Splits a query string into its parameters. Values stay percent-encoded, because delimiters in a value must be found
 * before it is decoded (RFC 3986, section 2.4).
 *
 * @param query The query of a URL, without its `?`.
 * @param most The limit of parameters. If the query has more, reading stops after `most + 1` parameters, by which a
 * caller sees that the limit is exceeded. Default: no limit.
 * @returns Values as written, by name. Names are decoded, `+` in a name is a space.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const parameters = splitQuery("tag=a%2Cb,c&tag=d&flag");
 * assert.deepEqual(parameters.get("tag"), ["a%2Cb,c", "d"]);
 * assert.deepEqual(parameters.get("flag"), [""]);
 * ```
 */
export function splitQuery(query: string, most = Infinity): QueryParameters {
  const parameters = new QueryParameters();
  // `query.split("&")` would need many times the memory of a query that consists of ampersands.
  for (let start = 0, end: number; start < query.length && parameters.order.length <= most; start = end + 1) {
    const ampersand = query.indexOf("&", start);
    end = ampersand < 0 ? query.length : ampersand;
    if (end === start) continue;
    const pair = query.slice(start, end);
    const equals = pair.indexOf("=");
    const name = decodeQueryText(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? "" : pair.slice(equals + 1);
    parameters.order.push(name);
    const values = parameters.get(name);
    if (values === undefined) parameters.set(name, [value]);
    else values.push(value);
  }
  return parameters;
}

/** Decodes a name or value of a query as forms encode them: `+` is a space, the rest is percent-encoded. */
export function decodeQueryText(text: string): string {
  return percentDecode(text.includes("+") ? text.replaceAll("+", " ") : text);
}

/**
 * Removes parameters from a query string. The other parameters stay as written.
 *
 * @param query The query of a URL, without its `?`.
 * @param names Decoded names of the parameters.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.equal(withoutParameters("a=1&b=2&%61=3", new Set(["a"])), "b=2");
 * ```
 */
export function withoutParameters(query: string, names: ReadonlySet<string>): string {
  return query.split("&").filter((pair) => {
    const equals = pair.indexOf("=");
    return !names.has(decodeQueryText(equals < 0 ? pair : pair.slice(0, equals)));
  }).join("&");
}
