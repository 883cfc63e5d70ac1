/**
 * The plan of an API or a static route: for each host, method and path, the action and the settings. `planRoutes` makes
 * it.
 *
 * @module
 */
import type { Rule } from "../openapi/extension/rule.ts";
import type { Document } from "../openapi/document.ts";
import type { Extension } from "../openapi/extension/extension.ts";
import type { ExtensionSettings, Redirect, Upstream } from "../openapi/extension/settings.ts";
import type { Operation } from "../openapi/operation.ts";
import { sortedJson } from "./hash.ts";
import { identityOf, type PathConditions, shapeOfPath } from "../openapi/path_condition.ts";

/** The namespace and name of a fleet, a group of proxies that share listeners. */
export interface FleetRef {
  readonly namespace: string;
  readonly name: string;
}

/** Returns `namespace/name`, such as `default/edge`, which identifies an object among those of its kind. */
export function qualifiedName({ namespace, name }: { namespace: string; name: string }): string {
  return `${namespace}/${name}`;
}

/** The routes of an API or static route, with their settings. */
export interface RoutePlan {
  readonly kind: "api" | "static-route";
  readonly namespace: string;
  readonly name: string;
  readonly fleet: FleetRef;
  /** The hosts of all routes, in lower case: `api.example.com`, `*.example.com`, or `*` for every host. */
  readonly hosts: readonly string[];
  readonly routes: readonly PlannedRoute[];
  /**
   * Routes that aren't operations, but must answer 404 because of `disabled`: the other methods of a disabled path, and
   * a disabled path with its trailing slash added or removed. A route of any plan with the same method and path takes
   * precedence over them.
   */
  readonly hidden: readonly PlannedRoute[];
  /**
   * The claims of the plan, with their routes. A claim is a host, method, path template and conditions. Two plans of a
   * fleet conflict if they have a claim in common.
   */
  readonly claims: ReadonlyMap<string, PlannedRoute>;
  readonly document: Document;
}

/** The action and the settings for one method and path. */
export interface PlannedRoute {
  /** The method, in upper case; `*` for every method. */
  readonly method: string;
  readonly path: PlannedPath;
  /** The conditions of the operation's path key: the queries and headers that it demands of a request. */
  readonly conditions?: PathConditions | undefined;
  /** The operation of the route; `undefined` for a route that isn't an operation. */
  readonly operation: Operation | undefined;
  readonly action: RouteAction;
  /** The settings of `x-svc`, merged from the root, the path and the operation. */
  readonly settings: Readonly<ExtensionSettings>;
  /**
   * The node of each setting in the definition. For a setting that is merged from several levels, the node of the
   * innermost level.
   */
  readonly origins: Extension["origins"];
}

/** The paths that a route matches. */
export type PlannedPath =
  | {
    kind: "template";
    /** A path template, with the prefix of the API and without conditions: `/api/pets/{petId}`. */
    template: string;
  }
  | {
    kind: "prefix";
    /** A path that matches itself and all paths below it, such as `/` or `/files`. */
    prefix: string;
  };

/** The action of a route. The kinds are in order of precedence: `disabled` at an operation overrides `redirect`. */
export type RouteAction =
  | { kind: "disabled" }
  | { kind: "redirect"; redirect: Redirect }
  | {
    kind: "mock";
    /** Whether bodies are generated from schemas if there are no examples. */
    generate: boolean;
    /** The rules in the settings (delays, faults, sequences); absent if there are none. */
    rules?: readonly Rule[];
  }
  | {
    kind: "upstream";
    /** The upstreams among which requests are distributed by weight; empty if the definition names none. */
    upstreams: readonly PlannedUpstream[];
  }
  /** Serves the definition itself, at `public_api_path`. */
  | { kind: "definition" };

/** An upstream, with the weight that is its share of the requests. */
export interface PlannedUpstream extends Upstream {
  readonly weight: number;
}

/**
 * Tells whether the upstream of a route is asked about CORS preflights: an operation that an upstream answers and that
 * has no `x-svc.cors`.
 */
export function asksUpstreamForCors({ action, operation, settings: { cors } }: PlannedRoute): boolean {
  return operation !== undefined && cors === undefined && action.kind === "upstream" && action.upstreams.length > 0;
}

/** Tells whether a route is disabled, or requires other authentication than another route. */
export function isStricter(route: Guarded, than: Guarded): boolean {
  if (route.action.kind === "disabled") return true;
  const { auth } = route.settings;
  return auth !== undefined && sortedJson(auth) !== sortedJson(than.settings.auth ?? null);
}

type Guarded = Pick<PlannedRoute, "action" | "settings">;

/** A conflict between two plans: they have a claim (host, method and path) in common. */
export interface Conflict {
  readonly other: RoutePlan;
  /** The route of the first plan that has the claim. */
  readonly route: PlannedRoute;
}

/**
 * Finds a route of a plan whose claim another plan has, too. Requests can go to only one of the two plans.
 *
 * @param others The plans of the fleet. A plan with the same kind, namespace and name is another version of the plan,
 * and doesn't conflict with it.
 */
export function findConflict(plan: RoutePlan, others: readonly RoutePlan[]): Conflict | undefined {
  for (const other of others) {
    if (isSame(plan, other)) continue;
    for (const [claim, route] of plan.claims) {
      if (other.claims.has(claim)) return { other, route };
    }
  }
  return undefined;
}

/** Writes the path of a route for messages: `/api/pets/{petId}`, `/files/*`. */
export function showPath(path: PlannedPath): string {
  return path.kind === "template" ? path.template : `${path.prefix.replace(/\/$/, "")}/*`;
}

/** Writes the path of a route for messages, with its conditions: `/v1/agents?beta=true`. */
export function showRoutePath({ path, conditions }: Pick<PlannedRoute, "path" | "conditions">): string {
  return `${showPath(path)}${conditions?.written ?? ""}`;
}

/** Returns a key that routes share if they have the same method, path, conditions and label. */
export function requestsOf(route: Pick<PlannedRoute, "method" | "path" | "conditions">): string {
  const { conditions } = route;
  return conditions === undefined ? claimOf(route) : `${claimOf(route)}#${conditions.label}`;
}

/**
 * Returns the claim of a route, without its host. Labels are left out, because routes that differ only by a label match
 * the same requests.
 */
export function claimOf({ method, path, conditions }: Pick<PlannedRoute, "method" | "path" | "conditions">): string {
  const requests = `${method} ${shapeOfPath(showPath(path))}`;
  const identity = identityOf(conditions);
  return identity === "" ? requests : `${requests} ${identity}`;
}

/** Lists the upstreams in the settings, with their weights. */
export function upstreamsOf({ upstream, upstreams }: ExtensionSettings): readonly PlannedUpstream[] {
  return upstreams ?? (upstream === undefined ? [] : [{ ...upstream, weight: 100 }]);
}

function isSame(a: RoutePlan, b: RoutePlan): boolean {
  return a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}
