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
import { type DeclaredRoute, disabledRoutes, gatewayAction, pathAtGateway } from "../mock/operation/action.ts";
import { selectResponse } from "../mock/answer/select_response.ts";
import { type DefinitionObject, type Document, parseDocument, type ParseOptions } from "../openapi/document.ts";
import { createExtensionReader, type Extension, readLevel } from "../openapi/extension/extension.ts";
import type { ExtensionSettings } from "../openapi/extension/settings.ts";
import { listOperations, listPaths, type Operation } from "../openapi/operation.ts";
import { conditionsOf } from "../openapi/operation_conditions.ts";
import { templateOf } from "../openapi/path_condition.ts";
import {
  claimOf,
  type FleetRef,
  type PlannedPath,
  type PlannedRoute,
  type RouteAction,
  type RoutePlan,
  showRoutePath,
  upstreamsOf,
} from "./route.ts";

/** A definition that is deployed to a fleet. */
export interface PlannedApi {
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
export function planRoutes({ namespace, name, fleet, document }: PlannedApi): RoutePlan {
  const root = readLevel(document, document.root, "root");
  const readExtension = createExtensionReader(document);
  const operations = listOperations(document).map((operation): PlannedRoute => {
    const { settings, origins } = readExtension(operation);
    const { method } = operation;
    const path: PlannedPath = { kind: "template", template: pathAtGateway(settings, templateOf(operation.path)) };
    const conditions = conditionsOf(operation);
    return { method, path, conditions, operation, action: actionOf(operation, settings), settings, origins };
  });
  const hosts = hostsOf(root.settings);
  const routes = [...operations, ...definitionRoute(root)];
  const paths = listPaths(document).map(({ path, pathItems }): DeclaredRoute => {
    const { settings } = readExtension({ pathItems });
    const conditions = conditionsOf({ document, path, pathItems });
    return { method: "*", path: pathAtGateway(settings, path), conditions, isDisabled: settings.disabled === true };
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
  const { settings, origins } = readLevel(document, document.root, "root");
  const prefix = settings.path?.prefix?.replace(/\/+$/, "") || "/";
  const action = unmockedAction(settings);
  const hosts = hostsOf(settings);
  const routes: PlannedRoute[] = [
    { method: "*", path: { kind: "prefix", prefix }, operation: undefined, action, settings, origins },
  ];
  const claims = claimsOf(hosts, routes);
  return { kind: "static-route", namespace, name, fleet, hosts, routes, hidden: [], claims, document };
}

function hostsOf({ hosts = ["*"] }: ExtensionSettings): readonly string[] {
  return [...new Set(hosts.map((host) => host.toLowerCase().replace(/\.$/, "")))];
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
