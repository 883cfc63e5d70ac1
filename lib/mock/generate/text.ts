import type { SampleTextWriter, TextConstraints } from "../../regexp/sample_text.ts";
import type { Schema } from "../../schema/schema.ts";
import { lengthOf } from "../../schema/json/value.ts";
import type { GeneratorContext, ValuePath } from "./generator_context.ts";
import { createRandom, hashWith, pick } from "./random.ts";
import { suggestTexts } from "./samples/realistic.ts";
import { WORDS } from "./samples/vocabulary.ts";

/** The constraints on a text, including its formats. */
interface FormattedTextConstraints extends TextConstraints {
  readonly formats: readonly string[];
}

/** The constraints that schemas set on a text together. */
export function textConstraintsOf(schemas: Iterable<Schema>): FormattedTextConstraints {
  let [minLength, maxLength] = [0, Infinity];
  const patterns = new Set<string>();
  const formats = new Set<string>();
  for (const schema of schemas) {
    minLength = Math.max(minLength, schema.minLength ?? 0);
    maxLength = Math.min(maxLength, schema.maxLength ?? Infinity);
    if (schema.pattern !== undefined) patterns.add(schema.pattern);
    if (schema.format !== undefined) formats.add(schema.format);
    if (schema.contentEncoding === "base64") formats.add("byte");
    if (schema.contentEncoding === "base64url") formats.add("base64url");
  }
  return { minLength, maxLength, patterns: [...patterns], formats: [...formats] };
}

/** The least and the greatest length that a format allows, for formats with such limits. */
const LENGTHS: Readonly<Record<string, readonly [number, number]>> = {
  "char": [1, 2],
  "date": [10, 10],
  "date-time": [20, Infinity],
  "email": [5, Infinity],
  "ipv4": [7, 15],
  "ipv6": [2, 45],
  "time": [9, Infinity],
  "uuid": [36, 45],
};

/** Finds a contradiction between the constraints on a text without search. Returns its description. */
export function contradictionInText(
  { minLength, maxLength, patterns, formats }: FormattedTextConstraints,
  writer: SampleTextWriter,
): string | undefined {
  if (minLength > maxLength) return "`minLength` is above `maxLength`";
  for (const format of formats) {
    const [shortest, longest] = (Object.hasOwn(LENGTHS, format) ? LENGTHS[format] : undefined) ?? [0, Infinity];
    if (shortest > maxLength) return `a text of format ${format} is longer than \`maxLength\``;
    if (longest < minLength) return `a text of format ${format} is shorter than \`minLength\``;
  }
  const pattern = writer.patternTooLong({ patterns, minLength, maxLength });
  return pattern === undefined ? undefined : `a text that matches ${pattern} is longer than \`maxLength\``;
}

/** The longest text that is generated. A larger `minLength` is considered a mistake. */
const LONGEST_TEXT = 1_000_000;
/** The length in characters beyond which a text isn't filled up with new words, but repeated. */
const LONGEST_PHRASE = 200;
const MOST_TRIES = 4;

/** A realistic text for a value; `undefined` if none of the suggestions is valid. */
export function suggestText(
  { minLength, maxLength, patterns, formats }: FormattedTextConstraints,
  path: ValuePath,
  accepts: (text: string) => boolean,
): string | undefined {
  for (const text of suggestTexts(path, formats)) {
    if (accepts(text)) return text;
    const fitted = patterns.length === 0 && formats.length === 0 ? fit(text, minLength, maxLength, path) : undefined;
    if (fitted !== undefined && accepts(fitted)) return fitted;
  }
  return undefined;
}

/**
 * Builds a valid text that need not look realistic.
 *
 * @param accepts Tells whether a text is valid.
 */
export function buildText(
  { minLength, maxLength, patterns, formats }: FormattedTextConstraints,
  path: ValuePath,
  accepts: (text: string) => boolean,
  { textWriter, variation }: Pick<GeneratorContext, "textWriter" | "variation">,
): string | undefined {
  const formatPatterns = formats.flatMap((format) => Object.hasOwn(PATTERNS, format) ? PATTERNS[format] ?? [] : []);
  for (const asked of [[...patterns, ...formatPatterns], ...formatPatterns.length > 0 ? [patterns] : []]) {
    if (asked.length === 0) continue;
    // Try the shortest texts that match the patterns, then longer ones; with `freeText`, longer ones first.
    for (const isFree of variation.freeText ? [true, false] : [false, true]) {
      for (let attempt = 0; attempt < MOST_TRIES; attempt++) {
        const random = createRandom(hashWith(path.hash, attempt));
        const text = textWriter.write({ patterns: asked, minLength, maxLength }, random, { isFree });
        if (text === undefined) break;
        if (accepts(text)) return text;
      }
    }
  }
  const fitted = fit("", minLength, maxLength, path);
  return [fitted, ...FALLBACK_TEXTS].find((text) => text !== undefined && accepts(text));
}

