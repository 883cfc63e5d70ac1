/**
 * What a gateway does with requests, planned once for each definition:
 *
 * ```text
 * Document -> listOperations + x-svc -> planRoutes -> RoutePlan -> createGateway (embedded), or Gateway API objects
 * ```
 *
 * A plan is data: which hosts, methods and paths lead to which action, with the settings that hold there.
 *
 * @module
 */
import { type DeclaredRoute, disabledRoutes, gatewayAction } from "../mock/action.ts";
import { selectResponse } from "../mock/select_response.ts";
import { shapeOfPath } from "../openapi/lint/paths.ts";
import type { Document } from "../openapi/document.ts";
import { createExtensionReader, type Extension, readLevel } from "../openapi/extension/extension.ts";
import type { ExtensionSettings, Redirect, Upstream } from "../openapi/extension/settings.ts";
import { listOperations, listPaths, type Operation } from "../openapi/operation.ts";

/** The name of a fleet: a group of proxies that share listeners. */
export interface FleetRef {
  readonly namespace: string;
  readonly name: string;
}

/** What tells something that has a namespace from all others of its kind: `default/edge`. */
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

/** A catch-all of a fleet, sent to an upstream; its document says so by the `x-svc` at its top. */
export interface StaticRoute {
  readonly namespace: string;
  readonly name: string;
  readonly fleet: FleetRef;
  readonly document: Document;
}

/** What a fleet does for one API or static route. */
export interface RoutePlan {
  readonly kind: "api" | "static-route";
  readonly namespace: string;
  readonly name: string;
  readonly fleet: FleetRef;
  /** Host names in lower case: `api.example.com`, `*.example.com`, or `*` for any. */
  readonly hosts: readonly string[];
  readonly routes: readonly PlannedRoute[];
  /**
   * Requests that `disabled` hides beside those of operations: other methods of a disabled path, and disabled paths with
   * or without a slash at their end. A route of any plan that declares the same method and path goes first.
   */
  readonly hidden: readonly PlannedRoute[];
  /** The routes by host, method and template: what no other plan of the fleet may have too. */
  readonly claims: ReadonlyMap<string, PlannedRoute>;
  readonly document: Document;
}

/** The requests of one method and path, and what becomes of them. */
export interface PlannedRoute {
  /** In upper case; `*` for any. */
  readonly method: string;
  readonly path: PlannedPath;
  /** Absent where no operation of a definition is meant. */
  readonly operation: Operation | undefined;
  readonly action: RouteAction;
  /** What `x-svc` says there, the levels merged. */
  readonly settings: Readonly<ExtensionSettings>;
  /** Where each setting was written; of one merged from several places, the innermost. */
  readonly origins: Extension["origins"];
}

/** Which paths a route takes. */
export type PlannedPath =
  | {
    kind: "template";
    /** Path template, the prefix in front: `/api/pets/{petId}`. */
    template: string;
  }
  | {
    kind: "prefix";
    /** A path; it and everything below it is taken: `/`, `/files`. */
    prefix: string;
  };

/** What becomes of a request, in the order of dispatch. */
export type RouteAction =
  | { kind: "disabled" }
  | { kind: "redirect"; redirect: Redirect }
  | {
    kind: "mock";
    /** Whether bodies are made from schemas where there is no example. */
    generate: boolean;
  }
  | {
    kind: "upstream";
    /** Who shares the requests, by weight; empty where the definition names nobody. */
    upstreams: readonly PlannedUpstream[];
  }
  /** The definition itself is served, at `public_api_path`. */
  | { kind: "definition" };

/** Where requests go, and which share of them. */
export interface PlannedUpstream extends Upstream {
  readonly weight: number;
}

/**
 * Plans the routes of an API: one for each operation, and one for the definition where it is public.
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
    const template = withPrefix(settings, operation.path);
    const action = actionOf(operation, settings);
    return { method: operation.method, path: { kind: "template", template }, operation, action, settings, origins };
  });
  const hosts = hostsOf(root.settings);
  const routes = [...operations, ...definitionRoute(root)];
  const paths = listPaths(document).map(({ path, pathItems }): DeclaredRoute => {
    const { settings } = readExtension({ pathItems });
    return { method: "*", path: withPrefix(settings, path), isDisabled: settings.disabled === true };
  });
  const hideable = routes.map(({ method, path, action }): DeclaredRoute => {
    return { method, path: showPath(path), isDisabled: action.kind === "disabled" };
  });
  const hidden = disabledRoutes(paths, hideable).map(({ method, path }): PlannedRoute => ({
    method,
    path: { kind: "template", template: path },
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

/** A route that two plans have: the same host, method and template. */
export interface Conflict {
  readonly other: RoutePlan;
  /** The route as the first plan has it. */
  readonly route: PlannedRoute;
}

/**
 * Finds a route of a plan that another plan has too; of the two one would never be asked.
 *
 * @param others The other plans of the fleet. One with the kind, namespace and name of the plan is what it replaces.
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

/** The path as a person writes it: `/api/pets/{petId}`, `/files/*`. */
export function showPath(path: PlannedPath): string {
  return path.kind === "template" ? path.template : `${path.prefix.replace(/\/$/, "")}/*`;
}

/** Who answers the requests that are neither disabled, redirected nor mocked; nobody, if nobody is named. */
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
  // Without an exact 2xx response there is nothing to mock; without an upstream the mock says so.
  const hasUpstream = upstreamsOf(settings).length > 0;
  return hasUpstream && selectResponse(operation, {}).kind !== "response" ? unmockedAction(settings) : action;
}

function unmockedAction(settings: ExtensionSettings): RouteAction {
  if (settings.disabled === true) return { kind: "disabled" };
  if (settings.redirect !== undefined) return { kind: "redirect", redirect: settings.redirect };
  return { kind: "upstream", upstreams: upstreamsOf(settings) };
}

/** The route of `public_api_path`: open to everyone, as its name says, and to pages of the origins of `cors`. */
function definitionRoute({ settings, origins }: Extension): PlannedRoute[] {
  const { public_api_path: path, cors } = settings;
  if (path === undefined) return [];
  // It is a path, not a template: its braces stand for themselves.
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
      const claim = `${host} ${route.method} ${shapeOfPath(showPath(route.path))}`;
      if (!claims.has(claim)) claims.set(claim, route);
    }
  }
  return claims;
}
