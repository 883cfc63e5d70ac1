/**
 * Conditions on the contents of a request, as in `x-svc.mocking.match` and in rules: `query.status: sold`.
 *
 * @module
 */
import { textOfField } from "../../http/field_value.ts";
import { isToken } from "../../http/token.ts";
import { decodeQueryText } from "../../http/url/url.ts";
import type { Operation } from "../../openapi/operation.ts";
import { listParameters, type Parameter, type ParameterLocation } from "../../openapi/parameter.ts";
import { isEqual } from "../../schema/json/equal.ts";
import { formatPointer, parsePointer, valueAt } from "../../schema/json/pointer.ts";
import type { RequestParts } from "../../wire/parameter_reader.ts";
import type { ValueFormats } from "../../wire/value_format.ts";
import { createParameterValueReader, type ParameterValueReader } from "../validation/parameter.ts";

/** A part of a request, and the value that it must have. */
export type MatchCondition =
  | { kind: "body"; tokens: readonly string[]; want: unknown }
  | { kind: "parameter"; in: ParameterLocation; name: string; read: ParameterValueReader | undefined; want: unknown };

/** The part of a request that a condition compares. */
type MatchKey = { kind: "body"; tokens: string[] } | { kind: "parameter"; in: ParameterLocation; name: string };

/**
 * Reads conditions.
 *
 * @param match The required values, by the parts of the request: `{"query.status": "sold"}`.
 * @param formats The formats of query parameters that deviate from the definition.
 * @returns `undefined` if the syntax of a part is invalid. No request then meets the conditions.
 */
export function readMatch(
  operation: Operation,
  match: Readonly<Record<string, unknown>>,
  formats: ValueFormats = {},
): MatchCondition[] | undefined {
  const parameters = listParameters(operation);
  const conditions: MatchCondition[] = [];
  for (const [key, want] of Object.entries(match)) {
    const about = parseMatchKey(key);
    if (about === undefined) return undefined;
    if (about.kind === "body") {
      conditions.push({ ...about, want });
      continue;
    }
    const declared = parameters.find((parameter) => isSame(parameter, about));
    const read = declared && createParameterValueReader(operation, declared, parameters, formats);
    conditions.push({ ...about, read, want });
  }
  return conditions;
}

/** Whether two parameters are the same. Header names are case-insensitive. */
function isSame(a: Pick<Parameter, "in" | "name">, b: Pick<Parameter, "in" | "name">): boolean {
  return a.in === b.in && (a.name === b.name || a.in === "header" && a.name.toLowerCase() === b.name.toLowerCase());
}

/** Parses the key of a condition: `path.id`, `body./pet/name`. `undefined` if its syntax is invalid. */
export function parseMatchKey(key: string): MatchKey | undefined {
  const [body, pointer = ""] = /^body(?:[.#](\/.*))?$/su.exec(key) ?? [];
  if (body !== undefined) return { kind: "body", tokens: parsePointer(pointer) };
  const [, location, name = ""] = /^(path|query|header|cookie)\.(.+)$/su.exec(key) ?? [];
  switch (location) {
    case "path":
    case "query":
    case "cookie":
      return { kind: "parameter", in: location, name };
    case "header":
      return isToken(name) ? { kind: "parameter", in: location, name } : undefined;
    default:
      return undefined;
  }
}

/** The locations (query, header, …) of the parameters in conditions. Parameters elsewhere needn't be parsed. */
export function locationsOf(conditions: readonly MatchCondition[]): Set<ParameterLocation> {
  return new Set(conditions.flatMap((condition) => condition.kind === "parameter" ? [condition.in] : []));
}

/**
 * Whether a request meets a condition.
 *
 * @param body The decoded body of the request.
 */
export function isMet(condition: MatchCondition, parts: RequestParts, body: unknown): boolean {
  const { want } = condition;
  if (condition.kind === "body") return fits(want, valueAt(body, condition.tokens));
  return fits(want, condition.read?.(parts)) || textsOf(condition, parts).some((text) => fits(want, text));
}

/**
 * The texts that a request has for a condition's part, as sent and as parsed. A condition whose scalar value is one of
 * these texts is met, so an index of rules looks the texts up.
 */
export function fulfillingTexts(condition: MatchCondition, parts: RequestParts, body: unknown): ReadonlySet<string> {
  const found = condition.kind === "body" ? valueAt(body, condition.tokens) : condition.read?.(parts);
  const texts = condition.kind === "body" ? [] : textsOf(condition, parts);
  return new Set(found === undefined || isCompound(found) ? texts : [...texts, String(found)]);
}

/**
 * The part of the request whose scalar value a condition demands, as an index key; `undefined` for conditions with an
 * array or object.
 */
export function scalarPartOf(condition: MatchCondition): string | undefined {
  if (isCompound(condition.want)) return undefined;
  if (condition.kind === "body") return `body${formatPointer(condition.tokens)}`;
  const { in: location, name } = condition;
  return `${location}.${location === "header" ? name.toLowerCase() : name}`;
}

/** The texts of a parameter as sent, without parsing by its style. */
function textsOf(
  { in: location, name }: MatchCondition & { kind: "parameter" },
  parts: RequestParts,
): readonly string[] {
  switch (location) {
    case "path":
      return Object.hasOwn(parts.target.pathParameters, name) ? [parts.target.pathParameters[name] ?? ""] : [];
    case "query":
      return (parts.query.get(name) ?? []).map(decodeQueryText);
    case "cookie":
      return parts.cookies.get(name) ?? [];
    case "header": {
      const value = textOfField(parts.headers.get(name));
      return value === null ? [] : [value];
    }
    case "querystring":
      return [];
  }
}

/**
 * Whether a value of a request equals a condition's value. Scalars are equal if their texts are: `"5"` equals the
 * number 5.
 */
function fits(want: unknown, found: unknown): boolean {
  if (found === undefined) return false;
  if (isEqual(want, found)) return true;
  return !isCompound(want) && !isCompound(found) && String(want) === String(found);
}

function isCompound(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
