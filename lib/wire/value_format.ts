import type { Parameter } from "../openapi/parameter.ts";

/**
 * The format of an array in a query or a form: `a=1&a=2` (repeat), `a=1,2` (comma), `a=1%202` (space), `a=1|2` (pipe),
 * `a[]=1&a[]=2` (brackets), `a[0]=1&a[1]=2` (indices), `a.0=1&a.1=2` (dots). A reader of `brackets` also accepts
 * `indices`, and the other way round.
 */
export type ArrayFormat = "repeat" | "comma" | "space" | "pipe" | "brackets" | "indices" | "dots";

/**
 * The format of an object in a query or a form: `b=1&c=2` (flat), `a=b,1,c,2` (comma), `a=b%201%20c%202` (space),
 * `a=b|1|c|2` (pipe), `a[b]=1&a[c]=2` (brackets), `a.b=1&a.c=2` (dots), `a={"b":1}` (json).
 */
export type ObjectFormat = "flat" | "comma" | "space" | "pipe" | "brackets" | "dots" | "json";

/** The formats in which a client writes values, where they differ from the definition's. */
export interface ValueFormats {
  readonly array?: ArrayFormat | undefined;
  readonly object?: ObjectFormat | undefined;
}

/** The formats of queries, where they differ from the definition's. */
export interface QueryFormats {
  /** The format of arrays. Default: as each parameter's `style` and `explode` say. */
  queryArray?: ArrayFormat;
  /** The format of objects. Default: as each parameter's `style` and `explode` say. */
  queryObject?: ObjectFormat;
}

/** The formats of forms, `application/x-www-form-urlencoded` and `multipart/form-data`. */
export interface FormFormats {
  /** The format of arrays. Default: as the Encoding Object of each property says. */
  formArray?: ArrayFormat;
  /** The format of objects. Default: as the Encoding Object of each property says. */
  formObject?: ObjectFormat;
}

/** The formats of a query's values. */
export function formatsOfQuery({ queryArray, queryObject }: QueryFormats = {}): ValueFormats {
  return { array: queryArray, object: queryObject };
}

/** The formats of a form's values. */
export function formatsOfForm({ formArray, formObject }: FormFormats = {}): ValueFormats {
  return { array: formArray, object: formObject };
}

/** The format of a style. */
export function formatOfStyle(
  form: "scalar" | "array" | "object",
  { style, explode }: Pick<Parameter, "style" | "explode">,
): ArrayFormat | ObjectFormat {
  if (style === "deepObject") return "brackets";
  if (explode) return form === "array" ? "repeat" : "flat";
  switch (style) {
    case "spaceDelimited":
      return "space";
    case "pipeDelimited":
      return "pipe";
    default:
      return "comma";
  }
}

/** The delimiters between values in one text, with the percent-encoded spellings that are accepted. */
export const DELIMITERS = { comma: ",", space: /%20|\+| /, pipe: /\||%7C/i } as const;

/** Whether a format has a delimiter. */
export function isDelimited(format: ArrayFormat | ObjectFormat | undefined): format is keyof typeof DELIMITERS {
  return format === "comma" || format === "space" || format === "pipe";
}
