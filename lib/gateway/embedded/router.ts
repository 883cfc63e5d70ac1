/**
 * Finds the route of a request among all plans of a fleet: the most specific host first, there exact paths before
 * templates before prefixes. A prefix takes only paths that no template of the host declares, neither with other methods
 * nor in another spelling, and that mean the same prefix in all their spellings.
 *
 * Routes are grouped by the literal segments that their paths begin with, each group with a router of its own: when one
 * plan of many changes, the routers of the others stay.
 *
 * @module
 */
import { percentDecode } from "../../http/url.ts";
import { createRouter, type Route, type Router } from "../../mock/router.ts";
import { createHostTable } from "../hosts.ts";
import { spellingsOf } from "./normal_path.ts";

/** A route as a fleet finds it. */
export interface FleetRoute extends Route {
  /** Whether the path is a prefix: everything below it is meant too. */
  readonly isPrefix: boolean;
  /** Whether others with the same method and path go first, whichever plan they are of. */
  readonly isHidden: boolean;
}

/** What a request means. */
export type FleetMatch<T> =
  | { kind: "found"; route: T; parameters: Readonly<Record<string, string>> }
  | { kind: "method-not-allowed"; allowed: readonly string[] }
  | { kind: "not-found" };

/** The routes of a fleet; hosts are in lower case and without port. */
export interface FleetRoutes<T> {
  /** Finds the route of a request. */
  (host: string, method: string, path: string): FleetMatch<T>;
  /** Whether a template takes a path as it is written, with whatever method. */
  declares(host: string, path: string): boolean;
}

/** The routes of a plan, grouped once. */
export interface GroupedRoutes<T extends FleetRoute> {
  readonly hosts: readonly string[];
  readonly groups: readonly RouteGroup<T>[];
  readonly prefixes: readonly T[];
}

/** Routes of a plan whose paths begin alike. */
interface RouteGroup<T> {
  /** How many literal segments the paths begin with; at most {@linkcode DEEPEST}. */
  readonly level: number;
  /** These segments, decoded: `api/v1`. */
  readonly key: string;
  readonly routes: readonly T[];
}

/** The routes of one host. */
interface Site<T extends FleetRoute> {
  /** Routers by level and key. */
  readonly levels: readonly (ReadonlyMap<string, Router<T>> | undefined)[];
  /** The longest first. */
  readonly prefixes: readonly T[];
}

/** Segments that routes are grouped by. */
const DEEPEST = 3;

/** Characters in a path that servers understand in several ways: percent-encoding, and parameters of segments. */
const AMBIGUOUS = /[%;]/;

const NO_PARAMETERS: Readonly<Record<string, string>> = Object.freeze({});
const NOT_FOUND = Object.freeze({ kind: "not-found" }) satisfies FleetMatch<FleetRoute>;

/** Groups the routes of a plan. */
export function groupRoutes<T extends FleetRoute>(hosts: readonly string[], routes: readonly T[]): GroupedRoutes<T> {
  const groups = new Map<string, { level: number; key: string; routes: T[] }>();
  for (const route of routes) {
    if (route.isPrefix) continue;
    const segments = route.path.slice(1).split("/");
    const template = segments.findIndex((segment) => segment.includes("{"));
    const level = Math.min(DEEPEST, template === -1 ? segments.length : template);
    const key = segments.slice(0, level).map(percentDecode).join("/");
    const place = `${level} ${key}`;
    const group = groups.get(place);
    if (group === undefined) groups.set(place, { level, key, routes: [route] });
    else group.routes.push(route);
  }
  return { hosts, groups: [...groups.values()], prefixes: routes.filter(({ isPrefix }) => isPrefix) };
}

