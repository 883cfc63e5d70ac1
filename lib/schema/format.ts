import { TOKEN_CHARACTERS } from "../http/token.ts";
import { isNumber, isOfType } from "./json/value.ts";
import { loadPatternParser, parsePattern } from "../regexp/parse.ts";

/** The assertion of one `format`, for values of one type. Values of other types are valid. */
export interface Format {
  readonly type: "string" | "number";
  readonly accepts: (value: unknown) => boolean;
}

const isText = (test: (text: string) => boolean): Format => ({
  type: "string",
  accepts: (value) => typeof value !== "string" || test(value),
});
const matches = (pattern: RegExp): Format => isText((text) => pattern.test(text));
const between = ({ least, most, above = -Infinity, integer }: NumberRange): Format => ({
  type: "number",
  accepts: (value) =>
    !isNumber(value) ||
    (value >= least && (value <= most || value < above || value === above) && (!integer || isOfType(value, "integer"))),
});

export interface NumberRange {
  readonly least: number;
  readonly most: number;
  /**
   * The next integer after the largest one, if no double is equal to the largest. The double of this value is accepted:
   * it may stand for the largest.
   */
  readonly above?: number;
  readonly integer: boolean;
}

const LARGEST_FLOAT = 3.4028234663852886e38;
/**
 * The formats of numbers, with their limits. The largest double below 2^63 - 1, the largest `int64`, is 2^63 - 1024; of
 * `uint64`, 2^64 - 2048.
 */
export const NUMBER_RANGES: ReadonlyMap<string, NumberRange> = new Map([
  ["int8", { least: -(2 ** 7), most: 2 ** 7 - 1, integer: true }],
  ["int16", { least: -(2 ** 15), most: 2 ** 15 - 1, integer: true }],
  ["int32", { least: -(2 ** 31), most: 2 ** 31 - 1, integer: true }],
  ["int64", { least: -(2 ** 63), most: 2 ** 63 - 1024, above: 2 ** 63, integer: true }],
  ["uint8", { least: 0, most: 2 ** 8 - 1, integer: true }],
  ["uint16", { least: 0, most: 2 ** 16 - 1, integer: true }],
  ["uint32", { least: 0, most: 2 ** 32 - 1, integer: true }],
  ["uint64", { least: 0, most: 2 ** 64 - 2048, above: 2 ** 64, integer: true }],
  ["double-int", { least: Number.MIN_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER, integer: true }],
  ["sf-integer", { least: -999_999_999_999_999, most: 999_999_999_999_999, integer: true }],
  ["float", { least: -LARGEST_FLOAT, most: LARGEST_FLOAT, integer: false }],
  ["double", { least: -Number.MAX_VALUE, most: Number.MAX_VALUE, integer: false }],
]);

const IMF_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d GMT$/;
const TOKEN = `[${TOKEN_CHARACTERS}]+`;

/**
 * The formats that are validated: those of JSON Schema and of OpenAPI's registry. Any other format, such as `html` or
 * an author's own, allows every value.
 *
 * @see {@link https://spec.openapis.org/registry/format/ OpenAPI Format Registry}
 */
