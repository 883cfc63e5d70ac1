/**
 * Finds the route that a request matches. Paths are compared segment by segment (OpenAPI 3.1, section 4.8.8): a literal
 * segment beats one with a template in it, which beats a segment that is all template. Among routes of one template,
 * the conditions of their path keys decide. The cost of a match grows with the segments of the path and the conditions
 * that the request fulfils, not with the number of routes.
 *
 * @module
 */

import { decodeQueryText, percentDecode, splitQuery, splitTarget } from "../../http/url/url.ts";
import { NO_REQUIREMENTS } from "../../openapi/operation_conditions.ts";
import {
  type ConditionedRequest,
  type PathConditions,
  readPathConditions,
  templateOf,
} from "../../openapi/path_condition.ts";
import type { Entry, QueryPathParameter, RequirementsOf } from "./alternatives.ts";
import { addEntry, addToAllMethods, choose, type Endpoint, endpointEntry, type Misses } from "./endpoint.ts";

export { MOST_UNMET } from "./endpoint.ts";

/** The parts of a route that a router reads. */
export interface Route {
  /** HTTP method, in upper case; `*` for all methods that no other route of the path has. */
  readonly method: string;
  /** Path key: a path template such as `/pets/{petId}` or `/reports/{name}.{format}`, followed by its conditions. */
  readonly path: string;
  /** The conditions of the path key. Default: as {@linkcode readPathConditions} reads them from `path`. */
  readonly conditions?: PathConditions | undefined;
}

/** The result of matching a request against the routes. */
export type Match<T extends Route> =
  | {
    kind: "found";
    route: T;
    /** The values of the path's parameters, percent-decoded. */
    parameters: Readonly<Record<string, string>>;
  }
  | {
    kind: "method-not-allowed";
    /** The methods of the path, in upper case. */
    allowed: string[];
  }
  | {
    kind: "not-found";
    /** Routes that have the path, but whose conditions the request doesn't fulfil; at most {@linkcode MOST_UNMET}. */
    unmet?: readonly T[];
  };

/** Finds the route of a request. */
export interface Router<T extends Route> {
  /**
   * Finds the route of a request.
   *
   * @param method HTTP method, in upper case. `HEAD` means `GET` where no route has it.
   * @param path Path of the request, with percent-encoding, without query.
   * @param request The request, for the conditions of path keys. Without it, they count as fulfilled.
   */
  match(method: string, path: string, request?: ConditionedRequest): Match<T>;
}

/** A node of the trie of path segments. A property without children is `undefined`, which is the fastest in a match. */
interface Branch<T> {
  literals: Map<string, Branch<T>> | undefined;
  /** Segments with both literal text and parameters (`{name}.{format}`). The segment with the most text comes first. */
  mixed: { texts: readonly string[]; branch: Branch<T> }[] | undefined;
  template: Branch<T> | undefined;
  endpoint: Endpoint<T> | undefined;
}

const NO_PARAMETERS: Readonly<Record<string, string>> = Object.freeze({});
const NO_VALUES: readonly string[] = Object.freeze([]);
const NOT_FOUND = Object.freeze({ kind: "not-found" }) satisfies Match<Route>;

/**
 * Makes a router.
 *
 * @param routes The routes. Of several with the same method, path template and conditions, the first wins.
 * @param basePaths Prefixes below which a route matches too, such as `/v1`. Default: none. A path without a prefix
 * takes precedence.
 * @param requirementsOf Returns the parameters and media types that a route requires of a request. They decide between
 * routes whose path keys have equal conditions. Default: no requirements.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const router = createRouter([
 *   { method: "GET", path: "/pets/{petId}" },
 *   { method: "GET", path: "/pets/mine" },
 * ]);
 * const match = router.match("GET", "/pets/4%2F2");
 * assert.equal(match.kind, "found");
 * if (match.kind === "found") assert.deepEqual(match.parameters, { petId: "4/2" });
 * ```
 */
