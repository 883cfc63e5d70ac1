import type { SecretNameTest } from "../../names/secret_names.ts";
import type { Span } from "./span.ts";

/** The separator between a name and its value. It is percent-encoded in a URL that a URL contains. */
const SEPARATOR = /[:=]|%3[AaDd]/g;
/** The name directly before a separator, with optional quotes around it. */
const NAME_BEFORE = /([\p{L}\p{M}\p{N}_.$-]{1,64})(?:\]|%5[Dd])?(?:\\?["'])?[ \t]{0,4}$/u;
/** The most characters before a separator that are searched for a name. */
const MOST_BEFORE = 80;

/** The white space before a value, and its opening quote. */
const VALUE_START = /[ \t]{0,16}(\\?["'])?/y;
const UNQUOTED = /[^\s&,;"'<>()[\]{}|\\]+/y;
const REST_OF_LINE = /[^\r\n"'<>]+/y;
/** A quoted value, by its opening quote. It ends at the closing quote or at the end of the line. */
const QUOTED: Readonly<Record<string, RegExp>> = {
  '"': /(?:[^"\\\r\n]|\\[^\r\n])+/y,
  "'": /(?:[^'\\\r\n]|\\[^\r\n])+/y,
  '\\"': /(?:[^"\\\r\n]|\\[^"\r\n])+/y,
  "\\'": /(?:[^'\\\r\n]|\\[^'\r\n])+/y,
};

/** Names whose values may contain spaces. */
const WITH_SPACES = /(?:authorization|cookie)$/i;

/**
 * Finds secrets that follow their names: `password=…`, `"api_key": "…"`, `Authorization: Bearer …`. The text may be a
 * log, a form, a query, or JSON in a JSON string. The search takes linear time.
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
  // Booleans, `null`, `0`, variables of a template (`${…}`) and redacted values aren't secrets.
  if (found === undefined || /^(?:true|false|null|none|undefined|0|REDACTED|\$)$/i.test(found)) return undefined;
  return { start, end: start + found.length };
}
