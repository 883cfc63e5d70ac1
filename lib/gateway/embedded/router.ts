/**
 * Finds the route of a request among all plans of a fleet. The most specific host comes first; of its routes, an exact
 * path comes before a template, and a template before a prefix. Of routes with the same template, the route whose path
 * key has the most conditions that the request fulfils is chosen.
 *
 * A path may have other spellings: paths that a server may treat as the same, such as `/a/b` for `/a%2Fb`. A prefix
 * matches a path only if no template of the host matches the path in any spelling, with any method, and if all
 * spellings match the same prefix.
 *
 * Routes are grouped by the first literal segments of their paths. Each group has a router of its own, so that after a
 * change of one plan, the routers of other groups are reused.
 *
 * @module
 */
import { percentDecode } from "../../http/url.ts";
import { createRouter, MOST_UNMET, type Route, type Router } from "../../mock/router.ts";
import type { Operation } from "../../openapi/operation.ts";
import { NO_REQUIREMENTS, type Requirements, requirementsOf } from "../../openapi/operation_conditions.ts";
import { type ConditionedRequest, templateOf } from "../../openapi/path_condition.ts";
import { createHostTable, type HostTable } from "../hosts.ts";
import { spellingsOf } from "./normal_path.ts";

/** A route of a fleet. */
export interface FleetRoute extends Route {
  /** Whether the route also matches all paths below its path. */
  readonly isPrefix: boolean;
  /** Whether other routes of the fleet with the same method and path, of any plan, take precedence. */
  readonly isHidden: boolean;
  /**
   * The operation of the route. If routes differ by a label alone, the required parameters of their operations decide.
   */
  readonly operation: Operation | undefined;
}

/** The route of a request. */
export type FleetMatch<T> =
  | { kind: "found"; route: T; parameters: Readonly<Record<string, string>> }
  | { kind: "method-not-allowed"; allowed: readonly string[] }
  | {
    kind: "not-found";
    /** The routes that match the path, and whose conditions the request doesn't fulfil. */
    unmet?: readonly T[];
  };

/** The routes of a plan, grouped once. */
export interface GroupedRoutes<T extends FleetRoute> {
  readonly hosts: readonly string[];
  readonly groups: readonly RouteGroup<T>[];
  readonly prefixes: readonly T[];
  /** Whether the path keys of some routes have conditions. */
  readonly hasConditions: boolean;
}

/** Routes of a plan whose paths begin with the same literal segments. */
interface RouteGroup<T> {
  /** The number of these segments; at most {@linkcode DEEPEST}. */
  readonly level: number;
  /** These segments, decoded: `api/v1`. */
  readonly key: string;
  readonly routes: readonly T[];
}

/** The routes of one host. */
interface Site<T extends FleetRoute> {
  /** A router for each `RouteGroup`, by its `level` and `key`. */
  readonly levels: readonly (ReadonlyMap<string, Router<T>> | undefined)[];
  /** Routes with a prefix, the longest prefix first. */
  readonly prefixes: readonly T[];
}

/** The most segments by which routes are grouped. */
const DEEPEST = 3;

/** Characters of a path that servers read in different ways: percent-encoding, and parameters of segments. */
const AMBIGUOUS = /[%;]/;

const NO_PARAMETERS: Readonly<Record<string, string>> = Object.freeze({});
const NOT_FOUND = Object.freeze({ kind: "not-found" }) satisfies FleetMatch<FleetRoute>;

/** Groups the routes of a plan. */
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

/** Creates the routes of a fleet for changing plans. Routers of unchanged groups are reused. */
export class FleetRouting<T extends FleetRoute> {
  /** Routers, with the groups of their routes, by the first group. A router is reused if its groups are the same. */
  readonly #routers = new WeakMap<RouteGroup<T>, { groups: readonly RouteGroup<T>[]; router: Router<T> }>();

