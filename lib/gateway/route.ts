/**
 * Plans the routes of a definition, once:
 *
 * ```text
 * Document -> listOperations + x-svc -> planRoutes -> RoutePlan -> createGateway (embedded), or Gateway API objects
 * ```
 *
 * A plan is data: the action and the settings of each host, method and path.
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

/** The name of a fleet: a group of proxies that share listeners. */
export interface FleetRef {
  readonly namespace: string;
  readonly name: string;
}

/** The unique name of an object among those of its kind: `default/edge`. */
export function qualifiedName({ namespace, name }: { namespace: string; name: string }): string {
  return `${namespace}/${name}`;
}

/** A definition deployed to a fleet. */
export interface Api {
  readonly namespace: string;
  readonly name: string;
  readonly fleet: FleetRef;
  readonly document: Document;
}

/**
 * All requests to some hosts, below a path, are sent to an upstream or redirected. The document has only a root `x-svc`.
 */
export interface StaticRoute {
  readonly namespace: string;
  readonly name: string;
  readonly fleet: FleetRef;
  readonly document: Document;
}

/** The routes of one API or static route on its fleet. */
export interface RoutePlan {
  readonly kind: "api" | "static-route";
  readonly namespace: string;
  readonly name: string;
  readonly fleet: FleetRef;
  /** Host names in lower case: `api.example.com`, `*.example.com`, or `*` for any. */
  readonly hosts: readonly string[];
  readonly routes: readonly PlannedRoute[];
  /**
   * Routes that aren't operations, but that `disabled` hides too: the other methods of a disabled path, and a disabled
   * path with its trailing slash added or removed. A route of any plan with the same method and path takes precedence.
   */
  readonly hidden: readonly PlannedRoute[];
  /**
   * The plan's claims: its routes, by host, method, template and conditions. Two plans of a fleet with an equal
   * claim conflict.
   */
  readonly claims: ReadonlyMap<string, PlannedRoute>;
  readonly document: Document;
}

/** A route: the action and the settings of one method and path. */
export interface PlannedRoute {
  /** In upper case; `*` for any. */
  readonly method: string;
  readonly path: PlannedPath;
  /** The conditions of the operation's path key: queries and headers that a request must have. */
  readonly conditions?: PathConditions | undefined;
  /** `undefined` for a route that isn't an operation of a definition. */
  readonly operation: Operation | undefined;
  readonly action: RouteAction;
  /** The settings of `x-svc`, merged over the levels. */
  readonly settings: Readonly<ExtensionSettings>;
  /** The node of each setting. For a setting that is merged from several levels, the node of the innermost level. */
  readonly origins: Extension["origins"];
}

/** The paths of a route. */
export type PlannedPath =
  | {
    kind: "template";
    /** Path template, with the prefix and without conditions: `/api/pets/{petId}`. */
    template: string;
  }
  | {
    kind: "prefix";
    /** A path, which matches itself and all paths below: `/`, `/files`. */
    prefix: string;
  };

/** The action of a route. The kinds stand in order of precedence: a disabled operation is never redirected. */
export type RouteAction =
  | { kind: "disabled" }
  | { kind: "redirect"; redirect: Redirect }
  | {
    kind: "mock";
    /** Whether bodies are generated from schemas where there is no example. */
    generate: boolean;
    /** The rules that the settings declare: delays, faults and sequences. Absent if there are none. */
    rules?: readonly Rule[];
  }
  | {
    kind: "upstream";
    /** The upstreams, which share the requests by weight; empty if the definition names none. */
    upstreams: readonly PlannedUpstream[];
  }
  /** The definition itself is served, at `public_api_path`. */
  | { kind: "definition" };

/** An upstream, with its share of the requests. */
export interface PlannedUpstream extends Upstream {
  readonly weight: number;
}

/**
 * Plans the routes of an API: one for each operation, and one for the definition if it is public.
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

/** Plans the one route of a static route: every method, and every path below its prefix. */
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

/** A conflict of two plans: they have an equal claim. */
export interface Conflict {
  readonly other: RoutePlan;
  /** The route of the first plan. */
  readonly route: PlannedRoute;
}

/**
 * Finds a route of a plan whose claim another plan has too: only one of the two would get requests.
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

/** The path for messages: `/api/pets/{petId}`, `/files/*`. */
export function showPath(path: PlannedPath): string {
  return path.kind === "template" ? path.template : `${path.prefix.replace(/\/$/, "")}/*`;
}

/** The path of a route for messages, with its conditions: `/v1/agents?beta=true`. */
export function showRoutePath({ path, conditions }: Pick<PlannedRoute, "path" | "conditions">): string {
  return `${showPath(path)}${conditions?.written ?? ""}`;
}

/** A key that is equal for routes with the same method, path, conditions and label. */
export function requestsOf(route: Pick<PlannedRoute, "method" | "path" | "conditions">): string {
  const { conditions } = route;
  return conditions === undefined ? claimOf(route) : `${claimOf(route)}#${conditions.label}`;
}

/**
 * The claim of a route, without its host. Labels are left out, since routes that differ by labels alone take the same
 * requests.
 */
function claimOf({ method, path, conditions }: Pick<PlannedRoute, "method" | "path" | "conditions">): string {
  const requests = `${method} ${shapeOfPath(showPath(path))}`;
  const identity = identityOf(conditions);
  return identity === "" ? requests : `${requests} ${identity}`;
}

/** The upstreams of requests that are neither disabled, redirected nor mocked. */
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
  // An operation without a response from 200 to 299 to mock is sent to its upstream. Without an upstream, it is mocked
  // all the same, and answers 501.
  const hasUpstream = upstreamsOf(settings).length > 0;
  return hasUpstream && selectResponse(operation, {}).kind !== "response" ? unmockedAction(settings) : action;
}

function unmockedAction(settings: ExtensionSettings): RouteAction {
  if (settings.disabled === true) return { kind: "disabled" };
  if (settings.redirect !== undefined) return { kind: "redirect", redirect: settings.redirect };
  return { kind: "upstream", upstreams: upstreamsOf(settings) };
}

/** The route of `public_api_path`: without authentication, and with the CORS settings of the root. */
function definitionRoute({ settings, origins }: Extension): PlannedRoute[] {
  const { public_api_path: path, cors } = settings;
  if (path === undefined) return [];
  // `public_api_path` is a path, not a template: its braces are literal.
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

/** Defaults of the required fields of an OpenAPI Object, which a static route may omit: it has no operations. */
const DEFAULTS = { openapi: "3.1.0", info: { title: "", version: "" }, paths: {} } as const;

/**
 * Reads the document of a static route. Only its `x-svc` matters, so `openapi`, `info` and `paths` may be missing.
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
