/**
 * Reads the value of a parameter from the names and values of a query or a `Cookie` header.
 *
 * @module
 */

import type { Parameter } from "../openapi/parameter.ts";
import { type Form, type Notation, readDelimited, type Reading } from "./parameter_style.ts";
import type { Hints } from "../schema/hints.ts";
import { type Text, textObject } from "./text_value.ts";
import type { ValidatorLoader } from "./chooser.ts";

/** Values as written by name, as `splitQuery` and `splitCookies` give them. */
export type Written = ReadonlyMap<string, readonly string[]>;

/**
 * The format of an array in a query: `a=1&a=2` (repeat), `a=1,2` (comma), `a=1%202` (space), `a=1|2` (pipe),
 * `a[]=1&a[]=2` (brackets; `a[0]=1&a[1]=2` too).
 */
export type QueryArray = "repeat" | "comma" | "space" | "pipe" | "brackets";

/**
 * How a client writes an object in a query: `b=1&c=2` (flat), `a=b,1,c,2` (comma), `a=b%201%20c%202` (space),
 * `a=b|1|c|2` (pipe), `a[b]=1&a[c]=2` (brackets), `a.b=1&a.c=2` (dots), `a={"b":1}` (json).
 */
export type QueryObject = "flat" | "comma" | "space" | "pipe" | "brackets" | "dots" | "json";

/** The formats that a client uses where it differs from the definition. */
export interface QueryFormats {
  /** Default: as each parameter's `style` and `explode` say. */
  queryArray?: QueryArray;
  /** Default: as each parameter's `style` and `explode` say. */
  queryObject?: QueryObject;
}

/** A query or cookie parameter, with all that is needed to read its value. */
export interface NamedValue {
  parameter: Pick<Parameter, "name" | "in" | "style" | "explode">;
  hints: Hints;
  validators: ValidatorLoader;
  formats: QueryFormats;
  /** Names of the other parameters in the same place, which are not properties of this one. */
  others: ReadonlySet<string>;
  /** Names of query parameters that the server itself reads; they aren't the operation's. Default: none. */
  ownQueries?: ReadonlySet<string>;
  decode: Notation["decode"];
}

const DELIMITERS = { comma: ",", space: /%20|\+| /, pipe: /\||%7C/i } as const;

/** Nesting of `name[a][b]`; deeper names belong to no parameter. */
const MOST_LEVELS = 64;

/** Reads a parameter whose value has a given form. Where the schema allows several forms, the caller tries each. */
export function readNamedValue(written: Written, form: Form, named: NamedValue): Reading {
  const { parameter: { name }, decode } = named;
  if (form === "scalar") return readOne(written, name, (text) => ({ kind: "text", text: decode(text) }));
  const format = formatOf(form, named);
  switch (format) {
    case "repeat": {
      const values = written.get(name);
      return values === undefined ? { kind: "absent" } : { kind: "text", text: values.map(decode) };
    }
    case "flat":
      return readFlat(written, named);
    case "brackets":
      return readNested(written, name, bracketsOf, decode);
    case "dots":
      return readNested(written, name, dotsOf, decode);
    case "json":
      return readOne(written, name, (text) => readJson(decode(text)));
    case "comma":
    case "space":
    case "pipe":
      return readOne(written, name, (text) => readDelimited(text, DELIMITERS[format], { form, decode }));
  }
}

/** The format of a parameter: the client's own, else that of the style. */
function formatOf(form: Form, { parameter, formats }: NamedValue): QueryArray | QueryObject {
  const ofClient = form === "array" ? formats.queryArray : formats.queryObject;
  if (ofClient !== undefined && parameter.in === "query") return ofClient;
  if (parameter.style === "deepObject") return "brackets";
  if (parameter.explode) return form === "array" ? "repeat" : "flat";
  return delimiterOf(parameter);
}

/**
 * Explains a missing array or object that the query has in another format, such as `ids[]=1` for `ids=1`.
 *
 * @returns `as "ids=a&ids=b"; "ids[]" is something else`, or `undefined`.
 */
export function findOtherSpelling(written: Written, forms: readonly Form[], named: NamedValue): string | undefined {
  const { name } = named.parameter;
  const form = forms.find((form) => form !== "scalar");
  if (form === undefined) return undefined;
  const isSpelling = (key: string): boolean => key === name || key.startsWith(`${name}[`) || key.startsWith(`${name}.`);
  const found = [...written.keys()].find(isSpelling);
  return found && `as "${spell(form, named)}"; "${found}" is something else`;
}

function spell(form: Form, named: NamedValue): string {
  const { name } = named.parameter;
  const isArray = form === "array";
  switch (formatOf(form, named)) {
    case "repeat":
      return `${name}=a&${name}=b`;
    case "flat":
      return "property=a";
    case "brackets":
      return `${name}[${isArray ? "" : "property"}]=a`;
    case "dots":
      return `${name}.property=a`;
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

function delimiterOf({ style }: Pick<Parameter, "style">): keyof typeof DELIMITERS {
  switch (style) {
    case "spaceDelimited":
      return "space";
    case "pipeDelimited":
      return "pipe";
    default:
      return "comma";
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

/** Reads an object whose properties are written like parameters: `b=1&c=2`. */
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

/** A nested value under construction: texts, or children by name or index. */
interface TextNode {
  texts: string[];
  children: Map<string, TextNode>;
  /** Whether items were appended, as `a[]=1` does. */
  isList: boolean;
}

/** Reads an object or array from all names that begin with the parameter's: `name[a][b]=1&name[a][c]=2`. */
function readNested(
  written: Written,
  name: string,
  tokensOf: (rest: string) => string[] | undefined,
  decode: Notation["decode"],
): Reading {
  const root = createTextNode();
  for (const [key, values] of written) {
    const tokens = key.startsWith(name) ? tokensOf(key.slice(name.length)) : undefined;
    if (tokens === undefined || tokens.length > MOST_LEVELS) continue;
    values.forEach((value, index) => insert(root, tokens, decode(value), index));
  }
  return root.children.size === 0 ? { kind: "absent" } : { kind: "text", text: toText(root) };
}

/** `[a][b]` is `["a", "b"]`; an empty pair of brackets appends. */
function bracketsOf(rest: string): string[] | undefined {
  return /^(?:\[[^\[\]]*\])+$/.test(rest) ? rest.slice(1, -1).split("][") : undefined;
}

/** `.a.b` is `["a", "b"]`. */
function dotsOf(rest: string): string[] | undefined {
  return rest.startsWith(".") ? rest.slice(1).split(".") : undefined;
}

function createTextNode(): TextNode {
  return { texts: [], children: new Map(), isList: false };
}

/** Inserts a text at a path of tokens; `index` tells the items of `a[][b]=1&a[][c]=2&a[][b]=3` apart. */
function insert(root: TextNode, tokens: readonly string[], text: string, index: number): void {
  let node = root;
  tokens.forEach((token, depth) => {
    const isLast = depth === tokens.length - 1;
    const key = token === "" ? String(isLast ? node.children.size : index) : token;
    if (token === "") node.isList = true;
    const next = node.children.get(key) ?? createTextNode();
    node.children.set(key, next);
    node = next;
  });
  node.texts.push(text);
}

function toText({ texts, children, isList }: TextNode): Text {
  if (children.size === 0) return texts.length === 1 ? texts[0] ?? "" : texts;
  if (isList) return [...children.values()].map(toText);
  return textObject([...children].map(([name, node]) => [name, toText(node)]));
}
