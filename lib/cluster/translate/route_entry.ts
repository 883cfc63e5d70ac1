/**
 * The routes of a plan as entries. An entry is a rule whose matches aren't made yet: the path pattern and the methods
 * to match, the content of the rule, and the access to it.
 *
 * @module
 */
import { type Access, accessOf, accessRulesOf } from "./access.ts";
import { conditionMatchOf } from "./condition_match.ts";
import { METHODS } from "./gateway_api.ts";
import { unreachableReason } from "./path_match.ts";
import { type PathPattern, patternOf } from "./path_pattern.ts";
import type { RenderContext } from "./rendering.ts";
import { contentOf, notFoundContent, type RuleContent } from "./rule.ts";
import { type PlannedRoute, requestsOf, type RoutePlan } from "../../gateway/route.ts";
import { identityOf, type PathConditions } from "../../openapi/path_condition.ts";

/** A rule before its matches are made. */
export interface RouteEntry {
  readonly pattern: PathPattern;
  /** Empty for any method. */
  readonly methods: readonly string[];
  /** The queries and headers that a request must have. */
  readonly conditions?: PathConditions | undefined;
  readonly content: RuleContent;
  readonly access: Access;
  readonly isDisabled: boolean;
  /**
   * The entry is for undeclared requests: those to a declared path that no operation handles, for example because of
   * their method, or because their path has a trailing slash more or less.
   */
  readonly isUndeclared?: true;
  /** Absent for entries without a route in the plan, such as the paths of a login. */
  readonly route?: PlannedRoute;
}

/** Makes the entries of a plan's routes, from which the rules of HTTPRoutes are made. */
export function entriesOf({ routes, hidden }: RoutePlan, context: RenderContext): RouteEntry[] {
  const rules = accessRulesOf(routes);
  const heads = headShapes([{ routes }, ...context.neighbours]);
  const entries = routes.map((route): RouteEntry => {
    const { conditions } = route;
    const pattern = patternOf(route.path);
    // A route for GET also matches HEAD, unless the path has a route for HEAD.
    const isGetAlone = route.method === "GET" &&
      (heads.has(pattern.shape) || heads.has(shapeWithConditions(pattern, conditions)));
    const methods = isGetAlone ? ["GET"] : matchedMethods(route.method);
    const isDisabled = route.action.kind === "disabled";
    const content = contentOf(route, context);
    return { pattern, methods, conditions, content, access: accessOf(route, rules), isDisabled, route };
  });
  return [...entries, ...hiddenEntries(hidden, context), ...loginEntries(entries, context)];
}

/** A text that is equal for the same paths with the same conditions; without conditions it is the shape. */
export function shapeWithConditions({ shape }: PathPattern, conditions: PathConditions | undefined): string {
  const identity = identityOf(conditions);
  return identity === "" ? shape : `${shape} ${identity}`;
}

/** The paths, with their conditions, that have a route for HEAD. */
function headShapes(plans: readonly Pick<RoutePlan, "routes">[]): Set<string> {
  const heads = plans.flatMap(({ routes }) => routes.filter(({ method }) => method === "HEAD"));
  return new Set(heads.map(({ path, conditions }) => shapeWithConditions(patternOf(path), conditions)));
}

/**
 * The entries of hidden routes (paths and methods beside disabled operations): the mocks answer 404. An operation of
 * another plan with the same method and path has precedence.
 */
function hiddenEntries(hidden: readonly PlannedRoute[], context: RenderContext): RouteEntry[] {
  if (hidden.length === 0) return [];
  const declared = new Set(context.neighbours.flatMap(({ routes }) => routes).map(requestsOf));
  return hidden.flatMap((route): RouteEntry[] => {
    const { method, path, conditions } = route;
    const pattern = patternOf(path);
    if (declared.has(requestsOf(route)) || unreachableReason(pattern) !== undefined) return [];
    if (typeof conditionMatchOf(conditions, context.profile) === "string") return [];
    // A gateway prefers a match with a method to one with conditions and no method. So a hidden route with conditions
    // has a match for each method.
    const methods = method === "*" && identityOf(conditions) !== "" ? [...METHODS] : matchedMethods(method);
    const content = notFoundContent(context);
    return [{ pattern, methods, conditions, content, access: { kind: "open" }, isDisabled: true }];
  });
}

/** The entries of the callback and logout paths of logins: rules behind the same policy as the login's operations. */
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

/** The methods to match for the method of a route; empty for any. */
export function matchedMethods(method: string): string[] {
  if (method === "*") return [];
  return method === "GET" ? ["GET", "HEAD"] : [method];
}

/** Tells whether the Gateway API can match all methods of an entry. */
export function hasKnownMethod({ methods }: Pick<RouteEntry, "methods">): boolean {
  return methods.every((method) => METHODS.has(method));
}

/** Tells whether two lists of methods have one in common. An empty list is any method. */
export function shareMethod(a: readonly string[], b: readonly string[]): boolean {
  return a.length === 0 || b.length === 0 || a.some((method) => b.includes(method));
}
