/**
 * Finds the route of a request among all plans of a fleet. The most specific host comes first. Among the routes of a
 * host, an exact path takes precedence over a template, and a template over a prefix. Among routes with the same
 * template, the request matches the one with the most met conditions (queries and headers that its path key demands).
 *
 * A server may read a path as another path: `/a%2Fb` as `/a/b`. If another reading of a path has a stricter route, which
 * is disabled or requires other authentication, no route matches the path. A prefix matches a path only if all readings
 * of the path have this prefix as their route. Otherwise a request could bypass the settings of another route.
 *
 * Routes are grouped by the first literal segments of their paths. Each group has its own router, which is reused after
 * a change of plans that doesn't concern the group.
 *
 * @module
 */
import { percentDecode } from "../../http/url/url.ts";
import { createRouter, MOST_UNMET, type Route, type Router } from "../../mock/route/router.ts";
import type { Operation } from "../../openapi/operation.ts";
import { NO_REQUIREMENTS, type Requirements, requirementsOf } from "../../openapi/operation_conditions.ts";
import { type ConditionedRequest, templateOf } from "../../openapi/path_condition.ts";
import { createHostTable, type HostTable } from "../hosts.ts";
import { isStricter, type PlannedRoute } from "../route.ts";
import { isDivisive, otherReadings, toggleTrailingSlash } from "../../http/url/normal_path.ts";

/** A route of a fleet. The strictness of routes is compared by action and settings. */
export interface FleetRoute extends Route, Pick<PlannedRoute, "action" | "settings"> {
  /** Whether the route also matches all paths below its own. */
  readonly isPrefix: boolean;
  /** Whether any other route with this method and path takes precedence, in this plan or another plan of the fleet. */
  readonly isHidden: boolean;
  /**
   * The operation of the route. Among routes whose path keys differ only by a label (a fragment that demands nothing),
   * the required parameters of their operations decide.
   */
  readonly operation: Operation | undefined;
}

/** Returns what the router needs of a planned route. */
export function fleetRouteOf(route: PlannedRoute, isHidden: boolean): FleetRoute {
  const { method, path, conditions, operation, action, settings } = route;
  return {
    method,
    path: path.kind === "template" ? path.template : path.prefix,
    conditions,
    operation,
    action,
    settings,
    isPrefix: path.kind === "prefix",
    isHidden,
  };
}

/** The result of finding the route of a request. */
export type FleetMatch<T> =
  | { kind: "found"; route: T; parameters: Readonly<Record<string, string>> }
  | { kind: "method-not-allowed"; allowed: readonly string[] }
  | {
    kind: "not-found";
    /** Routes that match the path, but whose conditions the request doesn't meet. */
    unmet?: readonly T[];
  };

/** The routes of a plan, grouped by the first literal segments of their paths. */
export interface GroupedRoutes<T extends FleetRoute> {
  readonly hosts: readonly string[];
  readonly groups: readonly RouteGroup<T>[];
  readonly prefixes: readonly T[];
  /** Whether a path key in the plan has conditions (queries or headers that it demands). */
  readonly hasConditions: boolean;
}

/** Routes of a plan whose paths start with the same literal segments. */
interface RouteGroup<T> {
  /** The number of literal segments that the paths share; at most {@linkcode DEEPEST}. */
  readonly level: number;
  /** The literal segments that the paths share, decoded: `api/v1`. */
  readonly key: string;
  readonly routes: readonly T[];
}

/** The routes of one host. */
interface HostRoutes<T extends FleetRoute> {
  /**
   * The routers of the host: by the number of literal segments, and then by the segments (`level` and `key` of the
   * groups).
   */
  readonly levels: readonly (ReadonlyMap<string, Router<T>> | undefined)[];
  /** The routes with a prefix, the longest prefix first. */
  readonly prefixes: readonly T[];
}

/** The most literal segments by which routes are grouped. */
const DEEPEST = 3;

const NO_PARAMETERS: Readonly<Record<string, string>> = Object.freeze({});
const NOT_FOUND = Object.freeze({ kind: "not-found" }) satisfies FleetMatch<FleetRoute>;