/** Makes what makes the routes of a fleet again and again; routers of groups that stay are kept. */
export function createFleetRouting<T extends FleetRoute>(): (plans: readonly GroupedRoutes<T>[]) => FleetRoutes<T> {
  /** The last router that began with a group, and all groups in it. */
  const routers = new WeakMap<RouteGroup<T>, { groups: readonly RouteGroup<T>[]; router: Router<T> }>();
  return (plans) => {
    const byHost = new Map<string, GroupedRoutes<T>[]>();
    for (const plan of plans) {
      for (const host of plan.hosts) {
        const known = byHost.get(host);
        if (known === undefined) byHost.set(host, [plan]);
        else known.push(plan);
      }
    }
    return createFind(createHostTable(new Map([...byHost].map(([host, plans]) => [host, createSite(plans)]))));
  };

  function createSite(plans: readonly GroupedRoutes<T>[]): Site<T> {
    const levels: (Map<string, RouteGroup<T>[]> | undefined)[] = [];
    for (const { groups } of plans) {
      for (const group of groups) {
        const keys = levels[group.level] ??= new Map();
        const known = keys.get(group.key);
        if (known === undefined) keys.set(group.key, [group]);
        else known.push(group);
      }
    }
    return {
      levels: Array.from(levels, (keys) => keys && new Map([...keys].map(([key, groups]) => [key, routerOf(groups)]))),
      prefixes: plans.flatMap(({ prefixes }) => prefixes).sort((a, b) => b.path.length - a.path.length),
    };
  }

  function routerOf(groups: readonly RouteGroup<T>[]): Router<T> {
    const [first] = groups;
    const known = first && routers.get(first);
    if (known?.groups.length === groups.length && known.groups.every((group, index) => group === groups[index])) {
      return known.router;
    }
    const routes = groups.flatMap(({ routes }) => routes);
    const router = createRouter([
      ...routes.filter(({ isHidden }) => !isHidden),
      ...routes.filter(({ isHidden }) => isHidden),
    ]);
    if (first !== undefined) routers.set(first, { groups, router });
    return router;
  }
}

function createFind<T extends FleetRoute>(sitesOf: (host: string) => readonly Site<T>[]): FleetRoutes<T> {
  const declares = (host: string, path: string): boolean => sitesOf(host).some((site) => hasTemplate(site, path));
  return Object.assign(find, { declares });

  function find(host: string, method: string, path: string): FleetMatch<T> {
    const sites = sitesOf(host);
    for (let index = 0; index < sites.length; index++) {
      const site = sites[index];
      if (site === undefined) break;
      const match = findTemplate(site, method, path);
      if (match.kind !== "not-found") return match;
      const { levels, prefixes } = site;
      if (prefixes.length === 0 && index === sites.length - 1) break;
      if (levels.length > 0 && spellingsOf(path).some((other) => hasTemplate(site, other))) break;
      const route = findPrefix(prefixes, method, path);
      if (leadsElsewhere(prefixes, method, path, route)) break;
      if (route !== undefined) return { kind: "found", route, parameters: NO_PARAMETERS };
    }
    return NOT_FOUND;
  }
}

function hasTemplate<T extends FleetRoute>(site: Site<T>, path: string): boolean {
  return findTemplate(site, "", path).kind !== "not-found";
}

function findTemplate<T extends FleetRoute>({ levels }: Site<T>, method: string, path: string): FleetMatch<T> {
  let allowed: Set<string> | undefined;
  // Literal segments go before templates, segment by segment: the longest literal beginning first.
  for (let level = levels.length - 1; level >= 0; level--) {
    const routers = levels[level];
    const key = routers && keyOf(path, level);
    const match = key === undefined ? undefined : routers?.get(key)?.match(method, path);
    if (match?.kind === "found") return match;
    if (match?.kind === "method-not-allowed") { for (const one of match.allowed) (allowed ??= new Set()).add(one); }
  }
  return allowed === undefined ? NOT_FOUND : { kind: "method-not-allowed", allowed: [...allowed] };
}

/** `CONNECT` asks for a tunnel, which no prefix is for. */
function findPrefix<T extends FleetRoute>(prefixes: readonly T[], method: string, path: string): T | undefined {
  if (prefixes.length === 0 || method === "CONNECT") return undefined;
  const plain = decodeButSlashes(path);
  return prefixes.find((route) => isBelow(plain, decodeButSlashes(route.path)));
}

/**
 * Whether a server may take a path for one of another prefix, such as `/admin;x/y` for one of `/admin`: settings of that
 * prefix, such as `auth`, would not hold. A prefix that is itself written with such characters means them.
 */
function leadsElsewhere<T extends FleetRoute>(
  prefixes: readonly T[],
  method: string,
  path: string,
  route: T | undefined,
): boolean {
  if (!AMBIGUOUS.test(path) || (route !== undefined && AMBIGUOUS.test(route.path))) return false;
  return spellingsOf(path).some((other) => findPrefix(prefixes, method, other) !== route);
}

/** The first segments of a path, decoded; `undefined` when it has fewer. */
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

/** An encoded slash is a part of its segment. */
function decodeButSlashes(path: string): string {
  if (!path.includes("%")) return path;
  // Segment by segment: a badly encoded one stands for itself, and the others are decoded all the same.
  return path.split("/").map((segment) => segment.split(/%2f/i).map(percentDecode).join("%2F")).join("/");
}

function isBelow(path: string, prefix: string): boolean {
  return prefix === "/" || path === prefix || path.startsWith(`${prefix}/`);
}
