import type { SecretNameTest } from "./secret_name.ts";
import type { Span } from "./span.ts";

/** The separator between a name and its value; percent-encoded in a URL within a URL. */
const SEPARATOR = /[:=]|%3[AaDd]/g;
/** The name before a separator, with the quotes that may be around it. */
const NAME_BEFORE = /([\p{L}\p{M}\p{N}_.$-]{1,64})(?:\]|%5[Dd])?(?:\\?["'])?[ \t]{0,4}$/u;
/** How many characters before a separator are searched for the name. */
const MOST_BEFORE = 80;

/** The space before a value, and its opening quote. */
const VALUE_START = /[ \t]{0,16}(\\?["'])?/y;
const UNQUOTED = /[^\s&,;"'<>()[\]{}|\\]+/y;
const REST_OF_LINE = /[^\r\n"'<>]+/y;
/** A quoted value, by its opening quote: up to the closing quote, or to the end of the line where there is none. */
const QUOTED: Readonly<Record<string, RegExp>> = {
  '"': /(?:[^"\\\r\n]|\\[^\r\n])+/y,
  "'": /(?:[^'\\\r\n]|\\[^\r\n])+/y,
  '\\"': /(?:[^"\\\r\n]|\\[^"\r\n])+/y,
  "\\'": /(?:[^'\\\r\n]|\\[^'\r\n])+/y,
};

/** Names whose values have spaces in them. */
const WITH_SPACES = /(?:authorization|cookie)$/i;

/**
 * Finds the secrets that a text has after their names: `password=…`, `"api_key": "…"`, `Authorization: Bearer …`. The
 * text may be a log, a form, a query, or JSON in a JSON string. The time grows with its length.
 */
export function findPairs(text: string, isSecretName: SecretNameTest): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const { 0: separator, index } of text.matchAll(SEPARATOR)) {
    if (index < end) continue;
    const [, name] = NAME_BEFORE.exec(text.slice(Math.max(0, index - MOST_BEFORE), index)) ?? [];
    if (name === undefined || !isSecretName(name)) continue;
    const span = valueAfter(text, index + separator.length, name);
    if (span === undefined) continue;
    spans.push(span);
    end = span.end;
  }
  return spans;
}

function valueAfter(text: string, at: number, name: string): Span | undefined {
  VALUE_START.lastIndex = at;
  const [space = "", quote] = VALUE_START.exec(text) ?? [];
  const start = at + space.length;
  const value = quote === undefined ? (WITH_SPACES.test(name) ? REST_OF_LINE : UNQUOTED) : QUOTED[quote];
  if (value === undefined) return undefined;
  value.lastIndex = start;
  const [found] = value.exec(text) ?? [];
  // No secrets: booleans, `null`, `0`, variables of a template (`${…}`), and what a redactor has already put there.
  if (found === undefined || /^(?:true|false|null|none|undefined|0|REDACTED|\$)$/i.test(found)) return undefined;
  return { start, end: start + found.length };
}
