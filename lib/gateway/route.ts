/**
 * Plans the routes of a definition. A plan is data: for each host, method and path, the action and the settings. Plans
 * are the input of both gateways:
 *
 * ```text
 * Document -> listOperations + x-svc -> planRoutes -> RoutePlan
 * -> createGateway (embedded), or Gateway API objects
 * ```
 *
 * @module
 */
import { type DeclaredRoute, disabledRoutes, gatewayAction } from "../mock/action.ts";
import type { Rule } from "../mock/rules/rule.ts";
import { selectResponse } from "../mock/select_response.ts";
import { shapeOfPath } from "../openapi/lint/paths.ts";
import { type DefinitionObject, type Document, parseDocument, type ParseOptions } from "../openapi/document.ts";
import { createExtensionReader, type Extension, readLevel } from "../openapi/extension/extension.ts";
import type { ExtensionSettings, Redirect, Upstream } from "../openapi/extension/settings.ts";
import { listOperations, listPaths, type Operation } from "../openapi/operation.ts";
import { conditionsOf } from "../openapi/operation_conditions.ts";
import { identityOf, type PathConditions, templateOf } from "../openapi/path_condition.ts";

/** The namespace and name of a fleet, a group of proxies that share listeners. */
export interface FleetRef {
  readonly namespace: string;
  readonly name: string;
}

/** Returns `namespace/name`, such as `default/edge`, which identifies an object among those of its kind. */
export function qualifiedName({ namespace, name }: { namespace: string; name: string }): string {
  return `${namespace}/${name}`;
}

/** A definition that is deployed to a fleet. */
export interface Api {
  readonly namespace: string;
  readonly name: string;
  readonly fleet: FleetRef;
  readonly document: Document;
}

/**
 * A static route: all requests to some hosts, below a path, are sent to an upstream or redirected. Of its document,
 * only `x-svc` at the root counts.
 */
