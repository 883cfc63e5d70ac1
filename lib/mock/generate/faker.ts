import { isObject } from "../../schema/node.ts";
import { formatMoment, momentOf } from "./moment.ts";
import type { Place } from "./value_path.ts";
import { createRandom, integer, type Random } from "./random.ts";
import { suggestTexts, wordsOf } from "./realistic.ts";

/** A call of a method of Faker.js, as `x-faker` has it. */
interface Call {
  /** `name.firstName`, or `datatype.number`. */
  readonly method: string;
  /** Arguments by name or in order. */
  readonly options: unknown;
}

/**
 * Values that `x-faker` asks for, as in Prism: `x-faker: name.firstName`, or `x-faker: {datatype.number: {min: 10}}`.
 * The methods of Faker.js are known by what their names say, in all its versions, not one by one; their arguments count
 * for numbers, for choices among values and for templates.
 *
 * @returns The values, to be tried in turn; none for a method that means nothing here.
 */
export function suggestFaked(extension: unknown, place: Place): unknown[] {
  const call = readCall(extension);
  if (call === undefined) return [];
  const random = createRandom(place.hash);
  const value = specialValue(call, place, random) ?? suggestTexts({ ...place, name: nameOf(call.method) }, [])[0];
  if (value === undefined) return [];
  return [value, typeof value === "string" ? Number(value) : String(value)];
}

function readCall(extension: unknown): Call | undefined {
  if (typeof extension === "string") return { method: extension, options: undefined };
  if (!isObject(extension)) return undefined;
  const [method] = Object.keys(extension);
  return method === undefined ? undefined : { method, options: extension[method] };
}

/** What a value made by a method would be called as a property. */
function nameOf(method: string): string {
  const words = wordsOf(method.replace(/^(datatype|internet|random|helpers|system|string|git)\./, ""));
  return RENAMED.find(([pattern]) => pattern.test(words))?.[1] ?? words;
}

/** Methods whose names say something else as the name of a property. */
const RENAMED: readonly [RegExp, string][] = [
  [/^(name|person) (full|find) name$/, "full name"],
  [/^(name|person) job/, "job"],
  [/^(address|location) state abbr$/, "state code"],
  [/^(address|location) state$/, "province"],
  [/^phone/, "phone"],
  [/^company/, "company"],
  [/^commerce (product|product name)$/, "product name"],
  [/^finance currency/, "currency"],
  [/^finance amount$/, "amount"],
  [/^(lorem|hacker|word) (words?|slug|noun|verb|adjective)$/, "word"],
  [/^(lorem|hacker|company|commerce) /, "description"],
  [/^image/, "image url"],
  [/^animal/, "animal"],
  [/^color|^vehicle color|^commerce color/, "color"],
  [/^commit sha/, "sha"],
  [/^semver$/, "version"],
];

/** Values that depend on arguments, or are no texts. */
function specialValue({ method, options }: Call, place: Place, random: Random): unknown {
  const words = wordsOf(method);
  if (/array element$/.test(words)) {
    const choices = listIn(options);
    return choices[Math.floor(random() * choices.length)];
  }
  if (/boolean$/.test(words)) return random() < 0.5;
  if (/^(datatype|random|number) (number|int|float)$/.test(words)) {
    return numberBetween(options, /float/.test(words), random);
  }
  if (/^date /.test(words)) {
    return formatMoment(momentOf(place, DATES.find(([name]) => words.endsWith(name))?.[1] ?? words));
  }
  if (/slugify$/.test(words)) return String(listIn(options)[0] ?? "").toLowerCase().replaceAll(/\s+/g, "-");
  const [template] = listIn(options);
  if (/fake$/.test(words) && typeof template === "string") {
    return template.replaceAll(/\{\{([\w.]+)\}\}/g, (_, inner: string) => String(suggestFaked(inner, place)[0] ?? ""));
  }
  return undefined;
}

/** Methods for points in time, and words for when they are. */
const DATES: readonly [string, string][] = [
  ["past", "created"],
  ["recent", "updated"],
  ["soon", "due"],
  ["future", "expires"],
  ["birthdate", "birthday"],
];

function numberBetween(options: unknown, isFloat: boolean, random: Random): number {
  const bounds = isObject(options) ? options : {};
  const [only] = listIn(options);
  const least = typeof bounds["min"] === "number" ? bounds["min"] : 0;
  const most = typeof bounds["max"] === "number" ? bounds["max"] : typeof only === "number" ? only : 99_999;
  return isFloat ? Math.round((least + random() * (most - least)) * 100) / 100 : integer(least, most, random);
}

/** Arguments in order; the first of them may be the list that is meant. */
function listIn(options: unknown): unknown[] {
  if (!Array.isArray(options)) return options === undefined || isObject(options) ? [] : [options];
  const [first] = options;
  return Array.isArray(first) ? first : options;
}