  /** Creates the routes of plans. */
  routesOf(plans: readonly GroupedRoutes<T>[]): FleetRoutes<T> {
    const byHost = new Map<string, GroupedRoutes<T>[]>();
    for (const plan of plans) {
      for (const host of plan.hosts) {
        const known = byHost.get(host);
        if (known === undefined) byHost.set(host, [plan]);
        else known.push(plan);
      }
    }
    const sites = new Map([...byHost].map(([host, plans]) => [host, this.#createSite(plans)]));
    return new FleetRoutes(createHostTable(sites), plans.some(({ hasConditions }) => hasConditions));
  }

  #createSite(plans: readonly GroupedRoutes<T>[]): Site<T> {
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
  /** Whether the path keys of some routes have conditions. */
  readonly hasConditions: boolean;
  readonly #sitesOf: HostTable<Site<T>>;

  constructor(sitesOf: HostTable<Site<T>>, hasConditions: boolean) {
    this.#sitesOf = sitesOf;
    this.hasConditions = hasConditions;
  }

  /**
   * Finds the route of a request.
   *
   * @param request The request, against which the conditions of path keys are checked. Without it, all conditions count
   * as fulfilled.
   */
  find(host: string, method: string, path: string, request?: ConditionedRequest): FleetMatch<T> {
    const sites = this.#sitesOf(host);
    for (let index = 0; index < sites.length; index++) {
      const site = sites[index];
      if (site === undefined) break;
      const match = findTemplate(site, method, path, request);
      if (match.kind !== "not-found" || match.unmet !== undefined) return match;
      const { levels, prefixes } = site;
      if (prefixes.length === 0 && index === sites.length - 1) break;
      if (levels.length > 0 && spellingsOf(path).some((other) => hasTemplate(site, other))) break;
      const route = findPrefix(prefixes, method, path);
      if (isAmbiguous(prefixes, method, path, route)) break;
      if (route !== undefined) return { kind: "found", route, parameters: NO_PARAMETERS };
    }
    return NOT_FOUND;
  }

  /** Tells whether a template matches a path as written, in no other spelling, with any method. */
  declares(host: string, path: string): boolean {
    return this.#sitesOf(host).some((site) => hasTemplate(site, path));
  }
}

function hasTemplate<T extends FleetRoute>(site: Site<T>, path: string): boolean {
  return findTemplate(site, "", path).kind !== "not-found";
}

/** The requirements of a route on requests, beside the conditions of its path key. */
function requirementsOfRoute({ operation }: FleetRoute): Requirements {
  return operation === undefined ? NO_REQUIREMENTS : requirementsOf(operation);
}

function findTemplate<T extends FleetRoute>(
  { levels }: Site<T>,
  method: string,
  path: string,
  request?: ConditionedRequest,
): FleetMatch<T> {
  let allowed: Set<string> | undefined;
  let unmet: readonly T[] | undefined;
  // Routes that begin with more literal segments come first: a literal segment takes precedence over a template.
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

/** Finds the longest prefix of a path. `CONNECT` is for tunnels, which no prefix serves. */
function findPrefix<T extends FleetRoute>(prefixes: readonly T[], method: string, path: string): T | undefined {
  if (prefixes.length === 0 || method === "CONNECT") return undefined;
  const plain = decodeButSlashes(path);
  return prefixes.find((route) => isBelow(plain, decodeButSlashes(route.path)));
}

/**
 * Tells whether a server may read a path as one below another prefix, as `/admin;x/y` for `/admin/y`. Such a path would
 * bypass the settings of that prefix, such as `auth`. Never so if the path's prefix itself has a `%` or `;`: such a
 * prefix is meant literally.
 */
function isAmbiguous<T extends FleetRoute>(
  prefixes: readonly T[],
  method: string,
  path: string,
  route: T | undefined,
): boolean {
  if (!AMBIGUOUS.test(path) || (route !== undefined && AMBIGUOUS.test(route.path))) return false;
  return spellingsOf(path).some((other) => findPrefix(prefixes, method, other) !== route);
}

/** The first segments of a path, decoded; `undefined` if the path has fewer. */
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

/** Decodes a path except for its encoded slashes, which are parts of their segments. */
function decodeButSlashes(path: string): string {
  if (!path.includes("%")) return path;
  // Segment by segment: a malformed segment stays as it is, and the others are decoded.
  return path.split("/").map((segment) => segment.split(/%2f/i).map(percentDecode).join("%2F")).join("/");
}

function isBelow(path: string, prefix: string): boolean {
  return prefix === "/" || path === prefix || path.startsWith(`${prefix}/`);
}
