import { isToken } from "../http/token.ts";
import { child, entries, isObject, items, type Node } from "../schema/json/node.ts";
import { follow } from "../schema/json/reference.ts";
import type { Operation } from "./operation.ts";
import { listParameters, type ParameterHolder } from "./parameter.ts";
import { type Condition, type LocationOf, type PathConditions, readPathConditions } from "./path_condition.ts";
import { isNumber } from "../schema/json/value.ts";

/**
 * Reads the conditions in the path key of an operation, or of a path.
 *
 * @returns `undefined` for a key without query and fragment.
 */
export function conditionsOf(operation: ParameterHolder & Pick<Operation, "path">): PathConditions | undefined {
  return readPathConditions(operation.path, locationOf(operation));
}

/**
 * Tells whether an operation declares a query parameter or a header with a given name. The parameters are listed at the
 * first call.
 */
function locationOf(operation: ParameterHolder): LocationOf {
  let known: KnownParameters | undefined;
  return (name) => {
    known ??= parametersOf(operation);
    const locations = known.locations ??= new Map(
      listParameters(operation).flatMap(({ name, in: location }): [string, "query" | "header"][] => {
        if (location === "header") return [[name.toLowerCase(), location]];
        return location === "query" ? [[name, location]] : [];
      }),
    );
    return locations.get(name) ?? locations.get(name.toLowerCase());
  };
}

/** A cache of what was derived from an operation's parameters. */
interface KnownParameters {
  /**
   * The `parameters` of the operation and of its Path Item Objects. The cache is valid only as long as these are
   * unchanged.
   */
  readonly written: readonly unknown[];
  locations?: Map<string, "query" | "header">;
  requirements?: Requirements;
}

/**
 * The caches, by the value of the Operation Object or Path Item Object. Many paths may refer to one Path Item Object,
 * whose parameters are then read once.
 */
const KNOWN = new WeakMap<object, KnownParameters>();

function parametersOf({ node, pathItems }: ParameterHolder): KnownParameters {
  const holders: readonly Node<"Operation" | "PathItem">[] = node === undefined ? pathItems : [node, ...pathItems];
  const written = holders.map((holder) => child(holder, "parameters").value)
    .filter((value) => value !== undefined);
  const object = (node ?? pathItems.at(-1))?.value;
  if (!isObject(object)) return { written };
  const known = KNOWN.get(object);
  if (known?.written.length === written.length && known.written.every((value, index) => value === written[index])) {
    return known;
  }
  const parameters = { written };
  KNOWN.set(object, parameters);
  return parameters;
}

/** The requirements by which a router recognises the requests for an operation, without reading their bodies. */
export interface Requirements {
  /** The required query parameters and headers, with a value where their schema allows only one. */
  readonly parameters: readonly Condition[];
  /** The media types of the body, in lower case and without parameters; empty if the operation declares no body. */
  readonly mediaTypes: readonly string[];
}

export const NO_REQUIREMENTS: Requirements = Object.freeze({ parameters: [], mediaTypes: [] });

/** Limit of the required parameters of an operation that a router considers. */
const MOST_PARAMETERS = 32;

/** Reads what an operation requires of requests. */
export function requirementsOf(operation: Operation): Requirements {
  const known = parametersOf(operation);
  return known.requirements ??= readRequirements(operation);
}

function readRequirements(operation: Operation): Requirements {
  const parameters: Condition[] = [];
  for (const { name, in: location, required, style, schema } of listParameters(operation)) {
    if (!required || style === "deepObject" || (location !== "query" && location !== "header")) continue;
    // A header with an invalid name can't occur in a request, and `Headers.get` would throw for it.
    if (location === "header" && !isToken(name)) continue;
    if (parameters.length === MOST_PARAMETERS) break;
    const value = schema && onlyValueOf(follow(operation.document, schema));
    const known = location === "header" ? name.toLowerCase() : name;
    parameters.push(value === undefined ? { in: location, name: known } : { in: location, name: known, value });
  }
  const body = follow(operation.document, child(operation.node, "requestBody"));
  const mediaTypes = entries(child(body, "content")).map(([mediaType]) => mediaType.split(";")[0] ?? "");
  return { parameters, mediaTypes: mediaTypes.map((mediaType) => mediaType.trim().toLowerCase()) };
}

/** The only string that a schema allows with `const` or `enum`; `undefined` if it allows others. */
function onlyValueOf(schema: Node<"Schema">): string | undefined {
  const listed = items(child(schema, "enum"));
  const value = child(schema, "const").value ?? (listed.length === 1 ? listed[0]?.value : undefined);
  return typeof value === "string" || isNumber(value) || typeof value === "boolean" ? String(value) : undefined;
}
