import type { SecretNameTest } from "./secret_name.ts";
import type { Span } from "./span.ts";

/** What stands between a name and its value; percent-encoded in a URL within a URL. */
const SEPARATOR = /[:=]|%3[AaDd]/g;
/** The name before a separator, with the quotes that may be around it. */
const NAME_BEFORE = /([\p{L}\p{M}\p{N}_.$-]{1,64})(?:\]|%5[Dd])?(?:\\?["'])?[ \t]{0,4}$/u;
/** How many characters before a separator are looked at. */
const MOST_BEFORE = 80;

/** The space before a value, and its opening quote. */
const VALUE_START = /[ \t]{0,16}(\\?["'])?/y;
const UNQUOTED = /[^\s&,;"'<>()[\]{}|\\]+/y;
const REST_OF_LINE = /[^\r\n"'<>]+/y;
/** Ends a quoted value, or a line where the quote is not closed. */
const QUOTED: Readonly<Record<string, RegExp>> = {
  '"': /(?:[^"\\\r\n]|\\[^\r\n])+/y,
  "'": /(?:[^'\\\r\n]|\\[^\r\n])+/y,
  '\\"': /(?:[^"\\\r\n]|\\[^"\r\n])+/y,
  "\\'": /(?:[^'\\\r\n]|\\[^'\r\n])+/y,
};

/** Names whose values have spaces in them. */
const WITH_SPACES = /(?:authorization|cookie)$/i;

/**
 * Finds the values in a text whose names say that they are secrets: `password=…`, `"api_key": "…"`,
 * `Authorization: Bearer …`. The text may be a log, a form, a query, JSON in JSON. The time grows with its length.
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
  // A boolean and a variable of a template are no secrets, nor is what replaced one.
  if (found === undefined || /^(?:true|false|null|none|undefined|0|REDACTED|\$)$/i.test(found)) return undefined;
  return { start, end: start + found.length };
}
