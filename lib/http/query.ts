import { percentDecode } from "./percent.ts";

/**
 * Splits a query string into its parameters, without decoding their values: which characters of a value are
 * delimiters must be told before (RFC 3986, section 2.4).
 *
 * @param query The query of a URL, without its `?`.
 * @returns Values as written by name. Names are decoded, `+` in a name is a space.
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
export function splitQuery(query: string): Map<string, string[]> {
  const parameters = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decodeQueryText(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? "" : pair.slice(equals + 1);
    const values = parameters.get(name);
    if (values === undefined) parameters.set(name, [value]);
    else values.push(value);
  }
  return parameters;
}

/** Decodes a name or value of a query as forms encode it: `+` is a space, then percent-encoding. */
export function decodeQueryText(text: string): string {
  return percentDecode(text.includes("+") ? text.replaceAll("+", " ") : text);
}

/**
 * Leaves parameters out of a query string; the others stay as they are written.
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
