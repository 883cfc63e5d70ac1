/**
 * Converts JSON bodies with Handlebars templates to schemas: where Mockoon fills in a template, gw generates a value.
 *
 * @module
 */
import { isObject, type JsonObject } from "../../schema/json/node.ts";
import { parseMockoonJson } from "./parse_json.ts";

/** A JSON body with templates, converted. */
export interface TemplatedBody {
  /** The schema of all bodies that the templates can make. */
  schema: JsonObject;
  /** A sample of the bodies that the templates can make. */
  sample: unknown;
  /** The templates that gw can't express, such as a template that repeats a part of the request. */
  left: readonly string[];
}

/** A template of a body. */
interface Template {
  /** The text between the braces. */
  text: string;
  /** Whether the template is inside a JSON string. */
  isInString: boolean;
}

/** The schema of the values that a template makes, with a sample of them. */
interface Made {
  schema: JsonObject;
  sample: unknown;
  isLeft?: true;
}

/**
 * The delimiter of placeholders. Each template is replaced by a placeholder with its number before the body is parsed
 * as JSON. A body that has this character already isn't converted.
 */
const DELIMITER = "\uE000";
/** Finds the delimiter in a JSON text, as it is or escaped. */
const HAS_DELIMITER = /\uE000|\\ue000/i;

/**
 * The longest body that is converted, in characters: the regular expressions that find templates take quadratic time at
 * worst.
 */
const MOST_CHARACTERS = 64 * 1024;

/** The largest count of items in a `{{#repeat}}`. A larger count is reduced to it. */
const MOST_ITEMS = 1000;

export function isTemplated(text: string): boolean {
  return text.includes("{{");
}

/** Converts a JSON body with templates; `undefined` if the text around its templates isn't JSON. */
export function readTemplate(body: string): TemplatedBody | undefined {
  if (HAS_DELIMITER.test(body) || body.length > MOST_CHARACTERS) return undefined;
  const templates: Template[] = [];
  const repeated = withRepeats(body);
  const scan = createStringScan(repeated);
  const marked = repeated.replaceAll(TEMPLATE, (written: string, raw, escaped, at) => {
    const isInString = scan(Number(at), written.length);
    const mark = `${DELIMITER}${templates.push({ text: String(raw ?? escaped).trim(), isInString }) - 1}${DELIMITER}`;
    return isInString ? mark : `"${mark}"`;
  });
  if (isTemplated(marked)) return undefined;
  const value = parseMockoonJson(marked);
  if (value === undefined) return undefined;
  const left: string[] = [];
  const { schema, sample } = describe(value, templates, left);
  return { schema, sample, left };
}

