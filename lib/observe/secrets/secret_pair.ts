/**
 * Finds secrets that follow their names in a text: `password=…`, `<password>…</password>`, `{"name": "password",
 * "value": "…"}`. The text may be a log, a form, a query, a configuration, or JSON that was cut.
 *
 * @module
 */
import { createCompanionTest, type SecretNameTest } from "../../names/secret_names.ts";
import { decodeQueryText } from "../../http/url/url.ts";
import type { Span } from "./span.ts";

/** The separator between a name and its value. It is percent-encoded in a URL that a URL contains. */
const SEPARATOR = /[:=]|%(?:25){0,2}3[AaDd]/g;
/** The name directly before a separator, with optional quotes around it. */
const NAME_BEFORE = /([\p{L}\p{M}\p{N}_.$-]{1,64})(?:\]|%5[Dd])?(?:\\?["']|%22)?[ \t]{0,4}$/u;
/** A name of two words before a separator: `API key`. */
const WORDS_BEFORE = /(?<![\p{L}\p{N}])(\p{L}{2,20}[ ]\p{L}{2,20})[ \t]{0,4}$/u;
/** The most characters before a separator that are searched for a name. */
const MOST_BEFORE = 80;

/** The white space before a value, the rest of an operator such as `=>` and `:=`, and the opening quote. */
const VALUE_START = /(?:[ \t]{0,4}[=>](?!=))?[ \t]{0,16}(\\?["']|%22)?/y;
const UNQUOTED = /[^\s&,;"'<>()[\]{}|\\]+/y;
const REST_OF_LINE = /[^\r\n"'<>]+/y;
/** A quoted value, by its opening quote. It ends at the closing quote or at the end of the line. */
const QUOTED: Readonly<Record<string, RegExp>> = {
  '"': /(?:[^"\\\r\n]|\\[^\r\n])+/y,
  "'": /(?:[^'\\\r\n]|\\[^\r\n])+/y,
  '\\"': /(?:[^"\\\r\n]|\\[^"\r\n])+/y,
  "\\'": /(?:[^'\\\r\n]|\\[^'\r\n])+/y,
  "%22": /(?:[^%\s&]|%(?!22))+/y,
};

/** Names whose values may contain spaces. */
const WITH_SPACES = /(?:authorization|cookie)$/i;

/** Values that aren't secrets: booleans, `null`, `0`, the begin of a variable of a template
 * (`${…}`), redacted ones. */
const NO_VALUE = /^(?:true|false|null|none|undefined|0|REDACTED|\$)$/i;
/** Words of prose after a colon: `How to reset your password: a guide`. */
const PROSE = /^[a-z]{1,2}$/;

/** Finds all kinds of pairs, in linear time. */
export function findPairs(text: string, isSecretName: SecretNameTest): Span[] {
  return [
    ...findAfterSeparators(text, isSecretName),
    ...findElements(text, isSecretName),
    ...findNamedValues(text, isSecretName),
    ...findStated(text, isSecretName),
    ...findPrivateMembers(text),
    ...findCodes(text),
    ...findSecretObjects(text),
  ];
}

function findAfterSeparators(text: string, isSecretName: SecretNameTest): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const { 0: separator, index } of text.matchAll(SEPARATOR)) {
    if (index < end) continue;
    const before = text.slice(Math.max(0, index - MOST_BEFORE), index);
    const names = [NAME_BEFORE, WORDS_BEFORE].flatMap((pattern) => pattern.exec(before)?.[1] ?? []);
    const name = names.find((name) => isSecretName(name));
    if (name === undefined) continue;
    const span = pairValue(text, index + separator.length, WITH_SPACES.test(name));
    if (span === undefined) continue;
    spans.push(span);
    end = span.end;
  }
  return spans;
}

/**
 * The value at a place of a text, after white space, with or without quotes; `undefined` if there is none that may be a
 * secret.
 */
export function pairValue(text: string, at: number, mayHaveSpaces = false): Span | undefined {
  VALUE_START.lastIndex = at;
  const [space = "", quote] = VALUE_START.exec(text) ?? [];
  const start = at + space.length;
  const value = quote === undefined ? (mayHaveSpaces ? REST_OF_LINE : UNQUOTED) : QUOTED[quote];
  if (value === undefined) return undefined;
  value.lastIndex = start;
  const [found] = value.exec(text) ?? [];
  if (found === undefined || NO_VALUE.test(found)) return undefined;
  return quote === undefined && space !== "" && PROSE.test(found) ? undefined : { start, end: start + found.length };
}

/** An element of XML or HTML in another text, up to its text. */
const ELEMENT = /<(?:[\w.-]{1,64}:)?([\w.-]{1,64})(?:\s[^<>]{0,256})?>(?=[^<>\s])/g;
const ELEMENT_TEXT = /[^<>]+/y;

function findElements(text: string, isSecretName: SecretNameTest): Span[] {
  return findEach(text, ELEMENT, ([whole, name = ""], index) => {
    if (!isSecretName(name)) return undefined;
    return matchAt(ELEMENT_TEXT, text, index + whole.length);
  });
}

/** Two properties of an object: the first names the value of the second. */
const NAMED_VALUE =
  /\\?["'](?:name|key|k|header|field|param|parameter|variable)\\?["']\s{0,4}[:=]\s{0,4}\\?["']([^"'\\]{1,64})\\?["']\s{0,16},\s{0,16}\\?["'](?:value|values|val|v|stringvalue|content|data)\\?["']\s{0,4}[:=](?=\s{0,4}\\?["'])/gi;

/** An element of HTML whose attribute names its value: `<input name="password" value="…">`. */
const NAMED_ATTRIBUTE =
  /\s(?:name|key|id)\s{0,4}=\s{0,4}\\?["']([^"'\\<>]{1,64})\\?["'][^<>]{0,128}?\s(?:value|content)\s{0,4}=(?=\s{0,4}\\?["'])/gi;

function findNamedValues(text: string, isSecretName: SecretNameTest): Span[] {
  return [NAMED_VALUE, NAMED_ATTRIBUTE].flatMap((pattern) =>
    findEach(
      text,
      pattern,
      ([whole, name = ""], index) => isSecretName(name) ? pairValue(text, index + whole.length) : undefined,
    )
  );
}

/** A sentence that tells a secret: `the password is …`. */
const STATED =
  /(?<![\p{L}_-])([\p{L}_-]{2,40})[ \t]{1,4}(?:is|was)[: \t]{1,4}["']?(?=[^\s"'<>,;]{0,40}\d)([^\s"'<>,;]{4,})/gu;

function findStated(text: string, isSecretName: SecretNameTest): Span[] {
  return findEach(text, STATED, ([whole, name = "", value = ""], index) => {
    const end = index + whole.length;
    return isSecretName(name) ? { start: end - value.length, end } : undefined;
  });
}

/** The private members of a JSON Web Key (RFC 7518, section 6.2.2 to 6.4.1). */
const PRIVATE_MEMBER = /\\?"(?:d|p|q|dp|dq|qi|k)\\?"\s{0,4}:(?=\s{0,4}\\?")/g;

function findPrivateMembers(text: string): Span[] {
  if (!/\\?"kty\\?"/.test(text)) return [];
  return findEach(text, PRIVATE_MEMBER, ([whole], index) => pairValue(text, index + whole.length));
}

/** A query, a form or a fragment that may have an authorization code or an assertion (see {@linkcode createCompanionTest}). */
const RUN = /[^\s"'<>]+/g;
const MAY_HAVE_CODE = /code=|assertion=/i;
const PARAMETER = /(?<=^|[?&#;])([\w.-]{1,40})=([^&#;]*)/g;

function findCodes(text: string): Span[] {
  if (!MAY_HAVE_CODE.test(text)) return [];
  return [...text.matchAll(RUN)].flatMap(({ 0: run, index }) => {
    if (!MAY_HAVE_CODE.test(run)) return [];
    const parameters = [...run.matchAll(PARAMETER)];
    const isSecret = createCompanionTest([...new Set(parameters.map(([, name = ""]) => name))]);
    return parameters.flatMap(({ 0: whole, 1: name = "", 2: value = "", index: at }) => {
      if (value === "" || !isSecret(name, decodeQueryText(value))) return [];
      const end = index + at + whole.length;
      return [{ start: end - value.length, end }];
    });
  });
}

/** A Secret of Kubernetes as YAML. */
const SECRET_KIND = /(?:^|\n)([ \t-]*)kind:[ \t]*["']?Secret["']?[ \t]*(?:\r?\n|$)/;
const LINE = /([ \t]*)([^\r\n]*)\r?\n?/y;

/** Finds the values below `data:` and `stringData:` of Secrets of Kubernetes in YAML that isn't parsed as such. */
function findSecretObjects(text: string): Span[] {
  if (!SECRET_KIND.test(text)) return [];
  const spans: Span[] = [];
  let block: number | undefined;
  for (LINE.lastIndex = 0; LINE.lastIndex < text.length;) {
    const start = LINE.lastIndex;
    const [, indent = "", content = ""] = LINE.exec(text) ?? [];
    if (content === "") continue;
    if (block !== undefined && indent.length <= block) block = undefined;
    if (block === undefined) {
      if (/^(?:stringData|data):[ \t]*$/.test(content)) block = indent.length;
      continue;
    }
    const key = /^["']?[\w.-]{1,253}["']?:[ \t]*/.exec(content)?.[0] ?? "";
    if (key.length === content.length || /^[|>][+-]?\d?[ \t]*$/.test(content.slice(key.length))) continue;
    const from = start + indent.length;
    spans.push({ start: from + key.length, end: from + content.length });
  }
  return spans;
}

function findEach(
  text: string,
  pattern: RegExp,
  find: (match: RegExpExecArray, index: number) => Span | undefined,
): Span[] {
  return [...text.matchAll(pattern)].flatMap((match) => find(match, match.index) ?? []);
}

function matchAt(pattern: RegExp, text: string, start: number): Span | undefined {
  pattern.lastIndex = start;
  const [found] = pattern.exec(text) ?? [];
  return found === undefined || NO_VALUE.test(found) ? undefined : { start, end: start + found.length };
}
