import type { Schema } from "../../openapi/schema_object.ts";
import type { TextDemand, TextWriter } from "./matching_text.ts";
import type { Place } from "./place.ts";
import { createRandom, derive, pick } from "./random.ts";
import { suggestTexts } from "./realistic.ts";
import { lengthOf } from "./satisfies.ts";
import { WORDS } from "./vocabulary.ts";

/** What schemas together say of a text. */
export function textDemandOf(schemas: Iterable<Schema>): TextDemand & { readonly formats: readonly string[] } {
  let [minLength, maxLength] = [0, Infinity];
  const patterns = new Set<string>();
  const formats = new Set<string>();
  for (const schema of schemas) {
    minLength = Math.max(minLength, schema.minLength ?? 0);
    maxLength = Math.min(maxLength, schema.maxLength ?? Infinity);
    if (schema.pattern !== undefined) patterns.add(schema.pattern);
    if (schema.format !== undefined) formats.add(schema.format);
  }
  return { minLength, maxLength, patterns: [...patterns], formats: [...formats] };
}

/** Longer than any text that a definition could want: a `minLength` beyond it is a mistake. */
export const LONGEST_TEXT = 1_000_000;
/** The length from which a text repeats itself. */
const PHRASE = 200;
const MOST_TRIES = 8;

/**
 * A text that fits a place.
 *
 * @param demand What it has to be.
 * @param place Where it stands.
 * @param accepts Whether a text will do.
 * @param writer Makes texts that match patterns.
 */
export function writeTextFor(
  demand: ReturnType<typeof textDemandOf>,
  place: Place,
  accepts: (text: string) => boolean,
  writer: TextWriter,
): string | undefined {
  const { minLength, maxLength, patterns, formats } = demand;
  for (const text of suggestTexts(place, formats)) {
    if (accepts(text)) return text;
    const fitted = patterns.length === 0 && formats.length === 0 ? fit(text, minLength, maxLength, place) : undefined;
    if (fitted !== undefined && accepts(fitted)) return fitted;
  }
  if (patterns.length > 0) {
    for (let attempt = 0; attempt < MOST_TRIES; attempt++) {
      const text = writer.write(demand, createRandom(derive(place.hash, attempt)));
      if (text === undefined) break;
      if (accepts(text)) return text;
    }
  }
  for (const text of stretched(formats, minLength, maxLength)) if (accepts(text)) return text;
  const fitted = fit("", minLength, maxLength, place);
  return [fitted, ...LAST_RESORTS].find((text) => text !== undefined && accepts(text));
}

/** Texts for what only excludes: each is unlike the others. */
const LAST_RESORTS = [
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

/** A text cut or filled up with words to a length. */
function fit(text: string, minLength: number, maxLength: number, place: Place): string | undefined {
  if (minLength > maxLength || minLength > LONGEST_TEXT) return undefined;
  let fitted = text;
  const random = createRandom(place.hash);
  while (lengthOf(fitted) < Math.min(minLength, PHRASE)) fitted += `${fitted === "" ? "" : " "}${pick(WORDS, random)}`;
  if (minLength > PHRASE) fitted = `${fitted} `.repeat(Math.ceil(minLength / PHRASE));
  // What is filled up ends at the shortest length allowed, so that a short bound looks short.
  const most = fitted === text ? maxLength : Math.max(minLength, Math.min(maxLength, minLength + 8));
  const cut = [...fitted].slice(0, Math.min(most, LONGEST_TEXT)).join("");
  const trimmed = cut.trimEnd();
  return lengthOf(trimmed) >= minLength ? trimmed : `${trimmed}${"x".repeat(minLength - lengthOf(trimmed))}`;
}

/** For formats whose texts may have any length: how one begins, what fills it up, and how it ends. */
const STRETCHES: Readonly<Record<string, readonly [string, string, string][]>> = {
  "uri": [["https://example.com/", "a", ""], ["http://a.co/", "a", ""], ["a:", "b", ""]],
  "url": [["https://example.com/", "a", ""], ["http://a.co/", "a", ""], ["ftp://a.co", "", ""]],
  "iri": [["https://example.com/", "a", ""], ["a:", "b", ""]],
  "uri-reference": [["/", "a", ""], ["", "a", ""]],
  "iri-reference": [["/", "a", ""], ["", "a", ""]],
  "uri-template": [["/", "a", ""], ["", "a", ""]],
  "email": [["", "a", "@example.com"], ["", "a", "@b.co"], ["", "a", "@b.c"]],
  "idn-email": [["", "a", "@example.com"], ["", "a", "@b"]],
  "hostname": [["", "a", ".example.com"], ["", "a", ""], ["a.", "b.", "co"]],
  "idn-hostname": [["", "a", ".example.com"], ["", "a", ""]],
  "byte": [["", "YWFh", ""], ["", "YWFh", "YWE="], ["", "", ""]],
  "base64url": [["", "a", ""]],
  "json-pointer": [["/", "a", ""], ["", "", ""]],
  "json-pointer-uri-fragment": [["#/", "a", ""], ["#", "", ""]],
  "relative-json-pointer": [["1/", "a", ""], ["0", "", ""]],
  "regex": [["", "a", ""]],
  "date-time": [["2025-01-01T00:00:00.", "0", "Z"], ["2025-01-01T00:00:00Z", "", ""], [
    "2025-01-01T00:00:00+00:00",
    "",
    "",
  ]],
  "time": [["00:00:00.", "0", "Z"], ["00:00:00Z", "", ""], ["00:00:00+00:00", "", ""]],
  "duration": [["P1D", "", ""], ["PT", "1", "S"], ["P", "1", "D"]],
  "ipv4": [["1.1.1.1", "", ""], ["10.10.10.10", "", ""], ["192.168.100.100", "", ""]],
  "ipv6": [["::", "", ""], ["::1", "", ""], ["2001:0db8:0000:0000:0000:0000:0000:0001", "", ""]],
  "uuid": [["urn:uuid:123e4567-e89b-42d3-a456-426614174000", "", ""]],
  "sf-string": [['"', "a", '"']],
  "sf-token": [["a", "a", ""]],
  "decimal": [["", "1", ""], ["1.", "0", ""]],
};

/** Texts of a format at the shortest and some longer lengths. */
function stretched(formats: readonly string[], minLength: number, maxLength: number): string[] {
  const lengths = [
    minLength,
    Math.min(maxLength, minLength + 1),
    Math.min(maxLength, minLength + 3),
    Math.min(maxLength, 40),
  ];
  return formats.flatMap((format) => Object.hasOwn(STRETCHES, format) ? STRETCHES[format] ?? [] : [])
    .flatMap(([start, filling, end]) =>
      lengths.map((length) => {
        const room = Math.min(length, LONGEST_TEXT) - start.length - end.length;
        const times = filling === "" ? 0 : Math.max(0, Math.ceil(room / filling.length));
        return `${start}${filling.repeat(times)}${end}`;
      })
    );
}
