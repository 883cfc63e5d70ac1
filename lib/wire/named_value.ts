/**
 * Reads the value of a parameter from the names and values of a query or a `Cookie` header.
 *
 * @module
 */

import type { Parameter } from "../openapi/parameter.ts";
import { type Form, type Notation, readDelimited, type Reading } from "./parameter_style.ts";
import type { Hints } from "../schema/hints.ts";
import { Fields, type Text, textObject } from "./text_value.ts";
import type { ValidatorLoader } from "./chooser.ts";
import { nestedFields, type Opening, withoutBrackets, type Written } from "./nested_name.ts";
import { NestedValue } from "./nested_value.ts";
import {
  type ArrayFormat,
  DELIMITERS,
  formatOfStyle,
  isDelimited,
  type ObjectFormat,
  type ValueFormats,
} from "./value_format.ts";

/** A query or cookie parameter, or a field of a form, with all that is needed to read its value. */
export interface NamedValue {
  parameter: Pick<Parameter, "name" | "style" | "explode"> & {
    /** Whether the definition itself names the style. */
    readonly namesStyle?: boolean;
  };
  hints: Hints;
  validators: ValidatorLoader;
  /** The formats of the client. */
  formats: ValueFormats;
  /** Names of the other parameters in the same place, which are not properties of this one. */
  others: ReadonlySet<string>;
  /** Names of query parameters for the server itself, which aren't part of the operation's query. Default: none. */
  ownQueries?: ReadonlySet<string>;
  decode: Notation["decode"];
}

/**
 * Reads a parameter whose value has a given form. Where the schema allows several forms, the caller tries each.
 *
 * The value is read in the client's format. If that fails and the definition names a style, the value is read in the
 * format of the style.
 */
export function readNamedValue(written: Written, form: Form, named: NamedValue): Reading {
  const { parameter: { name, namesStyle = false }, decode } = named;
  if (form === "scalar") return readOne(written, name, (text) => ({ kind: "text", text: decode(text) }));
  const format = formatOf(form, named);
  const reading = readFormat(written, form, format, named);
  if (!namesStyle || reading.kind === "text" || reading.kind === "value") return reading;
  const styled = formatOfStyle(form, named.parameter);
  if (styled === format) return reading;
  const other = readFormat(written, form, styled, named);
  return other.kind === "absent" ? reading : other;
}

function readFormat(
  written: Written,
  form: "array" | "object",
  format: ArrayFormat | ObjectFormat,
  named: NamedValue,
): Reading {
  const { parameter: { name }, decode } = named;
  switch (format) {
    case "repeat": {
      const values = written.get(name);
      return values === undefined ? { kind: "absent" } : { kind: "text", text: values.map(decode) };
    }
    case "flat":
      return readFlat(written, named);
    case "brackets":
    case "indices":
      return readNested(written, "[", named);
    case "dots":
      return readNested(written, ".", named);
    case "json":
      return readOne(written, name, (text) => readJson(decode(text)));
    case "comma":
    case "space":
    case "pipe":
      return readOne(written, name, (text) => readDelimited(text, DELIMITERS[format], { form, decode }));
  }
}

/** The format of a parameter: the client's own, else that of the style. */
function formatOf(form: Form, named: NamedValue): ArrayFormat | ObjectFormat {
  return (form === "array" ? named.formats.array : named.formats.object) ?? formatOfStyle(form, named.parameter);
}

/**
 * Explains that an array or object is missing because the query has it in another format, such as `ids[]=1` for
 * `ids=1`.
 *
 * @returns `as "ids=a&ids=b"; "ids[]" is something else`; `undefined` if the query has no similar name.
 */
export function findOtherSpelling(written: Written, forms: readonly Form[], named: NamedValue): string | undefined {
  const { parameter: { name }, others } = named;
  const form = forms.find((form) => form !== "scalar");
  if (form === undefined) return undefined;
  const isSpelling = (key: string): boolean =>
    (key === name || key.startsWith(`${name}[`) || key.startsWith(`${name}.`)) && !others.has(key);
  const found = [...written.keys()].find(isSpelling);
  return found && `as "${spell(form, named)}"; "${found}" is something else`;
}

function spell(form: Form, named: NamedValue): string {
  const { name } = named.parameter;
  const base = withoutBrackets(name);
  const isArray = form === "array";
  switch (formatOf(form, named)) {
    case "repeat":
      return `${name}=a&${name}=b`;
    case "flat":
      return "property=a";
    case "brackets":
      return `${base}[${isArray ? "" : "property"}]=a`;
    case "indices":
      return `${base}[0]=a`;
    case "dots":
      return `${base}.${isArray ? "0" : "property"}=a`;
    case "json":
      return `${name}={"property":"a"}`;
    case "comma":
      return `${name}=${isArray ? "a,b" : "property,a"}`;
    case "space":
      return `${name}=${isArray ? "a%20b" : "property%20a"}`;
    case "pipe":
      return `${name}=${isArray ? "a|b" : "property|a"}`;
  }
}

/** Reads a parameter that must not be repeated. */
function readOne(written: Written, name: string, read: (text: string) => Reading): Reading {
  const values = written.get(name);
  const [only] = values ?? [];
  if (values === undefined || only === undefined) return { kind: "absent" };
  if (values.length === 1) return read(only);
  return { kind: "malformed", message: `is given ${values.length} times, but the definition has it once` };
}

/** Reads an object whose properties are written as parameters of their own: `b=1&c=2`. */
function readFlat(written: Written, { hints, others, decode }: NamedValue): Reading {
  const isOpen = hints.describesOthers || hints.propertyNames.size === 0;
  const members: [string, Text][] = [];
  for (const [name, values] of written) {
    if (hints.propertyNames.has(name) || isOpen && !others.has(name)) {
      const [first = "", ...more] = values.map(decode);
      members.push([name, more.length === 0 ? first : [first, ...more]]);
    }
  }
  return members.length === 0 ? { kind: "absent" } : { kind: "text", text: textObject(members) };
}

function readJson(text: string): Reading {
  try {
    return { kind: "value", value: JSON.parse(text) };
  } catch {
    return { kind: "malformed", message: "must be JSON" };
  }
}

/** Reads an object or array from all names that begin with the parameter's: `name[a][b]=1&name[a][c]=2`. */
function readNested(written: Written, opening: Opening, named: NamedValue): Reading {
  const { parameter: { name }, hints, others, formats, decode } = named;
  const value = new NestedValue<string>();
  for (const { tokens, text } of nestedFields(written, name, opening, others)) value.insert(tokens, text);
  if (value.isEmpty) return { kind: "absent" };
  return { kind: "text", text: value.toText(hints, (texts, hints) => readLeaf(texts, hints, formats, decode)) };
}

/**
 * Reads the texts at one place of a nested value. An array there may be written in the client's format:
 * `name[ids]=1,2`.
 */
function readLeaf(
  texts: readonly string[],
  { types }: Hints,
  { array }: ValueFormats,
  decode: Notation["decode"],
): Text {
  const [only] = texts;
  if (only === undefined || texts.length > 1) return texts.map(decode);
  if (!types.has("array")) return decode(only);
  // An array may also be one JSON text.
  if (!isDelimited(array)) return /^\s*\[/.test(decode(only)) ? decode(only) : new Fields([decode(only)]);
  const reading = readDelimited(only, DELIMITERS[array], { form: "array", decode });
  return reading.kind === "text" ? reading.text : decode(only);
}
