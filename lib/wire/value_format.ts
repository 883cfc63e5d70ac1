import type { Parameter } from "../openapi/parameter.ts";
import { DELIMITERS } from "./delimiter.ts";

/**
 * The format of an array in a query or form: `a=1&a=2` (repeat), `a=1,2` (comma), `a=1%202` (space), `a=1|2` (pipe),
 * `a[]=1&a[]=2` (brackets), `a[0]=1&a[1]=2` (indices), `a.0=1&a.1=2` (dots). Where `brackets` is expected, `indices` is
 * accepted too, and the other way round.
 */
export type ArrayFormat = "repeat" | "comma" | "space" | "pipe" | "brackets" | "indices" | "dots";

/**
 * The format of an object in a query or form: `b=1&c=2` (flat), `a=b,1,c,2` (comma), `a=b%201%20c%202` (space),
 * `a=b|1|c|2` (pipe), `a[b]=1&a[c]=2` (brackets), `a.b=1&a.c=2` (dots), `a={"b":1}` (json).
 */
export type ObjectFormat = "flat" | "comma" | "space" | "pipe" | "brackets" | "dots" | "json";

/** The format of an array or object as a definition has it: also separated by tabs, for Swagger 2.0. */
export type ValueFormat = ArrayFormat | ObjectFormat | "tab";

/** The formats in which a client writes arrays and objects, where they differ from the definition. */
export interface ValueFormats {
  readonly array?: ArrayFormat | undefined;
  readonly object?: ObjectFormat | undefined;
}

/** The formats in which a client writes arrays and objects into a query, where they differ from the definition. */
export interface QueryFormats {
  /** The format of arrays. Default: the `style` and `explode` of each parameter. */
  queryArray?: ArrayFormat;
  /** The format of objects. Default: the `style` and `explode` of each parameter. */
  queryObject?: ObjectFormat;
}

/**
 * The formats in which a client writes arrays and objects into a form (`application/x-www-form-urlencoded` or
 * `multipart/form-data`), where they differ from the definition.
 */
export interface FormFormats {
  /** The format of arrays. Default: that of the Encoding Object of each property. */
  formArray?: ArrayFormat;
  /** The format of objects. Default: that of the Encoding Object of each property. */
  formObject?: ObjectFormat;
}

export function formatsOfQuery({ queryArray, queryObject }: QueryFormats = {}): ValueFormats {
  return { array: queryArray, object: queryObject };
}

export function formatsOfForm({ formArray, formObject }: FormFormats = {}): ValueFormats {
  return { array: formArray, object: formObject };
}

/** The format of arrays or objects that a style of OpenAPI means. */
export function formatOfStyle(
  form: "scalar" | "array" | "object",
  { style, explode }: Pick<Parameter, "style" | "explode">,
): ValueFormat {
  if (style === "deepObject") return "brackets";
  if (explode) return form === "array" ? "repeat" : "flat";
  switch (style) {
    case "spaceDelimited":
      return "space";
    case "pipeDelimited":
      return "pipe";
    case "tabDelimited":
      return "tab";
    default:
      return "comma";
  }
}

/** Whether a format separates values by a delimiter within one text. */
export function isDelimited(format: ValueFormat | undefined): format is keyof typeof DELIMITERS {
  return format !== undefined && Object.hasOwn(DELIMITERS, format);
}
