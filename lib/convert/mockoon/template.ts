/**
 * Bodies of Mockoon with templates (Handlebars), as schemas: gw generates a value where a template made one.
 *
 * @module
 */
import { isObject, type JsonObject } from "../../schema/node.ts";
import { parseJson } from "./parse_json.ts";

/** A body with templates. */
export interface TemplatedBody {
  /** The schema of the bodies that the template makes. */
  schema: JsonObject;
  /** An example of such a body. */
  sample: unknown;
  /** The parts of templates that gw can't express, such as repeating a part of the request. */
  left: readonly string[];
}

/** The values that a template makes: their schema, and one example. */
interface Made {
  schema: JsonObject;
  sample: unknown;
  isLeft?: true;
}

/** Encloses the number of a template. Bodies with this character aren't read. */
const MARK = "\uE000";
/** The mark, as it is or escaped in JSON. */
const HAS_MARK = /\uE000|\\ue000/i;

/** The longest body, in characters, whose templates are read: their patterns take quadratic time at worst. */
const LONGEST = 64 * 1024;

/** The largest count of a `{{#repeat}}` that is converted. */
const MOST_ITEMS = 1000;

/** Whether a text has templates. */
export function isTemplated(text: string): boolean {
  return text.includes("{{");
}

/** Reads a JSON body with templates; `undefined` if it isn't JSON around its templates. */
export function readTemplate(body: string): TemplatedBody | undefined {
  if (HAS_MARK.test(body) || body.length > LONGEST) return undefined;
  const templates: string[] = [];
  const repeated = withRepeats(body);
  const isInString = createStringScan(repeated);
  const marked = repeated.replaceAll(TEMPLATE, (written: string, raw, escaped, at) => {
    const mark = `${MARK}${templates.push(String(raw ?? escaped).trim()) - 1}${MARK}`;
    return isInString(Number(at), written.length) ? mark : `"${mark}"`;
  });
  if (isTemplated(marked)) return undefined;
  const value = parseJson(marked);
  if (value === undefined) return undefined;
  const left: string[] = [];
  const { schema, sample } = describe(value, templates, left);
  return { schema, sample, left };
}

/** A template, `{{{…}}}` or `{{…}}`. */
const TEMPLATE = /\{\{\{([^{}]*)\}\}\}|\{\{([^{}]*)\}\}/g;
/** The start of an array whose items are repeated: `[{{#repeat 2 5}}`. */
const REPEAT_START = /\[\s*\{\{#repeat\s+(\d+)(?:\s+(\d+))?[^{}]*\}\}/g;
/** The end of such an array. */
const REPEAT_END = /\{\{\/repeat\}\}\s*\]/g;

/** Writes each repeated array as an object with the least and the largest number of its items, and with one item. */
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
    pieces.push(body.slice(at, start.index), `{"${MARK}items":[${least},${most}],"${MARK}item":${item}}`);
    at = end.index + end[0].length;
  }
  return [...pieces, body.slice(at)].join("");
}

/**
 * Makes a function that tells whether a template of a JSON text stands in a string: an odd number of quotes stands
 * before it in its line, beside those of other templates. Must be called for each template, in the order of the text.
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

function describe(value: unknown, templates: readonly string[], left: string[]): Made {
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
  const range = value[`${MARK}items`];
  if (Array.isArray(range)) return describeRepeated(range, describe(value[`${MARK}item`], templates, left));
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

function describeText(text: string, templates: readonly string[], left: string[]): Made {
  const parts = text.split(MARK);
  const found = parts.filter((_, index) => index % 2 === 1).map((number) => templates[Number(number)] ?? "");
  if (found.length === 0) return { schema: { const: text }, sample: text };
  const made = found.map((template) => makeOf(template));
  found.forEach((template, index) => made[index]?.isLeft && left.push(template));
  const [only] = made;
  if (only !== undefined && parts.length === 3 && parts[0] === "" && parts[2] === "") return only;
  let index = 0;
  const sample = parts.map((part, at) => at % 2 === 0 ? part : String(made[index++]?.sample)).join("");
  return { schema: { type: "string" }, sample };
}

const INTEGER: Made = { schema: { type: "integer", minimum: 0 }, sample: 1 };
const NUMBER: Made = { schema: { type: "number", minimum: 0 }, sample: 1.5 };
const BOOLEAN: Made = { schema: { type: "boolean" }, sample: true };
const TEXT: Made = { schema: { type: "string", minLength: 1 }, sample: "text" };

/** The values that helpers of Mockoon and functions of Faker make, by a pattern of the helper's name. */
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

/** The values that a template makes, by its helper: `faker 'string.uuid'`, `int 1 100`, `oneOf (array 'a' 'b')`. */
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