export interface StaticRoute {
  readonly namespace: string;
  readonly name: string;
  readonly fleet: FleetRef;
  readonly document: Document;
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
 * Plans the routes of an API: a route for each operation, and one for the definition if it is public.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { parseDocument } from "../openapi/document.ts";
 *
 * const document = await parseDocument(`
 * openapi: 3.1.0
 * info: {title: Pets, version: 1.0.0}
 * x-svc: {path: {prefix: /v1}, mocking: {enabled: true}}
 * paths:
 *   /pets:
 *     get: {responses: {"204": {description: Nothing.}}}
 * `);
 * const fleet = { namespace: "default", name: "default" };
 * const { hosts, routes: [route] } = planRoutes({ namespace: "default", name: "pets", fleet, document });
 * assert.deepEqual(hosts, ["*"]);
 * assert.deepEqual(route?.path, { kind: "template", template: "/v1/pets" });
 * assert.deepEqual(route?.action, { kind: "mock", generate: false });
 * ```
 */
export function planRoutes({ namespace, name, fleet, document }: Api): RoutePlan {
  const root = readLevel(document.root, "root");
  const readExtension = createExtensionReader(document);
  const operations = listOperations(document).map((operation): PlannedRoute => {
    const { settings, origins } = readExtension(operation);
    const { method } = operation;
    const path: PlannedPath = { kind: "template", template: withPrefix(settings, templateOf(operation.path)) };
    const conditions = conditionsOf(operation);
    return { method, path, conditions, operation, action: actionOf(operation, settings), settings, origins };
  });
  const hosts = hostsOf(root.settings);
  const routes = [...operations, ...definitionRoute(root)];
  const paths = listPaths(document).map(({ path, pathItems }): DeclaredRoute => {
    const { settings } = readExtension({ pathItems });
    const conditions = conditionsOf({ document, path, pathItems });
    return { method: "*", path: withPrefix(settings, path), conditions, isDisabled: settings.disabled === true };
  });
  const hideable = routes.map((route): DeclaredRoute => {
    const { method, conditions, action } = route;
    return { method, path: showRoutePath(route), conditions, isDisabled: action.kind === "disabled" };
  });
  const hidden = disabledRoutes(paths, hideable).map(({ method, path, conditions }): PlannedRoute => ({
    method,
    path: { kind: "template", template: conditions === undefined ? path : templateOf(path) },
    conditions,
    operation: undefined,
    action: { kind: "disabled" },
    settings: {},
    origins: {},
  }));
  return { kind: "api", namespace, name, fleet, hosts, routes, hidden, claims: claimsOf(hosts, routes), document };
}

/** Plans the routes of a static route: one route for every method and every path below its prefix. */
export function planStaticRoute({ namespace, name, fleet, document }: StaticRoute): RoutePlan {
  const { settings, origins } = readLevel(document.root, "root");
  const prefix = settings.path?.prefix?.replace(/\/+$/, "") || "/";
  const action = unmockedAction(settings);
  const hosts = hostsOf(settings);
  const routes: PlannedRoute[] = [
    { method: "*", path: { kind: "prefix", prefix }, operation: undefined, action, settings, origins },
  ];
  const claims = claimsOf(hosts, routes);
  return { kind: "static-route", namespace, name, fleet, hosts, routes, hidden: [], claims, document };
}

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
function claimOf({ method, path, conditions }: Pick<PlannedRoute, "method" | "path" | "conditions">): string {
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

function hostsOf({ hosts = ["*"] }: ExtensionSettings): readonly string[] {
  return [...new Set(hosts.map((host) => host.toLowerCase().replace(/\.$/, "")))];
}

function withPrefix({ path }: ExtensionSettings, template: string): string {
  return (path?.prefix ?? "").replace(/\/+$/, "") + template;
}

function actionOf(operation: Operation, settings: ExtensionSettings): RouteAction {
  const action = gatewayAction(settings);
  if (action.kind !== "mock") return unmockedAction(settings);
  // An operation without a 2xx response that can be mocked is sent to its upstream. If it has no upstream, it is mocked
  // all the same, and answers 501.
  const hasUpstream = upstreamsOf(settings).length > 0;
  return hasUpstream && selectResponse(operation, {}).kind !== "response" ? unmockedAction(settings) : action;
}

function unmockedAction(settings: ExtensionSettings): RouteAction {
  if (settings.disabled === true) return { kind: "disabled" };
  if (settings.redirect !== undefined) return { kind: "redirect", redirect: settings.redirect };
  return { kind: "upstream", upstreams: upstreamsOf(settings) };
}

/** Plans the route of `public_api_path`. It has no authentication, and the CORS settings of the root. */
function definitionRoute({ settings, origins }: Extension): PlannedRoute[] {
  const { public_api_path: path, cors } = settings;
  if (path === undefined) return [];
  // `public_api_path` isn't a template, so its braces are escaped.
  const template = path.replaceAll("{", "%7B").replaceAll("}", "%7D");
  return [{
    method: "GET",
    path: { kind: "template", template },
    operation: undefined,
    action: { kind: "definition" },
    settings: cors === undefined ? {} : { cors },
    origins,
  }];
}

function claimsOf(hosts: readonly string[], routes: readonly PlannedRoute[]): Map<string, PlannedRoute> {
  const claims = new Map<string, PlannedRoute>();
  for (const route of routes) {
    for (const host of hosts) {
      const claim = `${host} ${claimOf(route)}`;
      if (!claims.has(claim)) claims.set(claim, route);
    }
  }
  return claims;
}

/** The fields that OpenAPI requires, and that the document of a static route may omit. */
const DEFAULTS = { openapi: "3.1.0", info: { title: "", version: "" }, paths: {} } as const;

/**
 * Parses the document of a static route. Only its `x-svc` counts, so `openapi`, `info` and `paths` may be missing.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const document = await parseStaticRoute("x-svc: {upstream: {service: {name: web}}}");
 * assert.deepEqual(document.diagnostics, []);
 * ```
 */
export function parseStaticRoute(
  definition: string | Uint8Array | DefinitionObject,
  options: Omit<ParseOptions, "defaults"> = {},
): Promise<Document> {
  return parseDocument(definition, { ...options, defaults: DEFAULTS });
}