/**
 * Texts of different kinds, tried last. One of them is mostly valid against a schema that only excludes some texts
 * (`not`).
 */
const FALLBACK_TEXTS = [
  "",
  "a",
  "A",
  "0",
  "1",
  "-1",
  "true",
  "null",
  "{}",
  "[]",
  "a b",
  "ä",
  "/",
  "2025-01-01",
  "a@b.co",
];

/** Cuts a text to `maxLength`, or appends words up to `minLength`. */
function fit(text: string, minLength: number, maxLength: number, path: ValuePath): string | undefined {
  if (minLength > maxLength || minLength > LONGEST_TEXT) return undefined;
  let fitted = text;
  const random = createRandom(path.hash);
  while (lengthOf(fitted) < Math.min(minLength, LONGEST_PHRASE)) {
    fitted += `${fitted === "" ? "" : " "}${pick(WORDS, random)}`;
  }
  if (minLength > LONGEST_PHRASE) fitted = `${fitted} `.repeat(Math.ceil(minLength / LONGEST_PHRASE));
  // Words were appended: end the text at most 8 characters after `minLength`.
  const most = fitted === text ? maxLength : Math.max(minLength, Math.min(maxLength, minLength + 8));
  const cut = [...fitted].slice(0, Math.min(most, LONGEST_TEXT)).join("");
  const trimmed = cut.trimEnd();
  return lengthOf(trimmed) >= minLength ? trimmed : `${trimmed}${"x".repeat(minLength - lengthOf(trimmed))}`;
}

/**
 * Patterns by format: every text that matches the pattern has the format, but not the other way round. The search for a
 * text first combines this pattern with the schema's `pattern`.
 */
const PATTERNS: Readonly<Record<string, string>> = {
  "base64url": "^[a-zA-Z0-9_-]*$",
  "byte": "^(?:[a-zA-Z0-9+/]{4})*(?:[a-zA-Z0-9+/]{2}==|[a-zA-Z0-9+/]{3}=)?$",
  "char": "^[ -~]$",
  "date": "^20\\d\\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8])$",
  "date-time":
    "^20\\d\\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?(?:Z|[+-]0\\d:00)$",
  "date-time-local":
    "^20\\d\\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?$",
  "decimal": "^-?\\d+(?:\\.\\d+)?$",
  "decimal128": "^-?\\d+(?:\\.\\d+)?$",
  "duration": "^P(?:\\d+D|T\\d+S|\\d+W)$",
  "email": "^[a-z0-9]+(?:[._-][a-z0-9]+)*@[a-z0-9]{1,20}(?:\\.[a-z0-9]{1,20})+$",
  "hostname": "^[a-z0-9]{1,30}(?:\\.[a-z0-9]{1,30}){0,5}$",
  "idn-email": "^[a-z0-9]+(?:[._-][a-z0-9]+)*@[a-z0-9]{1,20}(?:\\.[a-z0-9]{1,20})*$",
  "idn-hostname": "^[a-z0-9]{1,30}(?:\\.[a-z0-9]{1,30}){0,5}$",
  "ipv4": "^(?:(?:1\\d\\d|[1-9]?\\d)\\.){3}(?:1\\d\\d|[1-9]?\\d)$",
  "ipv6": "^(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|::(?:[0-9a-f]{1,4}:){0,5}[0-9a-f]{0,4})$",
  "iri": "^https?://[a-z0-9]+(?:\\.[a-z0-9]+)+(?:/[a-z0-9.-]*)*$|^[a-z]{1,3}:[a-z0-9:-]+$",
  "iri-reference": "^(?:/?[\\w.-]+)*$",
  "json-pointer": "^(?:/[^~/]*)*$",
  "json-pointer-uri-fragment": "^#(?:/[a-z0-9_-]*)*$",
  "regex": "^[a-zA-Z0-9 -]*$",
  "relative-json-pointer": "^(?:0|[1-9]\\d*)(?:#|(?:/[a-z0-9]*)*)$",
  "sf-string": '^"[a-zA-Z0-9 ]*"$',
  "sf-token": "^[A-Za-z][A-Za-z0-9:/-]*$",
  "time": "^(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?(?:Z|[+-]0\\d:00)$",
  "time-local": "^(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?$",
  "uri": "^https?://[a-z0-9]+(?:\\.[a-z0-9]+)+(?:/[a-z0-9.-]*)*$|^[a-z]{1,3}:[a-z0-9:-]+$",
  "uri-reference": "^(?:/?[\\w.-]+)*$",
  "uri-template": "^(?:/?[\\w.-]+)*$",
  "url": "^https?://[a-z0-9]+\\.[a-z]{2,6}(?:/[\\w.-]*)*$",
  "uuid": "^(?:urn:uuid:)?[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
};