export async function loadFormats(): Promise<ReadonlyMap<string, Format>> {
  const [{ fullFormats }, parser] = await Promise.all([import("./standard_formats.ts"), loadPatternParser()]);
  const formats = new Map<string, Format>();
  for (const [name, format] of Object.entries(fullFormats)) {
    if (typeof format !== "object" && typeof format !== "function") continue;
    const definition = typeof format === "function" || format instanceof RegExp ? { validate: format } : format;
    const { validate } = definition;
    if (typeof validate === "function" && !("type" in definition && definition.type === "number")) {
      formats.set(name, isText((text) => (validate as (text: string) => boolean)(text)));
    } else if (validate instanceof RegExp) formats.set(name, matches(validate));
  }
  const accepts = (name: string, text: string): boolean => formats.get(name)?.accepts(text) ?? true;

  for (const [name, range] of NUMBER_RANGES) formats.set(name, between(range));

  for (const name of ["uri", "uri-reference"]) {
    const short = formats.get(name);
    if (short !== undefined) formats.set(name, isText((text) => acceptsUri(text, short.accepts)));
  }
  // A regular expression that is too large to be read counts as one.
  formats.set("regex", isText((text) => parsePattern(text, parser).kind !== "invalid"));
  // An IRI is a URI once its non-ASCII characters are percent-encoded (RFC 3987, section 3.1).
  formats.set("iri", isText((text) => accepts("uri", escapeNonAscii(text))));
  formats.set("iri-reference", isText((text) => accepts("uri-reference", escapeNonAscii(text))));
  formats.set("idn-email", matches(/^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*$/u));
  formats.set(
    "idn-hostname",
    matches(
      /^(?=.{1,253}$)(?!-)[\p{L}\p{N}\p{M}\u00b7\u30fb-]{1,63}(?:\.(?!-)[\p{L}\p{N}\p{M}\u00b7\u30fb-]{1,63})*$/u,
    ),
  );

  formats.set("date-time-local", isText((text) => /^[^Zz+]{19,}$/.test(text) && accepts("date-time", `${text}Z`)));
  formats.set("time-local", isText((text) => /^[\d:.]+$/.test(text) && accepts("time", `${text}Z`)));
  formats.set("http-date", matches(IMF_DATE));

  formats.set("byte", isText(isBase64));
  formats.set("base64url", matches(/^[A-Za-z0-9_-]*={0,2}$/));
  formats.set("char", isText((text) => [...text].length === 1));
  formats.set("decimal", matches(/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/));
  formats.set("decimal128", matches(/^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)$/i));
  formats.set("media-range", matches(new RegExp(`^(?:\\*/\\*|${TOKEN}/(?:\\*|${TOKEN}))(?:\\s*;.*)?$`)));
  formats.set("sf-binary", matches(/^:[A-Za-z0-9+/]*={0,2}:$/));
  formats.set("sf-boolean", matches(/^\?[01]$/));
  formats.set("sf-string", isText(isStructuredString));
  formats.set("sf-token", matches(new RegExp(`^[A-Za-z*][:/${TOKEN_CHARACTERS}]*$`)));
  return formats;
}

function escapeNonAscii(text: string): string {
  return text.toWellFormed().replace(/\P{ASCII}+/gu, encodeURIComponent);
}

/**
 * Whether a text is base64, with line breaks as in MIME (RFC 2045, section 6.8) or without.
 *
 * The pattern has no repeated group: V8 keeps each repetition of a group on its stack, which a text of megabytes
 * exceeds.
 */
function isBase64(text: string): boolean {
  const digits = text.includes("\n") ? text.replaceAll(/\r?\n/g, "") : text;
  return digits.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(digits);
}

/** Whether a text is a string of RFC 9651, section 3.3.3. Like {@linkcode isBase64} without a repeated group. */
function isStructuredString(text: string): boolean {
  return /^"[\x20-\x7e]*"$/.test(text) && !/["\\]/.test(text.slice(1, -1).replaceAll(/\\["\\]/g, ""));
}

/** Characters of a URI after which only the characters of the rest are checked. */
const LONG_URI = 100_000;

/**
 * Whether a text is a URI. The pattern of ajv-formats repeats groups, so that it gets only the beginning of a long URI,
 * such as one that holds a file (`data:`). After scheme and authority, any order of the other characters is valid.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc3986#appendix-A RFC 3986, appendix A}
 */
function acceptsUri(text: string, acceptsShort: (text: string) => boolean): boolean {
  if (text.length <= LONG_URI) return acceptsShort(text);
  const start = text.slice(0, LONG_URI).replace(/%.?$/, "");
  const hasWholeAuthority = !/^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*$/i.test(start);
  return hasWholeAuthority && acceptsShort(start) && /^[\w.~!$&'()*+,;=:@/?#%-]*$/.test(text.slice(start.length)) &&
    !/%(?![\da-f]{2})/i.test(text) && text.indexOf("#") === text.lastIndexOf("#");
}
