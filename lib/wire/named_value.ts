/**
 * Reads the values of parameters from a query or a `Cookie` header, and of properties from a form: places that hold
 * pairs of a name and a text.
 *
 * @module
 */

import type { Parameter } from "../openapi/parameter.ts";
import { DELIMITERS } from "./delimiter.ts";
import { type Form, type Notation, type ParameterReading, readDelimited } from "./parameter_style.ts";
import type { Hints } from "../schema/hints.ts";
import { type Text, TextFields, textObject } from "./text_value.ts";
import type { ValidatorLoader } from "./chooser.ts";
import { nestedFields, type Opening, withoutBrackets, type Written } from "./nested_name.ts";
import { NestedValue } from "./nested_value.ts";
import { formatOfStyle, isDelimited, type ValueFormat, type ValueFormats } from "./value_format.ts";
import { readJsonText } from "../schema/json/json.ts";

/** A query or cookie parameter, or a form's property, with the settings for reading its value. */
export interface NamedValue {
  parameter: Pick<Parameter, "name" | "style" | "explode"> & {
    /** Whether the definition has an explicit `style`, rather than the default. */
    readonly namesStyle?: boolean;
  };
  hints: Hints;
  validators: ValidatorLoader;
  /** The formats in which the client writes arrays and objects. */
  formats: ValueFormats;
  /** Names of the other parameters in the query or cookie. They are never properties of this parameter's object. */
  others: ReadonlySet<string>;
  /** Names of query parameters that the mock server itself defines. A `querystring` parameter doesn't contain them. */
  ownQueries?: ReadonlySet<string>;
  decode: Notation["decode"];
}

/**
 * Reads a parameter as a scalar, an array or an object. Where the schema allows several of these forms, the caller
 * tries each.
 *
 * The value is read in the client's format. If this fails and the definition has an explicit `style`, the value is read
 * in that style.
 */
export function readNamedValue(written: Written, form: Form, named: NamedValue): ParameterReading {
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
  format: ValueFormat,
  named: NamedValue,
): ParameterReading {
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
    case "tab":
      return readOne(written, name, (text) => readDelimited(text, DELIMITERS[format], { form, decode }));
  }
}

/** The client's format for arrays or objects; by default, the format of the parameter's style. */
function formatOf(form: Form, named: NamedValue): ValueFormat {
  return (form === "array" ? named.formats.array : named.formats.object) ?? formatOfStyle(form, named.parameter);
}

/**
 * Explains a missing array or object if the query has it in another format, such as `ids[]=1` for `ids=1`.
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
    case "tab":
      return `${name}=${isArray ? "a%09b" : "property%09a"}`;
  }
}

/** Reads a parameter that has one text; repeated texts are malformed. */
function readOne(written: Written, name: string, read: (text: string) => ParameterReading): ParameterReading {
  const values = written.get(name);
  const [only] = values ?? [];
  if (values === undefined || only === undefined) return { kind: "absent" };
  if (values.length === 1) return read(only);
  return { kind: "malformed", message: `is given ${values.length} times, but the definition has it once` };
}

/** Reads an object in the format `flat`, whose properties look like parameters: `b=1&c=2`. */
function readFlat(written: Written, { hints, others, decode }: NamedValue): ParameterReading {
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

function readJson(text: string): ParameterReading {
  try {
    return { kind: "value", value: readJsonText(text) };
  } catch {
    return { kind: "malformed", message: "must be JSON" };
  }
}

/** Reads an object or array from the names that begin with the parameter's name: `name[a][b]=1&name[a][c]=2`. */
function readNested(written: Written, opening: Opening, named: NamedValue): ParameterReading {
  const { parameter: { name }, hints, others, formats, decode } = named;
  const value = new NestedValue<string>();
  for (const { tokens, text } of nestedFields(written, name, opening, others)) value.insert(tokens, text);
  if (value.isEmpty) return { kind: "absent" };
  return { kind: "text", text: value.toText(hints, (texts, hints) => readLeaf(texts, hints, formats, decode)) };
}

/** Reads the texts of one nested name. An array may be written in one text, in the client's format: `name[ids]=1,2`. */
function readLeaf(
  texts: readonly string[],
  { types }: Hints,
  { array }: ValueFormats,
  decode: Notation["decode"],
): Text {
  const [only] = texts;
  if (only === undefined || texts.length > 1) return texts.map(decode);
  if (!types.has("array")) return decode(only);
  // Some clients write an array as JSON text.
  if (!isDelimited(array)) return /^\s*\[/.test(decode(only)) ? decode(only) : new TextFields([decode(only)]);
  const reading = readDelimited(only, DELIMITERS[array], { form: "array", decode });
  return reading.kind === "text" ? reading.text : decode(only);
}
