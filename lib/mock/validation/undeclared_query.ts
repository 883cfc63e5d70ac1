import { suggest } from "../../http/message.ts";
import { conditionsOf } from "../../openapi/operation_conditions.ts";
import type { Operation } from "../../openapi/operation.ts";
import type { Parameter } from "../../openapi/parameter.ts";
import { readHints } from "../../schema/hints.ts";
import { child, entries, stringOf } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";
import { withoutBrackets } from "../../wire/nested_name.ts";
import { formatOfStyle, type ValueFormats } from "../../wire/value_format.ts";
import { formsOf, type ParameterCheck } from "./parameter.ts";
import { NO_VIOLATIONS, type RequestViolation, violation, warningViolation } from "./violation.ts";

/** The most undeclared names of a request that are reported, which bounds the search for similar names. */
const MOST_NAMES = 10;
/** The most characters of a name in a message. */
const MOST_CHARACTERS = 100;

export interface UndeclaredQueryOptions {
  /**
   * `error`: every undeclared query parameter is a violation. `warn`: one whose name is near that of a declared
   * parameter gets a warning, since it may be misspelt.
   */
  readonly undeclared: "warn" | "error";
  /** The formats of arrays and objects in queries. */
  readonly formats: ValueFormats;
  /** Query parameters for the server itself. */
  readonly ownQueries: ReadonlySet<string>;
}

/**
 * Makes the check for query parameters that an operation doesn't declare.
 *
 * @returns `undefined` if the query may have any name, or if no name can get a warning.
 */
export function createUndeclaredQueryCheck(
  operation: Operation,
  parameters: readonly Parameter[],
  { undeclared, formats, ownQueries }: UndeclaredQueryOptions,
): ParameterCheck | undefined {
  const declared = declaredNames(operation, parameters, formats);
  if (declared === undefined || undeclared === "warn" && declared.names.size === 0) return undefined;
  const { names, bases } = declared;

  return ({ query }) => {
    let found: RequestViolation[] | undefined;
    for (const name of query.keys()) {
      if (names.has(name) || ownQueries.has(name)) continue;
      const base = baseOf(name);
      if (base !== name && bases.has(base)) continue;
      const [near] = suggest(base, names);
      if (near === undefined && undeclared === "warn") continue;
      const shown = name.slice(0, MOST_CHARACTERS);
      const message = `is not declared${near === undefined ? "" : `, but ${near} is`}`;
      found ??= [];
      found.push((undeclared === "error" ? violation : warningViolation)("query", shown, "undeclared", message));
      if (found.length === MOST_NAMES) break;
    }
    return found ?? NO_VIOLATIONS;
  };
}

/** The name of an array or object in the name of its part: `filter` in `filter[name]`, `ids` in `ids.0`. */
function baseOf(name: string): string {
  const end = name.search(/[[.]/);
  return end > 0 ? name.slice(0, end) : name;
}

interface DeclaredNames {
  readonly names: ReadonlySet<string>;
  /** The names of arrays and objects, whose parts may have names of their own. */
  readonly bases: ReadonlySet<string>;
}

/** The names that a query of an operation may have; `undefined` if it may have any. */
function declaredNames(
  operation: Operation,
  parameters: readonly Parameter[],
  formats: ValueFormats,
): DeclaredNames | undefined {
  const names = new Set<string>();
  const bases = new Set<string>();
  for (const parameter of parameters) {
    if (parameter.in === "querystring") return undefined;
    if (parameter.in !== "query") continue;
    names.add(parameter.name);
    if (parameter.content !== undefined) continue;
    const hints = readHints(operation.document, parameter.schema, "request");
    const forms = formsOf(hints, parameter);
    if (forms.some((form) => form !== "scalar")) bases.add(withoutBrackets(parameter.name));
    if (!forms.includes("object") || (formats.object ?? formatOfStyle("object", parameter)) !== "flat") continue;
    if (hints.describesOthers || hints.propertyNames.size === 0) return undefined;
    for (const name of hints.propertyNames) names.add(name);
  }
  for (const { name } of conditionsOf(operation)?.queries ?? []) names.add(name);
  for (const name of apiKeys(operation)) names.add(name);
  return { names, bases };
}

/** The names of the API keys that a definition has in queries. */
function apiKeys({ document }: Operation): string[] {
  return entries(child(child(document.root, "components"), "securitySchemes")).flatMap(([, written]) => {
    const scheme = follow(document, written);
    const isQuery = child(scheme, "type").value === "apiKey" && child(scheme, "in").value === "query";
    return isQuery ? stringOf(child(scheme, "name")) ?? [] : [];
  });
}
