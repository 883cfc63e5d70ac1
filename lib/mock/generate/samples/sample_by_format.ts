import { randomInteger } from "../random.ts";
import { sampleTime } from "./sample_context.ts";
import {
  amount,
  base64,
  date,
  dateTime,
  digits,
  email,
  hexDigits,
  host,
  ipv4,
  ipv6,
  password,
  phone,
  sampleSentence,
  type SampleWriter,
  time,
  url,
  uuid,
  word,
} from "./sample_writer.ts";
import { writeJson } from "../../../schema/json/json.ts";

/**
 * Sample writers by format: the formats of JSON Schema, of OpenAPI's Format Registry, and further ones that occur in
 * definitions.
 */
const FORMATS: Readonly<Record<string, SampleWriter>> = {
  "base64": base64,
  "base64url": ({ random }) => hexDigits(16, random),
  "binary": word,
  "byte": base64,
  "char": ({ random }) => String.fromCharCode(97 + randomInteger(0, 25, random)),
  "color": ({ random }) => `#${hexDigits(6, random)}`,
  "commonmark": sampleSentence,
  "country-code": ({ location }) => location.countryCode,
  "currency": ({ location }) => location.currency,
  "date": date,
  "date-time": dateTime,
  "date-time-local": (context) => dateTime(context).replace("Z", ""),
  "decimal": amount,
  "decimal128": amount,
  "double": amount,
  "duration": ({ random }) => `PT${randomInteger(1, 59, random)}M`,
  "email": email,
  "float": amount,
  "google-datetime": dateTime,
  "google-duration": ({ random }) => `${randomInteger(1, 600, random)}.5s`,
  "google-fieldmask": () => "name,createTime",
  "hostname": host,
  "html": (context) => `<p>${sampleSentence(context)}</p>`,
  "http-date": ({ path, words }) => new Date(sampleTime(path, words) * 1000).toUTCString(),
  "idn-email": email,
  "idn-hostname": host,
  "int32": ({ random }) => digits(5, random),
  "int64": ({ random }) => digits(9, random),
  "ip": ipv4,
  "ipv4": ipv4,
  "ipv6": ipv6,
  "iri": url,
  "iri-reference": url,
  "iso-date-time": dateTime,
  "iso-time": time,
  "json-pointer": (context) => `/${word(context)}/0`,
  "json-pointer-uri-fragment": (context) => `#/${word(context)}/0`,
  "mac": ({ random }) => Array.from({ length: 6 }, () => hexDigits(2, random)).join(":"),
  "media-range": () => "text/*;q=0.8",
  "partial-date": date,
  "partial-date-time": dateTime,
  "password": password,
  "phone": phone,
  "regex": () => "^[a-z]+$",
  "relative-json-pointer": (context) => `1/${word(context)}`,
  "sf-binary": (context) => `:${base64(context)}:`,
  "sf-boolean": ({ random }) => `?${randomInteger(0, 1, random)}`,
  "sf-string": (context) => writeJson(word(context)),
  "sf-token": word,
  "time": time,
  "time-local": (context) => time(context).replace("Z", ""),
  "uint32": ({ random }) => digits(5, random),
  "uint64": ({ random }) => digits(9, random),
  "unixtime": ({ path, words }) => String(sampleTime(path, words)),
  "uri": url,
  "uri-reference": url,
  "uri-template": (context) => `https://example.com/${word(context)}/{id}`,
  "url": url,
  "uuid": uuid,
};

/** Patterns for other spellings of formats (`iso8601`, `e-mail`), each with a key of `FORMATS`. */
const SPELLINGS: readonly [RegExp, string][] = [
  [/^(iso-?8601|rfc-?3339|date-?time|timestamp|utc|datetime)/, "date-time"],
  [/guid|uuid/, "uuid"],
  [/e-?mail/, "email"],
  [/phone|e\.?164/, "phone"],
  [/ur[il]|link/, "uri"],
  [/currency|iso-?4217/, "currency"],
  [/country/, "country-code"],
  [/^ip/, "ipv4"],
  [/^date/, "date"],
];

/** The sample writer for a format; recognises some other spellings of its name. */
export function formatWriter(format: string): SampleWriter | undefined {
  const name = format.toLowerCase();
  if (Object.hasOwn(FORMATS, name)) return FORMATS[name];
  const spelling = SPELLINGS.find(([pattern]) => pattern.test(name))?.[1];
  return spelling === undefined ? undefined : FORMATS[spelling];
}
