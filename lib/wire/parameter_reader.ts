import { splitCookies } from "../http/cookie.ts";
import { textOfField } from "../http/field_value.ts";
import { isToken } from "../http/token.ts";
import { decodeQueryText, percentDecode, splitQuery, withoutParameters } from "../http/url/url.ts";
import type { Operation } from "../openapi/operation.ts";
import { splitPathKey } from "../openapi/path_condition.ts";
import type { Parameter, ParameterLocation } from "../openapi/parameter.ts";
import { type NamedValue, readNamedValue } from "./named_value.ts";
import type { Written } from "./nested_name.ts";
import {
  type Form,
  type Notation,
  type ParameterReading,
  readLabel,
  readMatrix,
  readSimple,
} from "./parameter_style.ts";

/** The parts of a request's URL after the request was matched with an operation. */
export interface RequestTarget {
  /** Values of path parameters, percent-decoded, by name. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** The path of the request, still percent-encoded. */
  readonly path: string;
  /** The query of the request without `?`, still percent-encoded. */
  readonly query: string;
}

/**
 * The parts of a request that hold parameters. Query and cookies are split into names and texts, which are still
 * encoded.
 */
export interface RequestParts {
  readonly target: RequestTarget;
  readonly headers: Pick<Headers, "get">;
  readonly query: Written;
  readonly cookies: Written;
}

const NOTHING: Written = new Map();

/** Splits the query and the cookies of a request, but only if the operation has parameters there. */
export function splitRequest(
  headers: Pick<Headers, "get">,
  target: RequestTarget,
  locations: ReadonlySet<ParameterLocation>,
): RequestParts {
  return {
    target,
    headers,
    query: locations.has("query") && target.query !== "" ? splitQuery(target.query) : NOTHING,
    cookies: locations.has("cookie") ? splitCookies(textOfField(headers.get("cookie") ?? "")) : NOTHING,
  };
}

/**
 * Reads a parameter of a request as a scalar, an array or an object. Where the schema allows several of these forms,
 * the caller tries each.
 */
export type ParameterReader = (parts: RequestParts, form: Form) => ParameterReading;

const ABSENT: ParameterReading = { kind: "absent" };

/**
 * Makes the function that reads a parameter from requests.
 *
 * @returns `undefined` for a parameter that no request can have: a header whose name is invalid (RFC 9110, section
 * 5.1), or a path parameter without a template expression in the path.
 */
export function createParameterReader(
  operation: Operation,
  parameter: Parameter,
  named: NamedValue,
): ParameterReader | undefined {
  switch (parameter.in) {
    case "path":
      return createPathReader(operation, parameter);
    case "query":
      return ({ query }, form) => readNamedValue(query, form, named);
    case "querystring":
      return createQueryStringReader(parameter, named);
    case "header":
      return createHeaderReader(parameter);
    case "cookie":
      return createCookieReader(named);
  }
}

/** Makes the function that decodes the texts between the delimiters of a parameter, by its location and style. */
export function decoderOf({ in: location, style, allowReserved }: Parameter): Notation["decode"] {
  switch (location) {
    case "query":
      // `allowReserved` permits `+` as a character in the value, so it isn't decoded to a space.
      return allowReserved ? percentDecode : decodeQueryText;
    case "header":
      return (piece) => piece.trim();
    case "cookie":
      return style === "cookie" ? (piece) => piece : percentDecode;
    default:
      return percentDecode;
  }
}

function createQueryStringReader({ content }: Parameter, { ownQueries }: NamedValue): ParameterReader {
  // A form stays encoded, since its decoder splits it before decoding. Any other media type is percent-encoded as a
  // whole.
  const isForm = content?.mediaType.startsWith("application/x-www-form-urlencoded") ?? false;
  return ({ target: { query: written } }) => {
    const query = ownQueries !== undefined && ownQueries.size > 0 ? withoutParameters(written, ownQueries) : written;
    return query === "" ? ABSENT : textOf(isForm ? query : percentDecode(query));
  };
}

function createPathReader({ path }: Operation, parameter: Parameter): ParameterReader | undefined {
  const { name, style, explode } = parameter;
  const template = `{${name}}`;
  const key = splitPathKey(path);
  // The fragment of a path key (`/a#{b}`) is no part of a request's path, so a template expression there has no value.
  if (!`${key.template}${key.written.split("#")[0]}`.includes(template)) return undefined;
  const segments = key.template.split("/");
  const segment = segments.indexOf(template);
  const fromEnd = segment === -1 ? 0 : segment - segments.length;
  /**
   * The text of the parameter in the path. If the parameter is a whole path segment, the text is still percent-encoded,
   * so that a delimiter such as `,` differs from `%2C` in a value.
   */
  const written = ({ target }: RequestParts): string | undefined =>
    (fromEnd < 0 ? target.path.split("/").at(fromEnd) : undefined) ?? target.pathParameters[name];

  return (parts, form) => {
    if (style === "simple" && form === "scalar") {
      const value = parts.target.pathParameters[name];
      return value === undefined ? ABSENT : textOf(value);
    }
    const value = written(parts);
    if (value === undefined) return ABSENT;
    const notation = { form, explode, decode: percentDecode };
    switch (style) {
      case "label":
        return readLabel(value, notation);
      case "matrix":
        return readMatrix(value, name, notation);
      default:
        return readSimple(value, notation);
    }
  };
}

function createHeaderReader(parameter: Parameter): ParameterReader | undefined {
  const { name, explode } = parameter;
  if (!isToken(name)) return undefined;
  const decode = decoderOf(parameter);
  return ({ headers }, form) => {
    const value = textOfField(headers.get(name));
    return value === null ? ABSENT : readSimple(value, { form, explode, decode });
  };
}

function createCookieReader(named: NamedValue): ParameterReader {
  const { style, explode } = named.parameter;
  // With the style `form` and `explode`, an array is `name=a&name=b` within one cookie. The style `cookie` has a cookie
  // for each item.
  const asQuery = style === "form" && explode;
  return ({ cookies }, form) => {
    const reading = readNamedValue(asQuery && form !== "scalar" ? resplit(cookies) : cookies, form, named);
    return asQuery && form === "array" ? splitAtCommas(reading, cookies.get(named.parameter.name) ?? []) : reading;
  };
}

/**
 * Splits the only item of an exploded array at its commas, as clients of oapi-codegen write it. A comma in an item would
 * be percent-encoded: a cookie can't have one (RFC 6265, section 4.1.1).
 */
function splitAtCommas(reading: ParameterReading, [only, ...others]: readonly string[]): ParameterReading {
  if (reading.kind !== "text" || only === undefined || others.length > 0 || !only.includes(",")) return reading;
  const split = readSimple(only, { form: "array", explode: false, decode: percentDecode });
  return split.kind === "text" ? { ...split, whole: reading.text } : reading;
}

function resplit(cookies: Written): Written {
  return splitQuery([...cookies].flatMap(([name, values]) => values.map((value) => `${name}=${value}`)).join("&"));
}

function textOf(text: string): ParameterReading {
  return { kind: "text", text };
}
