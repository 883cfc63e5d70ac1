/** What `format` asserts of values of one type; it says nothing of values of other types. */
export interface Format {
  readonly type: "string" | "number";
  readonly accepts: (value: unknown) => boolean;
}

const isText = (test: (text: string) => boolean): Format => ({
  type: "string",
  accepts: (value) => typeof value !== "string" || test(value),
});
const matches = (pattern: RegExp): Format => isText((text) => pattern.test(text));
const between = (least: number, most: number, integer = true): Format => ({
  type: "number",
  accepts: (value) =>
    typeof value !== "number" || (value >= least && value <= most && (!integer || Number.isInteger(value))),
});

const LARGEST_FLOAT = 3.4028234663852886e38;
const IMF_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d GMT$/;
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

/**
 * The formats that are checked: those of JSON Schema and of OpenAPI's registry. A format that isn't here, such as
 * `html` or one of an author's own, is a hint and allows everything.
 *
 * @see {@link https://spec.openapis.org/registry/format/ OpenAPI Format Registry}
 */
export async function loadFormats(): Promise<ReadonlyMap<string, Format>> {
  const { fullFormats } = await import("ajv-formats/dist/formats.js");
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

  // Numbers
  formats.set("int8", between(-(2 ** 7), 2 ** 7 - 1));
  formats.set("int16", between(-(2 ** 15), 2 ** 15 - 1));
  formats.set("int32", between(-(2 ** 31), 2 ** 31 - 1));
  // The largest double below 2^63 is 2^63 - 1024: a limit of 2^63 - 1 would round up to 2^63.
  formats.set("int64", between(-(2 ** 63), 2 ** 63 - 1024));
  formats.set("uint8", between(0, 2 ** 8 - 1));
  formats.set("uint16", between(0, 2 ** 16 - 1));
  formats.set("uint32", between(0, 2 ** 32 - 1));
  formats.set("uint64", between(0, 2 ** 64 - 2048));
  formats.set("double-int", between(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER));
  formats.set("sf-integer", between(-999_999_999_999_999, 999_999_999_999_999));
  formats.set("float", between(-LARGEST_FLOAT, LARGEST_FLOAT, false));
  formats.set("double", between(-Number.MAX_VALUE, Number.MAX_VALUE, false));

  // Internationalized forms: what they say once everything beyond ASCII is percent-encoded.
  formats.set("iri", isText((text) => accepts("uri", escapeNonAscii(text))));
  formats.set("iri-reference", isText((text) => accepts("uri-reference", escapeNonAscii(text))));
  formats.set("idn-email", matches(/^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*$/u));
  formats.set(
    "idn-hostname",
    matches(
      /^(?=.{1,253}$)(?!-)[\p{L}\p{N}\p{M}\u00b7\u30fb-]{1,63}(?:\.(?!-)[\p{L}\p{N}\p{M}\u00b7\u30fb-]{1,63})*$/u,
    ),
  );

  // Dates and times
  formats.set("date-time-local", isText((text) => /^[^Zz+]{19,}$/.test(text) && accepts("date-time", `${text}Z`)));
  formats.set("time-local", isText((text) => /^[\d:.]+$/.test(text) && accepts("time", `${text}Z`)));
  formats.set("http-date", matches(IMF_DATE));

  // Other texts
  formats.set("base64url", matches(/^[A-Za-z0-9_-]*={0,2}$/));
  formats.set("char", isText((text) => [...text].length === 1));
  formats.set("decimal", matches(/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/));
  formats.set("decimal128", matches(/^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)$/i));
  formats.set("media-range", matches(new RegExp(`^(?:\\*/\\*|${TOKEN}/(?:\\*|${TOKEN}))(?:\\s*;.*)?$`)));
  formats.set("sf-binary", matches(/^:[A-Za-z0-9+/]*={0,2}:$/));
  formats.set("sf-boolean", matches(/^\?[01]$/));
  formats.set("sf-string", matches(/^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"$/));
  formats.set("sf-token", matches(/^[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]*$/));
  return formats;
}

function escapeNonAscii(text: string): string {
  return text.toWellFormed().replace(/\P{ASCII}+/gu, encodeURIComponent);
}