export function createRouter<T extends Route>(
  routes: readonly T[],
  basePaths: (route: T) => readonly string[] = () => [],
  requirementsOf: RequirementsOf<T> = () => NO_REQUIREMENTS,
): Router<T> {
  const root = createBranch<T>();
  /** Endpoints of paths without parameters, by the path. */
  const literal = new Map<string, Endpoint<T>>();
  /** Endpoints with a route for all methods (`*`) that has conditions. */
  const conditional = new Set<Endpoint<T>>();
  for (const route of routes) insert(route, "");
  for (const route of routes) {
    for (const basePath of basePaths(route)) insert(route, basePath);
  }
  for (const endpoint of conditional) addToAllMethods(endpoint, requirementsOf);
  return { match };

  function insert(route: T, basePath: string): void {
    const { method, conditions = readPathConditions(route.path) } = route;
    const path = basePath + templateOf(route.path);
    const names: string[] = [];
    let branch = root;
    for (const segment of path.slice(1).split("/")) branch = descend(branch, segment, names);
    const endpoint = branch.endpoint ??= new Map();
    const entry = { route, names, conditions, queryParameters: queryParametersOf(conditions) };
    addEntry(endpoint, method, entry, requirementsOf);
    if (method === "*" && conditions !== undefined) conditional.add(endpoint);
    if (names.length === 0 && !path.includes("%")) literal.set(path, endpoint);
  }

  function match(method: string, path: string, request?: ConditionedRequest): Match<T> {
    const known = literal.get(path)?.get(method);
    if (known !== undefined) {
      if (known.alternatives === undefined) return { kind: "found", route: known.route, parameters: NO_PARAMETERS };
      const entry = choose(known, request);
      if (entry !== undefined) return found(entry, NO_VALUES, request);
    }

    const values: string[] = [];
    // An empty path is equivalent to `/` (RFC 9110, section 4.2.3).
    const written = path === "" ? "/" : path;
    const walked = { written, decoded: written.includes("%") ? new Map<number, string>() : undefined };
    const entry = walk(root, walked, 1, values, method, request, undefined);
    if (entry !== undefined) return found(entry, values, request);
    const misses: Misses<T> = { allowed: new Set(), unmet: [] };
    // The empty method matches no route, so that `misses` gets all methods of the path. `OPTIONS` is asked on behalf of
    // another request, whose headers aren't known.
    const asked = method === "OPTIONS" && request !== undefined ? { url: request.url, headers: undefined } : request;
    walk(root, walked, 1, values, "", asked, misses);
    if (misses.allowed.size > 0) return { kind: "method-not-allowed", allowed: [...misses.allowed] };
    return misses.unmet.length > 0 ? { kind: "not-found", unmet: misses.unmet } : NOT_FOUND;
  }
}

function found<T extends Route>(
  { route, names, queryParameters }: Entry<T>,
  values: readonly string[],
  request: ConditionedRequest | undefined,
): Match<T> {
  const parameters = nameValues(names, values);
  if (queryParameters.length === 0 || request === undefined) return { kind: "found", route, parameters };
  return { kind: "found", route, parameters: withQueryParameters(parameters, queryParameters, request) };
}

/** The path parameters in the query of a path key. */
function queryParametersOf(conditions: PathConditions | undefined): QueryPathParameter[] {
  return (conditions?.queries ?? []).flatMap(({ name: query, parameter }) =>
    parameter === undefined ? [] : [{ query, name: parameter }]
  );
}

/** Adds the values of path parameters that a request has in its query. */
function withQueryParameters(
  parameters: Readonly<Record<string, string>>,
  queryParameters: readonly QueryPathParameter[],
  { url }: ConditionedRequest,
): Readonly<Record<string, string>> {
  const query = splitQuery(splitTarget(url).query);
  const added = queryParameters.flatMap(({ query: queryName, name }): [string, string][] => {
    const value = query.get(queryName)?.[0];
    return value === undefined ? [] : [[name, decodeQueryText(value)]];
  });
  return Object.fromEntries([...Object.entries(parameters), ...added]);
}

/** A path that is matched segment by segment. */
interface WalkedPath {
  readonly written: string;
  /**
   * Cache of the percent-decoded segments, by the indexes where they begin: several branches may match the same segment.
   * Absent if the path has no `%`.
   */
  readonly decoded: Map<number, string> | undefined;
}

/**
 * Visits the endpoints that a path matches, from the most specific to the least, until one has a route for the request.
 *
 * @param start The index in the path where the segment of this branch begins. Beyond the end of the path, all segments
 * have been matched.
 * @param values Receives the values of the path parameters.
 * @param misses Receives the methods of the visited endpoints, and the routes whose conditions the request doesn't
 * fulfil.
 */
