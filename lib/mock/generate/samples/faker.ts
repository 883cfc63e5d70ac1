import { phraseOf } from "../../../names/words.ts";
import { isObject } from "../../../schema/json/node.ts";
import type { ValuePath } from "../generator_context.ts";
import { createRandom, type Random, randomInteger } from "../random.ts";
import { suggestTexts } from "./realistic.ts";
import { formatTime, sampleTime } from "./sample_context.ts";

/** A call of a method of Faker.js, as written in `x-faker`. */
interface Call {
  readonly method: string;
  /** The arguments: an object, a list, or a single value. */
  readonly options: unknown;
}

/**
 * The values that the extension `x-faker` (of Prism) describes: `x-faker: name.firstName`, or `x-faker:
 * {datatype.number: {min: 10}}`. Faker.js itself isn't used. A method is recognised by the words of its name, so that
 * the method names of all versions of Faker.js work. Arguments are read only for numbers, for choices among values and
 * for templates.
 *
 * @returns The values, to be tried in turn; none for a method that isn't recognised.
 */
export function suggestFaked(extension: unknown, path: ValuePath): unknown[] {
  const call = readCall(extension);
  if (call === undefined) return [];
  const random = createRandom(path.hash);
  const value = specialValue(call, path, random) ?? suggestTexts({ ...path, name: nameOf(call.method) }, [])[0];
  if (value === undefined) return [];
  return [value, typeof value === "string" ? Number(value) : String(value)];
}

function readCall(extension: unknown): Call | undefined {
  if (typeof extension === "string") return { method: extension, options: undefined };
  if (!isObject(extension)) return undefined;
  const [method] = Object.keys(extension);
  return method === undefined ? undefined : { method, options: extension[method] };
}

/** The property name whose sample texts resemble the results of a Faker.js method. */
function nameOf(method: string): string {
  const words = phraseOf(method.replace(/^(datatype|internet|random|helpers|system|string|git)\./, ""));
  return RENAMED.find(([pattern]) => pattern.test(words))?.[1] ?? words;
}

/** Property names for methods whose own names would select unsuitable sample texts. */
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

/** The value of a method with arguments or with results that aren't texts; `undefined` for other methods. */
function specialValue({ method, options }: Call, path: ValuePath, random: Random): unknown {
  const words = phraseOf(method);
  if (/array element$/.test(words)) {
    const choices = listIn(options);
    return choices[Math.floor(random() * choices.length)];
  }
  if (/boolean$/.test(words)) return random() < 0.5;
  if (/^(datatype|random|number) (number|int|float)$/.test(words)) {
    return numberBetween(options, /float/.test(words), random);
  }
  if (/^date /.test(words)) {
    return formatTime(sampleTime(path, DATES.find(([name]) => words.endsWith(name))?.[1] ?? words));
  }
  if (/slugify$/.test(words)) return String(listIn(options)[0] ?? "").toLowerCase().replaceAll(/\s+/g, "-");
  const [template] = listIn(options);
  if (/fake$/.test(words) && typeof template === "string") {
    return template.replaceAll(/\{\{([\w.]+)\}\}/g, (_, inner: string) => String(suggestFaked(inner, path)[0] ?? ""));
  }
  return undefined;
}

/** Methods of `faker.date`, each with the name of a property whose sample times resemble the method's results. */
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
  return isFloat ? Math.round((least + random() * (most - least)) * 100) / 100 : randomInteger(least, most, random);
}

/** The arguments of a call as a list. If the first argument is a list, its items. */
function listIn(options: unknown): unknown[] {
  if (!Array.isArray(options)) return options === undefined || isObject(options) ? [] : [options];
  const [first] = options;
  return Array.isArray(first) ? first : options;
}
