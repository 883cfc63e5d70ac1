import { type CompanionTest, createCompanionTest, isSecretName } from "../../names/secret_names.ts";
import { decodeQueryText, percentDecode } from "../../http/url/url.ts";
import type { DeclaredSecrets } from "./declared_secrets.ts";
import { REDACTED } from "./redacted.ts";

/** Redacts the secrets in the parts of a URL or form. */
export interface PartRedactor {
  /** Redacts the secrets in a text. */
  text(text: string): string;
  /** Redacts the secrets in the decoded value of a parameter, which may be JSON, XML or another URL. */
  parameter(value: string): string;
}

/**
 * Redacts the secrets in a URL, which may be relative: its password, secret query parameters, and segments of its path
 * that have the form of a secret.
 */
export function redactUrl(url: string, redactor: PartRedactor, declared: DeclaredSecrets): string {
  const hash = url.indexOf("#");
  const [target, fragment] = hash === -1 ? [url, ""] : [url.slice(0, hash), url.slice(hash + 1)];
  const question = target.indexOf("?");
  const path = question === -1 ? target : target.slice(0, question);
  const query = question === -1 ? "" : `?${redactForm(target.slice(question + 1), redactor, declared)}`;
  const segments = redactor.text(path).split("/").map((segment, index, all) => {
    if (isSecretSegment(segment, all, index)) return REDACTED;
    const decoded = segment.includes("%") ? percentDecode(segment) : segment;
    return decoded === segment || redactor.text(decoded) === decoded ? segment : REDACTED;
  });
  // The implicit grant of OAuth 2.0 gives its tokens in a fragment, in the form of a query.
  return `${segments.join("/")}${query}${hash === -1 ? "" : `#${redactForm(fragment, redactor, declared)}`}`;
}

/** Names of links that let in who has them. What follows in the path is the secret, such as `/reset-password/4fT…`. */
const LINK = new RegExp(
  "^(?:(?:reset|forgot|forgotten|set|change)[-_]?password|password[-_]?(?:reset|recovery)|magic[-_]?link|" +
    "(?:verify|confirm)[-_]?(?:e-?mail|account)|(?:e-?mail|account)[-_]?(?:verification|confirmation)|" +
    "activate(?:[-_]?account)?|unsubscribe|accept[-_]?invit(?:e|ation))s?$",
  "i",
);
/** Names before the token of a webhook: `/services/T…/B…/TOKEN` of Slack, `/api/webhooks/ID/TOKEN` of Discord. */
const WEBHOOK = /^(?:incoming)?(?:web)?hooks?$|^services$/i;
/** A text that looks random, rather than a name. */
const RANDOM = /^(?=[^\d]*\d)(?=.*[A-Za-z])[-\w~.]{16,}$/;
/** A random text in both cases, which an id in hexadecimal digits or a name with a number isn't. */
const MIXED = /^(?=[^\d]*\d)(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[-\w]{20,}$/;

/** Whether a segment of a path is a secret by those before it. */
function isSecretSegment(segment: string, path: readonly string[], index: number): boolean {
  if (segment.length < 16 || index === 0) return false;
  if (RANDOM.test(segment) && LINK.test(path[index - 1] ?? "")) return true;
  return MIXED.test(segment) && path.slice(Math.max(0, index - 3), index).some((name) => WEBHOOK.test(name));
}

/**
 * Redacts the secrets in a query, or in a body of `application/x-www-form-urlencoded`.
 *
 * @param declared What the definition says about the parameters of a query.
 */
export function redactForm(form: string, redactor: PartRedactor, declared: DeclaredSecrets): string {
  const pairs = form.split("&").map((written): Pair => {
    const equals = written.indexOf("=");
    const name = decodeQueryText(equals === -1 ? written : written.slice(0, equals));
    return { written, equals, name, value: decodeQueryText(equals === -1 ? "" : written.slice(equals + 1)) };
  });
  const isCode = createCompanionTest([...new Set(pairs.map(({ name }) => name))]);
  return pairs.map(({ written, equals, name, value }) => {
    if (isSecretParameter(name, value, isCode, declared)) return `${written.slice(0, equals + 1)}${REDACTED}`;
    const [plainName, plainValue] = [redactor.text(name), redactor.parameter(value)];
    if (plainName === name && plainValue === value) return written;
    return equals === -1
      ? encodeURIComponent(plainName)
      : `${encodeURIComponent(plainName)}=${encodeURIComponent(plainValue)}`;
  }).join("&");
}

interface Pair {
  readonly written: string;
  /** The index of `=` in the written pair; -1 without one. */
  readonly equals: number;
  readonly name: string;
  readonly value: string;
}

/**
 * Whether the value of a query parameter or of a form's field is a secret, by its name, by the names beside it, and by
 * what the definition says.
 *
 * @param isCode See {@linkcode createCompanionTest}.
 */
export function isSecretParameter(
  name: string,
  value: string,
  isCode: CompanionTest,
  declared: DeclaredSecrets,
): boolean {
  if (value === "") return false;
  if (declared.queries.has(name) || isSecretName(lastName(name), value)) return true;
  // A declared `code` may be something else than one of OAuth, unless it looks random.
  const mayBeCode = !declared.known.has(name) || (/\d/.test(value) && /[A-Za-z]{2}/.test(value));
  return mayBeCode && isCode(name, value);
}

/** The innermost part of a field's name: `password` of `user[password]`. */
function lastName(name: string): string {
  return name.endsWith("]") ? name.slice(name.lastIndexOf("[") + 1, -1) || name : name;
}