function walk<T>(
  branch: Branch<T>,
  path: WalkedPath,
  start: number,
  values: string[],
  method: string,
  request: ConditionedRequest | undefined,
  misses: Misses<T> | undefined,
): Entry<T> | undefined {
  const { written } = path;
  if (start > written.length) return branch.endpoint && endpointEntry(branch.endpoint, method, request, misses);

  const slash = written.indexOf("/", start);
  const end = slash === -1 ? written.length : slash;
  const segment = segmentOf(path, start, end);
  const literal = branch.literals?.get(segment);
  const found = literal && walk(literal, path, end + 1, values, method, request, misses);
  if (found !== undefined) return found;

  const before = values.length;
  if (branch.mixed !== undefined) {
    for (const { texts, branch: next } of branch.mixed) {
      const parts = split(segment, texts);
      if (parts === undefined) continue;
      values.push(...parts);
      const found = walk(next, path, end + 1, values, method, request, misses);
      if (found !== undefined) return found;
      values.length = before;
    }
  }

  // An empty segment matches no parameter: path parameters are required.
  if (branch.template === undefined || segment === "") return undefined;
  values.push(segment);
  const last = walk(branch.template, path, end + 1, values, method, request, misses);
  if (last === undefined) values.length = before;
  return last;
}

function segmentOf({ written, decoded }: WalkedPath, start: number, end: number): string {
  if (decoded === undefined) return written.slice(start, end);
  const known = decoded.get(start);
  if (known !== undefined) return known;
  const segment = percentDecode(written.slice(start, end));
  decoded.set(start, segment);
  return segment;
}

/**
 * Splits a segment at a template's literal texts: `{a}-{b}.json` has the texts `["", "-", ".json"]`. Every parameter
 * but the last matches as few characters as possible, so that `{name}.{format}` splits at the first dot.
 */
function split(segment: string, texts: readonly string[]): string[] | undefined {
  const [first = "", ...rest] = texts;
  const last = rest.pop() ?? "";
  if (!segment.startsWith(first) || !segment.endsWith(last)) return undefined;
  const end = segment.length - last.length;
  const values: string[] = [];
  let at = first.length;
  for (const text of rest) {
    const next = segment.indexOf(text, at + 1);
    if (next === -1) return undefined;
    values.push(segment.slice(at, next));
    at = next + text.length;
  }
  if (at >= end) return undefined;
  values.push(segment.slice(at, end));
  return values;
}

/** Whether a segment of a path fits a segment of a template. */
export function fitsSegment(template: string, segment: string): boolean {
  const decoded = percentDecode(segment);
  const texts = template.split(/\{[^{}]+\}/).map(percentDecode);
  return texts.length === 1 ? decoded === texts[0] : split(decoded, texts) !== undefined;
}

function nameValues(names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> {
  if (names.length === 0) return NO_PARAMETERS;
  // An assignment to `__proto__` would set the prototype instead of a property.
  if (names.includes("__proto__")) return Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
  const parameters: Record<string, string> = {};
  for (let index = 0; index < names.length; index++) parameters[names[index] ?? ""] = values[index] ?? "";
  return parameters;
}

function createBranch<T>(): Branch<T> {
  return { literals: undefined, mixed: undefined, template: undefined, endpoint: undefined };
}

/** The child node for a template's segment, created if it is missing. Adds the segment's parameters to `names`. */
function descend<T>(branch: Branch<T>, segment: string, names: string[]): Branch<T> {
  const parts = segment.split(/\{([^{}]+)\}/);
  if (parts.length === 1) {
    const literal = percentDecode(segment);
    const literals = branch.literals ??= new Map();
    const next = literals.get(literal) ?? createBranch<T>();
    literals.set(literal, next);
    return next;
  }
  names.push(...parts.filter((_, index) => index % 2 === 1));
  if (parts.length === 3 && parts[0] === "" && parts[2] === "") return branch.template ??= createBranch<T>();

  const texts = parts.filter((_, index) => index % 2 === 0).map(percentDecode);
  const mixed = branch.mixed ??= [];
  const known = mixed.find((other) => other.texts.join("{}") === texts.join("{}"));
  if (known !== undefined) return known.branch;
  const next = createBranch<T>();
  mixed.push({ texts, branch: next });
  mixed.sort((a, b) => b.texts.join("").length - a.texts.join("").length);
  return next;
}
