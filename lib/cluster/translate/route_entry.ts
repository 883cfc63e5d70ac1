/**
 * Makes entries from the routes of a plan. An entry is a rule before its matches are made: its path pattern and
 * methods, its content (filters and backends), and the access to it.
 *
 * @module
 */
import { accessOf, accessRulesOf, type RouteAccess } from "./access.ts";
import { conditionMatchOf } from "./condition_match.ts";
import { MATCHED_METHODS } from "./gateway_api.ts";
import { type PathMatch, unreachableReason } from "./path_match.ts";
import { type PathPattern, patternOf } from "./path_pattern.ts";
import type { RenderContext } from "./rendering.ts";
import { contentOf, notFoundContent, type RuleContent } from "./rule.ts";
import { asksUpstreamForCors, type PlannedRoute, requestsOf, type RoutePlan } from "../../gateway/route.ts";
import { identityOf, type PathConditions } from "../../openapi/path_condition.ts";

/** A rule before its matches are made. */
export interface RouteEntry {
  readonly pattern: PathPattern;
  /** The methods that the rule matches; empty for every method. */
  readonly methods: readonly string[];
  /** The queries and headers that a request must have. */
  readonly conditions?: PathConditions | undefined;
  readonly content: RuleContent;
  readonly access: RouteAccess;
  readonly isDisabled: boolean;
  /**
   * Whether the rule is for undeclared requests: requests to a declared path that no operation handles, for instance
   * because of their method or a trailing slash.
   */
  readonly isUndeclared?: true;
  /** The path matches of a guard rule, in place of the match of its pattern. */
  readonly guards?: readonly PathMatch[];
  /**
   * The methods whose CORS preflights the rule takes. Its match has the headers of a preflight, and is for no other
   * OPTIONS.
   */
  readonly announced?: readonly string[];
  /** The planned route; absent for entries that no route of the plan has, such as the callback path of a login. */
  readonly route?: PlannedRoute;
}

/** Makes the entries of a plan's routes. */
export function entriesOf({ routes, hidden }: RoutePlan, context: RenderContext): RouteEntry[] {
  const rules = accessRulesOf(routes);
  const heads = headShapes([{ routes }, ...context.neighbours]);
  const entries = routes.map((route): RouteEntry => {
    const { conditions } = route;
    const pattern = patternOf(route.path);
    // A route for GET also matches HEAD, unless another route of the path is for HEAD.
    const isGetAlone = route.method === "GET" &&
      (heads.has(pattern.shape) || heads.has(shapeWithConditions(pattern, conditions)));
    const methods = isGetAlone ? ["GET"] : matchedMethods(route.method);
    const isDisabled = route.action.kind === "disabled";
    const content = contentOf(route, context);
    return { pattern, methods, conditions, content, access: accessOf(route, rules), isDisabled, route };
  });
  return [
    ...entries,
    ...preflightEntries(entries, context),
    ...hiddenEntries(hidden, context),
    ...loginEntries(entries, context),
  ];
}

/**
 * Makes entries for the CORS preflights of operations whose upstreams are asked about them. Browsers send no credentials
 * in a preflight, so the access to these rules is open. A path that declares OPTIONS needs none.
 */
function preflightEntries(entries: readonly RouteEntry[], context: RenderContext): RouteEntry[] {
  const answered = new Set(
    [context.plan, ...context.neighbours].flatMap(({ routes }) => routes.filter(({ method }) => method === "OPTIONS"))
      .map(({ path }) => patternOf(path).shape),
  );
  const preflights = entries.flatMap(({ pattern, methods, conditions, route }): RouteEntry[] => {
    if (route === undefined || !asksUpstreamForCors(route) || answered.has(pattern.shape)) return [];
    return [{
      pattern,
      methods: ["OPTIONS"],
      conditions: conditions && { ...conditions, headers: [] },
      content: contentOf({ ...route, method: "OPTIONS" }, context),
      access: { kind: "open" },
      isDisabled: false,
      announced: methods,
    }];
  });
  const keyOf = ({ pattern, conditions, content }: RouteEntry): string =>
    `${shapeWithConditions(pattern, conditions)} ${content.key}`;
  return [...Map.groupBy(preflights, keyOf).values()].flatMap((group) => {
    // Path keys that differ in their fragment only have the same methods again.
    const announced = [...new Set(group.flatMap(({ announced = [] }) => announced))].sort();
    return group.slice(0, 1).map((entry) => ({ ...entry, announced }));
  });
}

/** Returns a key that is equal for equal paths with equal conditions; without conditions it is the shape. */
export function shapeWithConditions({ shape }: PathPattern, conditions: PathConditions | undefined): string {
  const identity = identityOf(conditions);
  return identity === "" ? shape : `${shape} ${identity}`;
}

/** Returns the paths that have a route for HEAD, with their conditions. */
function headShapes(plans: readonly Pick<RoutePlan, "routes">[]): Set<string> {
  const heads = plans.flatMap(({ routes }) => routes.filter(({ method }) => method === "HEAD"));
  return new Set(heads.map(({ path, conditions }) => shapeWithConditions(patternOf(path), conditions)));
}

/**
 * Makes entries for hidden routes: the paths and methods besides disabled operations, to which the mocks answer 404. An
 * operation of another plan with such a path and method takes precedence.
 */
function hiddenEntries(hidden: readonly PlannedRoute[], context: RenderContext): RouteEntry[] {
  if (hidden.length === 0) return [];
  const declared = new Set(context.neighbours.flatMap(({ routes }) => routes).map(requestsOf));
  return hidden.flatMap((route): RouteEntry[] => {
    const { method, path, conditions } = route;
    const pattern = patternOf(path);
    if (declared.has(requestsOf(route)) || unreachableReason(pattern) !== undefined) return [];
    if (typeof conditionMatchOf(conditions, context.profile) === "string") return [];
    // A gateway prefers a match with a method to a match with conditions and no method. So a hidden route with
    // conditions has a match for each method.
    const methods = method === "*" && identityOf(conditions) !== "" ? [...MATCHED_METHODS] : matchedMethods(method);
    const content = notFoundContent(context);
    return [{ pattern, methods, conditions, content, access: { kind: "open" }, isDisabled: true }];
  });
}

/**
 * Makes entries for the callback and logout paths of logins. Their rules must be behind the policy of the login's
 * operations.
 */
function loginEntries(entries: readonly RouteEntry[], context: RenderContext): RouteEntry[] {
  const added: RouteEntry[] = [];
  const taken = new Set(entries.map(({ pattern: { shape } }) => shape));
  for (const { access } of entries) {
    if (access.kind !== "protected" || access.login === undefined) continue;
    for (const template of [access.login.callbackPath, access.login.logoutPath]) {
      const pattern = patternOf({ kind: "template", template });
      if (taken.has(pattern.shape)) continue;
      taken.add(pattern.shape);
      added.push({ pattern, methods: ["GET"], content: notFoundContent(context), access, isDisabled: false });
    }
  }
  return added;
}

/** Returns the methods that the rule of a route matches; empty for every method. */
export function matchedMethods(method: string): string[] {
  if (method === "*") return [];
  return method === "GET" ? ["GET", "HEAD"] : [method];
}

/** Tells whether the Gateway API can match all methods of an entry. */
export function hasKnownMethod({ methods }: Pick<RouteEntry, "methods">): boolean {
  return methods.every((method) => MATCHED_METHODS.has(method));
}

/** Tells whether two lists have a method in common. An empty list stands for every method. */
export function shareMethod(a: readonly string[], b: readonly string[]): boolean {
  return a.length === 0 || b.length === 0 || a.some((method) => b.includes(method));
}