/** Groups the routes of a plan by the first literal segments of their paths. */
export function groupRoutes<T extends FleetRoute>(hosts: readonly string[], routes: readonly T[]): GroupedRoutes<T> {
  const groups = new Map<string, { level: number; key: string; routes: T[] }>();
  for (const route of routes) {
    if (route.isPrefix) continue;
    const segments = templateOf(route.path).slice(1).split("/");
    const template = segments.findIndex((segment) => segment.includes("{"));
    const level = Math.min(DEEPEST, template === -1 ? segments.length : template);
    const key = segments.slice(0, level).map(percentDecode).join("/");
    const place = `${level} ${key}`;
    const group = groups.get(place);
    if (group === undefined) groups.set(place, { level, key, routes: [route] });
    else group.routes.push(route);
  }
  const prefixes = routes.filter(({ isPrefix }) => isPrefix);
  return { hosts, groups: [...groups.values()], prefixes, hasConditions: routes.some((route) => route.conditions) };
}

/**
 * Builds the routes of a fleet again whenever its plans change. A router is reused if the groups of its routes haven't
 * changed.
 */
export class FleetRouting<T extends FleetRoute> {
  /** The built routers by their first group, each with all the groups that it was built from. */
  readonly #routers = new WeakMap<RouteGroup<T>, { groups: readonly RouteGroup<T>[]; router: Router<T> }>();