/** Matches a template, `{{{…}}}` or `{{…}}`. */
const TEMPLATE = /\{\{\{([^{}]*)\}\}\}|\{\{([^{}]*)\}\}/g;
/** Matches the start of an array whose items a template repeats: `[{{#repeat 2 5}}`. */
const REPEAT_START = /\[\s*\{\{#repeat\s+(\d+)(?:\s+(\d+))?[^{}]*\}\}/g;
/** Matches the end of an array whose items a template repeats: `{{/repeat}}]`. */
const REPEAT_END = /\{\{\/repeat\}\}\s*\]/g;

/**
 * Replaces each array whose items a template repeats by an object with the least and the largest number of items, and
 * with one item.
 */
function withRepeats(body: string): string {
  const ends = [...body.matchAll(REPEAT_END)];
  const pieces: string[] = [];
  let at = 0;
  let next = 0;
  for (const start of body.matchAll(REPEAT_START)) {
    const [written, least, most = least] = start;
    if (start.index < at) continue;
    const from = start.index + written.length;
    while ((ends[next]?.index ?? Infinity) < from) next++;
    const end = ends[next];
    if (end === undefined) break;
    const item = body.slice(from, end.index).trim().replace(/,$/, "");
    pieces.push(body.slice(at, start.index), `{"${DELIMITER}items":[${least},${most}],"${DELIMITER}item":${item}}`);
    at = end.index + end[0].length;
  }
  return [...pieces, body.slice(at)].join("");
}

/**
 * Makes a function that tells whether a template is inside a JSON string: then an odd number of quotes precedes it in
 * its line, apart from the quotes in other templates. The function must be called for each template, in the order of
 * the text.
 */
function createStringScan(text: string): (at: number, length: number) => boolean {
  let scanned = 0;
  let isInString = false;
  return (at, length) => {
    const between = text.slice(scanned, at);
    const line = between.lastIndexOf("\n") + 1;
    if (line > 0) isInString = false;
    const quotes = between.slice(line).replaceAll(/\\./g, "").split('"').length - 1;
    if (quotes % 2 === 1) isInString = !isInString;
    scanned = at + length;
    return isInString;
  };
}

function describe(value: unknown, templates: readonly Template[], left: string[]): Made {
  if (typeof value === "string") return describeText(value, templates, left);
  if (Array.isArray(value)) {
    const items = value.map((item) => describe(item, templates, left));
    const schema = {
      type: "array",
      prefixItems: items.map(({ schema }) => schema),
      minItems: items.length,
      maxItems: items.length,
    };
    return { schema, sample: items.map(({ sample }) => sample) };
  }
  if (!isObject(value)) return { schema: { const: value }, sample: value };
  const range = value[`${DELIMITER}items`];
  if (Array.isArray(range)) return describeRepeated(range, describe(value[`${DELIMITER}item`], templates, left));
  const made = Object.entries(value).map(([key, item]) => [key, describe(item, templates, left)] as const);
  const schema = {
    type: "object",
    required: made.map(([key]) => key),
    properties: Object.fromEntries(made.map(([key, { schema }]) => [key, schema])),
  };
  return { schema, sample: Object.fromEntries(made.map(([key, { sample }]) => [key, sample])) };
}

function describeRepeated([least, most]: readonly unknown[], item: Made): Made {
  const minItems = Math.min(Number(least), MOST_ITEMS);
  const maxItems = Math.max(minItems, Math.min(Number(most), MOST_ITEMS));
  return {
    schema: { type: "array", items: item.schema, minItems, maxItems },
    sample: Array.from({ length: minItems }, () => item.sample),
  };
}

function describeText(text: string, templates: readonly Template[], left: string[]): Made {
  const parts = text.split(DELIMITER);
  const found = parts.filter((_, index) => index % 2 === 1).flatMap((number) => templates[Number(number)] ?? []);
  if (found.length === 0) return { schema: { const: text }, sample: text };
  const made = found.map(({ text }) => makeOf(text));
  found.forEach(({ text }, index) => made[index]?.isLeft && left.push(text));
  const [only] = made;
  const isWhole = parts.length === 3 && parts[0] === "" && parts[2] === "";
  // A number in quotes is a string.
  const isValue = found[0]?.isInString === false || only?.schema["type"] === "string";
  if (only !== undefined && isWhole && isValue) return only;
  let index = 0;
  const sample = parts.map((part, at) => at % 2 === 0 ? part : String(made[index++]?.sample)).join("");
  return { schema: { type: "string" }, sample };
}

const INTEGER: Made = { schema: { type: "integer", minimum: 0 }, sample: 1 };
const NUMBER: Made = { schema: { type: "number", minimum: 0 }, sample: 1.5 };
const BOOLEAN: Made = { schema: { type: "boolean" }, sample: true };
const TEXT: Made = { schema: { type: "string", minLength: 1 }, sample: "text" };

/**
 * The values that helpers of Mockoon and functions of Faker make. The patterns match the name of the helper or
 * function.
 */
const HELPERS: readonly (readonly [pattern: RegExp, made: Made])[] = [
  [/uuid|^guid$|^objectId$/i, {
    schema: { type: "string", format: "uuid" },
    sample: "00000000-0000-4000-8000-000000000000",
  }],
  [/email/i, { schema: { type: "string", format: "email" }, sample: "ann@example.com" }],
  [/ipv6/i, { schema: { type: "string", format: "ipv6" }, sample: "2001:db8::1" }],
  [/^ipv4$|\.ip(v4)?$/i, { schema: { type: "string", format: "ipv4" }, sample: "192.0.2.1" }],
  [/url$|avatar|^image\./i, { schema: { type: "string", format: "uri" }, sample: "https://example.com/" }],
  [/^(now|date|time|dateTimeShift)$|^date\.(?!month|weekday)/i, {
    schema: { type: "string", format: "date-time" },
    sample: "2026-01-01T00:00:00Z",
  }],
  [/^boolean$|\.boolean$/i, BOOLEAN],
  [/^int$|\.(int|number|numeric|port)$|^(increment|decrement)$/i, INTEGER],
  [/^float$|\.float$|latitude|longitude|\.(price|amount)$/i, NUMBER],
  [
    /^(person|name|location|address|company|commerce|lorem|internet|phone|finance|color|word|hacker|music|animal|food|book|vehicle|system|string|git|database|image|science|airline|datatype|date|helpers)\./i,
    TEXT,
  ],
  [
    /^(firstName|lastName|userName|companyName|city|country|countryCode|street|zipcode|postcode|phone|phoneNumber|color|domain|ipv6|title|lorem|base64|string|hexColor|lat|long|username|company)$/i,
    TEXT,
  ],
];

/** Tells which values a template makes, by its helper: `faker 'string.uuid'`, `int 1 100`, `oneOf (array 'a' 'b')`. */
function makeOf(template: string): Made {
  const [, helper = "", first = ""] = /^(\S+)(?:\s+['"]?([\w.]*))?/.exec(template) ?? [];
  const name = helper === "faker" ? first : helper;
  const choices = [...template.matchAll(/'([^']*)'/g)].map(([, text = ""]) => text);
  if (/^oneOf\s+\(array\s/.test(template) && choices.length > 0) {
    return { schema: { type: "string", enum: [...new Set(choices)] }, sample: choices[0] };
  }
  const made = HELPERS.find(([pattern]) => pattern.test(name))?.[1];
  if (made === undefined) return { ...TEXT, isLeft: true };
  const [least, most] = [...template.matchAll(/(?<![\w.'])-?\d+(?:\.\d+)?(?![\w.'])/g)].map(([text]) => Number(text));
  if (made !== INTEGER && made !== NUMBER || least === undefined || most === undefined || most < least) return made;
  return { schema: { ...made.schema, minimum: least, maximum: most }, sample: least };
}
