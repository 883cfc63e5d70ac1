import { decodeQueryText, percentDecode } from "../../http/url.ts";
import { REDACTED } from "./redacted.ts";
import { createRedactor, type Redactor } from "./redactor.ts";
import { isSecretName } from "../../names/secret_names.ts";

/** Options of {@linkcode redactUrl}. */
export interface RedactUrlOptions {
  /**
   * Names of query parameters that security schemes declare as API keys. Names such as `api_key` are recognised anyway.
   */
  secretQueries?: ReadonlySet<string>;
  /**
   * Finds the secrets that aren't recognised by the name of a query parameter. Default: a redactor without known
   * secrets.
   */
  redactor?: Redactor;
}

/**
 * Redacts the secrets in a URL, which may be relative: its password, secret query parameters, and segments of its path
 * that have the form of a secret.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.equal(
 *   redactUrl("https://ada:pass@example.com/pets?limit=3&api%5Fkey=k-123"),
 *   "https://ada:REDACTED@example.com/pets?limit=3&api%5Fkey=REDACTED",
 * );
 * ```
 */
export function redactUrl(url: string, options: RedactUrlOptions = {}): string {
  const { redactor = createRedactor() } = options;
  const hash = url.indexOf("#");
  const [target, fragment] = hash === -1 ? [url, ""] : [url.slice(0, hash), url.slice(hash)];
  const question = target.indexOf("?");
  const path = question === -1 ? target : target.slice(0, question);
  const query = question === -1 ? "" : `?${redactForm(target.slice(question + 1), options)}`;
  const segments = redactor.text(path).split("/").map((segment) => {
    const decoded = segment.includes("%") ? percentDecode(segment) : segment;
    return decoded === segment || redactor.text(decoded) === decoded ? segment : REDACTED;
  });
  return `${segments.join("/")}${query}${redactor.text(fragment)}`;
}

/** Redacts the secrets in a query, or in a body of `application/x-www-form-urlencoded`. */
export function redactForm(
  form: string,
  { secretQueries, redactor = createRedactor() }: RedactUrlOptions = {},
): string {
  return form.split("&").map((pair) => {
    const equals = pair.indexOf("=");
    const name = decodeQueryText(equals === -1 ? pair : pair.slice(0, equals));
    const value = decodeQueryText(equals === -1 ? "" : pair.slice(equals + 1));
    const isSecret = value !== "" && (secretQueries?.has(name) === true || isSecretName(lastName(name)));
    if (isSecret) return `${pair.slice(0, equals + 1)}${REDACTED}`;
    const [plainName, plainValue] = [redactor.text(name), redactor.value(value).value];
    if (plainName === name && plainValue === value) return pair;
    return `${encodeURIComponent(plainName)}=${encodeURIComponent(String(plainValue))}`;
  }).join("&");
}

/** The innermost part of a field's name: `password` of `user[password]`. */
function lastName(name: string): string {
  return name.endsWith("]") ? name.slice(name.lastIndexOf("[") + 1, -1) || name : name;
}
