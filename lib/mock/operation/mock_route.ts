/**
 * The routes of a mock server: the operations of its definitions, and the requests that the definitions disable.
 *
 * @module
 */
import type { Document } from "../../openapi/document.ts";
import { createExtensionReader } from "../../openapi/extension/extension.ts";
import {
  conditionsOf,
  NO_REQUIREMENTS,
  type Requirements,
  requirementsOf,
} from "../../openapi/operation_conditions.ts";
import { listOperations, listPaths, type Operation } from "../../openapi/operation.ts";
import {
  type DeclaredRoute,
  disabledRoutes,
  gatewayAction,
  localAction,
  type OperationAction,
  pathAtGateway,
} from "./action.ts";
import type { OperationHandler } from "./operation_handler.ts";
import type { Route } from "../route/router.ts";
import { basePathsOf, type Declared } from "../route/server_urls.ts";

/** A route to an operation. */
export interface OperationRoute extends Route {
  readonly operation: Operation;
  readonly action: OperationAction;
  /** Whether the operation reads and changes the items of a resource. */
  readonly isStateful: boolean;
  /** The handler of a mocked operation; made at its first request. */
  handler: OperationHandler | undefined;
}

/** A route to requests that `x-svc.disabled` covers, although no operation is declared for them. */
export interface UndeclaredRoute extends Route {
  readonly operation: undefined;
  readonly action: OperationAction & { kind: "disabled" };
}

export type MockRoute = OperationRoute | UndeclaredRoute;

/** The options by which the actions of operations are chosen. */
export interface RouteOptions {
  /** Whether the actions are those of a gateway. Default: `false`. */
  readonly asGateway?: boolean;
  /** The handler of operations that aren't mocked. Only its presence has an effect. Default: none. */
  readonly upstream?: unknown;
  /** Whether the upstream gets all operations. Default: `false`. */
  readonly proxyAll?: boolean;
  /** Whether operations without `x-svc.mocking.stateful` are stateful. Default: `false`. */
  readonly stateful?: boolean;
}

const UPSTREAM: OperationAction = Object.freeze({ kind: "upstream" });

export function operationRoutes(
  document: Document,
  { asGateway = false, upstream, proxyAll = false, stateful = false }: RouteOptions,
): OperationRoute[] {
  const hasUpstream = upstream !== undefined;
  const readSettings = createExtensionReader(document, "warning");
  return listOperations(document).map((operation) => {
    const { settings } = readSettings(operation);
    const action = proxyAll ? UPSTREAM : asGateway ? gatewayAction(settings) : localAction(settings, hasUpstream);
    const { method } = operation;
    const path = asGateway && !proxyAll ? pathAtGateway(settings, operation.path) : operation.path;
    const isStateful = action.kind === "mock" && (settings.mocking?.stateful ?? stateful);
    return { method, path, conditions: conditionsOf(operation), operation, action, isStateful, handler: undefined };
  });
}

/**
 * Lists the requests that a document disables at a gateway, although it declares no operation for them. See
 * `disabledRoutes()`.
 */
export function undeclaredRoutes(document: Document): UndeclaredRoute[] {
  const readSettings = createExtensionReader(document, "warning");
  const declare = (declared: Declared): DeclaredRoute => {
    const { settings } = readSettings(declared);
    return {
      path: pathAtGateway(settings, declared.path),
      method: declared.method ?? "*",
      conditions: conditionsOf(declared),
      isDisabled: settings.disabled === true,
    };
  };
  const paths = listPaths(document).map((path) => declare({ ...path, document }));
  return disabledRoutes(paths, listOperations(document).map(declare)).map(({ method, path, conditions }) => (
    { method, path, conditions, operation: undefined, action: { kind: "disabled" } }
  ));
}

/** The base paths (paths of `servers` URLs) below which a route matches, besides its path alone. */
export function basePathsOfRoute({ operation }: MockRoute): readonly string[] {
  return operation === undefined ? [] : basePathsOf(operation);
}

/** What a route requires of a request in addition to the conditions of its path key. */
export function requirementsOfRoute({ operation }: MockRoute): Requirements {
  return operation === undefined ? NO_REQUIREMENTS : requirementsOf(operation);
}
