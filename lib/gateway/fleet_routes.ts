/**
 * Finds the route of a request among all plans of a fleet: the most specific host first, there exact paths before
 * templates before prefixes.
 *
 * @module
 */
import { createRouter, type Route, type Router } from "../mock/router.ts";
import { createHostTable } from "./hosts.ts";

/** A route as a fleet finds it. */
export interface FleetRoute extends Route {
  /** Whether the path is a prefix: everything below it is meant too. */
  readonly isPrefix: boolean;
}

/** What a request means. */
export type FleetMatch<T> =
  | { kind: "found"; route: T; parameters: Readonly<Record<string, string>> }
  | { kind: "method-not-allowed"; allowed: readonly string[] }
  | { kind: "not-found" };

/** Finds the route of a request to a host, in lower case and without port. */
export type FleetRoutes<T> = (host: string, method: string, path: string) => FleetMatch<T>;

/** The routes of one host. */
interface Site<T extends FleetRoute> {
  readonly router: Router<T>;
  /** The longest first. */
  readonly prefixes: readonly T[];
}

const NO_PARAMETERS: Readonly<Record<string, string>> = Object.freeze({});
const NOT_FOUND = Object.freeze({ kind: "not-found" }) satisfies FleetMatch<FleetRoute>;

/** Makes the routes of a fleet from those of its plans. */
export function createFleetRoutes<T extends FleetRoute>(
  plans: readonly { readonly hosts: readonly string[]; readonly routes: readonly T[] }[],
): FleetRoutes<T> {
  const byHost = new Map<string, T[]>();
  for (const { hosts, routes } of plans) {
    for (const host of hosts) {
      const known = byHost.get(host) ?? [];
      byHost.set(host, known);
      for (const route of routes) known.push(route);
    }
  }
  const sitesOf = createHostTable(new Map([...byHost].map(([host, routes]) => [host, createSite(routes)])));
  return find;

  function find(host: string, method: string, path: string): FleetMatch<T> {
    const allowed = new Set<string>();
    for (const { router, prefixes } of sitesOf(host)) {
      const match = router.match(method, path);
      if (match.kind === "found") return match;
      const route = prefixes.length === 0 ? undefined : prefixes.find((route) => isBelow(path, route.path));
      if (route !== undefined) return { kind: "found", route, parameters: NO_PARAMETERS };
      if (match.kind === "method-not-allowed") { for (const method of match.allowed) allowed.add(method); }
    }
    return allowed.size === 0 ? NOT_FOUND : { kind: "method-not-allowed", allowed: [...allowed] };
  }
}

function createSite<T extends FleetRoute>(routes: readonly T[]): Site<T> {
  const prefixes = routes.filter(({ isPrefix }) => isPrefix).sort((a, b) => b.path.length - a.path.length);
  return { router: createRouter(routes.filter(({ isPrefix }) => !isPrefix)), prefixes };
}

function isBelow(path: string, prefix: string): boolean {
  return prefix === "/" || path === prefix || path.startsWith(`${prefix}/`);
}
