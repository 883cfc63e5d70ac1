import { splitCookies } from "../http/cookie.ts";
import { isToken } from "../http/token.ts";
import { decodeQueryText, percentDecode, splitQuery, withoutParameters } from "../http/url.ts";
import type { Operation } from "../openapi/operation.ts";
import { splitPathKey } from "../openapi/path_condition.ts";
import type { Parameter, ParameterLocation } from "../openapi/parameter.ts";
import { type NamedValue, readNamedValue } from "./named_value.ts";
import type { Written } from "./nested_name.ts";
import { type Form, type Notation, type Reading, readLabel, readMatrix, readSimple } from "./parameter_style.ts";

/** The parts of a request's URL, once its operation is found. */
export interface RequestTarget {
  /** Values of the path's parameters, percent-decoded, by name. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** The request's path, with its percent-encoding. */
  readonly path: string;
  /** The request's query, with its percent-encoding, without `?`. */
  readonly query: string;
}

/** The parts of a request that parameters are read from, split but not decoded. */
export interface RequestParts {
  readonly target: RequestTarget;
  readonly headers: Pick<Headers, "get">;
  readonly query: Written;
  readonly cookies: Written;
}

const NOTHING: Written = new Map();

/** Splits the query and the cookies of a request, each only if a parameter is read from there. */
export function splitRequest(
  headers: Pick<Headers, "get">,
  target: RequestTarget,
  locations: ReadonlySet<ParameterLocation>,
): RequestParts {
  return {
    target,
    headers,
    query: locations.has("query") && target.query !== "" ? splitQuery(target.query) : NOTHING,
    cookies: locations.has("cookie") ? splitCookies(headers.get("cookie") ?? "") : NOTHING,
  };
}

/**
 * Reads a parameter from a request, for a given form of its value. Where the schema allows several forms, the caller
 * tries each.
 */
export type ParameterReader = (parts: RequestParts, form: Form) => Reading;

const ABSENT: Reading = { kind: "absent" };

/**
 * Makes the function that reads a parameter from requests.
 *
 * @returns `undefined` for a parameter that no request can have: a header whose name is no token, or a path parameter
 * that the path key doesn't mention.
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

/** The decoder of the pieces of a parameter's value. */
export function decoderOf({ in: location, style, allowReserved }: Parameter): Notation["decode"] {
  switch (location) {
    case "query":
      // With `allowReserved`, `+` is the reserved character itself, not a space.
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
  // The reader of forms decodes names and values itself. Any other text is percent-encoded as a whole.
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
  // The fragment of a path key is no part of a request's path, so a template there has no value.
  if (!`${key.template}${key.written.split("#")[0]}`.includes(template)) return undefined;
  const segments = key.template.split("/");
  const segment = segments.indexOf(template);
  const fromEnd = segment === -1 ? 0 : segment - segments.length;
  /**
   * The value with its percent-encoding, if it is a whole path segment; else decoded. Before decoding, a delimiter can
   * be told from a percent-encoded character.
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
    const value = headers.get(name);
    return value === null ? ABSENT : readSimple(value, { form, explode, decode });
  };
}

function createCookieReader(named: NamedValue): ParameterReader {
  const { style, explode } = named.parameter;
  // The style `form` writes `name=a&name=b` within one cookie; the style `cookie` writes a cookie for each value.
  const asQuery = style === "form" && explode;
  return ({ cookies }, form) => readNamedValue(asQuery && form !== "scalar" ? resplit(cookies) : cookies, form, named);
}

function resplit(cookies: Written): Written {
  return splitQuery([...cookies].flatMap(([name, values]) => values.map((value) => `${name}=${value}`)).join("&"));
}

function textOf(text: string): Reading {
  return { kind: "text", text };
}