  routesOf(plans: readonly GroupedRoutes<T>[]): FleetRoutes<T> {
    const byHost = new Map<string, GroupedRoutes<T>[]>();
    for (const plan of plans) {
      for (const host of plan.hosts) {
        const known = byHost.get(host);
        if (known === undefined) byHost.set(host, [plan]);
        else known.push(plan);
      }
    }
    const hostRoutes = new Map([...byHost].map(([host, plans]) => [host, this.#createHostRoutes(plans)]));
    return new FleetRoutes(createHostTable(hostRoutes), plans.some(({ hasConditions }) => hasConditions));
  }

  #createHostRoutes(plans: readonly GroupedRoutes<T>[]): HostRoutes<T> {
    const levels: (Map<string, RouteGroup<T>[]> | undefined)[] = [];
    for (const { groups } of plans) {
      for (const group of groups) {
        const keys = levels[group.level] ??= new Map();
        const known = keys.get(group.key);
        if (known === undefined) keys.set(group.key, [group]);
        else known.push(group);
      }
    }
    const routersOf = (keys: ReadonlyMap<string, RouteGroup<T>[]>): Map<string, Router<T>> =>
      new Map([...keys].map(([key, groups]) => [key, this.#routerOf(groups)]));
    return {
      levels: Array.from(levels, (keys) => keys && routersOf(keys)),
      prefixes: plans.flatMap(({ prefixes }) => prefixes).sort((a, b) => b.path.length - a.path.length),
    };
  }

  #routerOf(groups: readonly RouteGroup<T>[]): Router<T> {
    const [first] = groups;
    const known = first && this.#routers.get(first);
    if (known?.groups.length === groups.length && known.groups.every((group, index) => group === groups[index])) {
      return known.router;
    }
    const routes = groups.flatMap(({ routes }) => routes);
    const ordered = [...routes.filter(({ isHidden }) => !isHidden), ...routes.filter(({ isHidden }) => isHidden)];
    const router = createRouter(ordered, () => [], requirementsOfRoute);
    if (first !== undefined) this.#routers.set(first, { groups, router });
    return router;
  }
}

/** The routes of a fleet. Hosts are in lower case and without port. */
export class FleetRoutes<T extends FleetRoute> {
  /** Whether a path key in the fleet has conditions (queries or headers that it demands). */
  readonly hasConditions: boolean;
  readonly #hostRoutesOf: HostTable<HostRoutes<T>>;

  constructor(hostRoutesOf: HostTable<HostRoutes<T>>, hasConditions: boolean) {
    this.#hostRoutesOf = hostRoutesOf;
    this.hasConditions = hasConditions;
  }

  /**
   * Finds the route of a request by its host, method and path.
   *
   * @param path The normal path of the request.
   * @param request The request, against which the conditions of path keys are checked. Without it, all conditions count
   * as fulfilled.
   */
  find(host: string, method: string, path: string, request?: ConditionedRequest): FleetMatch<T> {
    const match = this.#findAsWritten(host, method, path, request);
    if (match.kind !== "found" || !isDivisive(path) || isDivisive(match.route.path)) return match;
    const { route } = match;
    const isBypass = otherReadings(path).some((reading) =>
      leadsElsewhere(route, this.#findAsWritten(host, method, reading, request))
    );
    return isBypass ? NOT_FOUND : match;
  }

  #findAsWritten(host: string, method: string, path: string, request?: ConditionedRequest): FleetMatch<T> {
    const hostRoutes = this.#hostRoutesOf(host);
    for (let index = 0; index < hostRoutes.length; index++) {
      const routes = hostRoutes[index];
      if (routes === undefined) break;
      const match = findTemplate(routes, method, path, request);
      if (match.kind !== "not-found" || match.unmet !== undefined) return match;
      const { levels, prefixes } = routes;
      if (prefixes.length === 0 && index === hostRoutes.length - 1) break;
      // A declared path with its trailing slash added or removed belongs to its API, and isn't declared.
      const toggled = levels.length > 0 ? toggleTrailingSlash(path) : undefined;
      if (toggled !== undefined && hasTemplate(routes, toggled)) break;
      const route = findPrefix(prefixes, method, path);
      if (route !== undefined) return { kind: "found", route, parameters: NO_PARAMETERS };
    }
    return NOT_FOUND;
  }

  /**
   * Tells whether a template of the host matches the path as written, with any method. Other readings of the path don't
   * count.
   */
  declares(host: string, path: string): boolean {
    return this.#hostRoutesOf(host).some((routes) => hasTemplate(routes, path));
  }
}

function hasTemplate<T extends FleetRoute>(routes: HostRoutes<T>, path: string): boolean {
  return findTemplate(routes, "", path).kind !== "not-found";
}

/** Returns the requirements of a route's operation on requests, apart from the conditions of its path key. */
function requirementsOfRoute({ operation }: FleetRoute): Requirements {
  return operation === undefined ? NO_REQUIREMENTS : requirementsOf(operation);
}

function findTemplate<T extends FleetRoute>(
  { levels }: HostRoutes<T>,
  method: string,
  path: string,
  request?: ConditionedRequest,
): FleetMatch<T> {
  let allowed: Set<string> | undefined;
  let unmet: readonly T[] | undefined;
  // Routers with more literal segments come first, because a literal segment takes precedence over a template.
  for (let level = levels.length - 1; level >= 0; level--) {
    const routers = levels[level];
    const key = routers && keyOf(path, level);
    const match = key === undefined ? undefined : routers?.get(key)?.match(method, path, request);
    if (match?.kind === "found") return match;
    if (match?.kind === "method-not-allowed") { for (const one of match.allowed) (allowed ??= new Set()).add(one); }
    if (match?.kind === "not-found" && match.unmet !== undefined) {
      unmet = unmet === undefined ? match.unmet : [...unmet, ...match.unmet].slice(0, MOST_UNMET);
    }
  }
  if (allowed !== undefined) return { kind: "method-not-allowed", allowed: [...allowed] };
  return unmet === undefined ? NOT_FOUND : { kind: "not-found", unmet };
}

/** Finds the route with the longest prefix of a path. `CONNECT` matches no prefix, because it asks for a tunnel. */
function findPrefix<T extends FleetRoute>(prefixes: readonly T[], method: string, path: string): T | undefined {
  if (prefixes.length === 0 || method === "CONNECT") return undefined;
  const plain = decodeExceptSlashes(path);
  return prefixes.find((route) => isBelow(plain, decodeExceptSlashes(route.path)));
}

/** Tells whether a request bypasses the settings of another route, since a server may read its path as another path. */
function leadsElsewhere<T extends FleetRoute>(route: T, other: FleetMatch<T>): boolean {
  if (other.kind !== "found") return route.isPrefix;
  return route.isPrefix ? other.route !== route : isStricter(other.route, route);
}

/** Returns the first segments of a path, decoded; `undefined` if the path has fewer segments. */
function keyOf(path: string, level: number): string | undefined {
  let end = 0;
  for (let count = 0; count < level; count++) {
    if (end === path.length) return undefined;
    const next = path.indexOf("/", end + 1);
    end = next === -1 ? path.length : next;
  }
  const key = path.slice(1, end);
  return key.includes("%") ? key.split("/").map(percentDecode).join("/") : key;
}

/** Decodes a path, but not its encoded slashes, which don't separate segments. */
function decodeExceptSlashes(path: string): string {
  if (!path.includes("%")) return path;
  // Each segment is decoded on its own, so that a malformed segment leaves the others decoded.
  return path.split("/").map((segment) => segment.split(/%2f/i).map(percentDecode).join("%2F")).join("/");
}

function isBelow(path: string, prefix: string): boolean {
  return prefix === "/" || path === prefix || path.startsWith(`${prefix}/`);
}
