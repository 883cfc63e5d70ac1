/**
 * The routes of a mock server: the operations of its definitions, and the requests that the definitions disable.
 *
 * @module
 */
import type { Document } from "../openapi/document.ts";
import { createExtensionReader } from "../openapi/extension/extension.ts";
import { conditionsOf, NO_REQUIREMENTS, type Requirements, requirementsOf } from "../openapi/operation_conditions.ts";
import { listOperations, listPaths, type Operation } from "../openapi/operation.ts";
import { child, entries, items, type Node, stringOf } from "../schema/node.ts";
import { resolveUri } from "../schema/uri.ts";
import { type Action, type DeclaredRoute, disabledRoutes, gatewayAction, localAction } from "./action.ts";
import type { OperationHandler } from "./operation_handler.ts";
import type { Route } from "./router.ts";

/** An operation, and the way in which its requests are answered. */
export interface OperationRoute extends Route {
  readonly operation: Operation;
  readonly action: Action;
  /** Whether the operation reads and changes the items of its resource. */
  readonly isStateful: boolean;
  /** The handler of a mocked operation; made at its first request. */
  handler: OperationHandler | undefined;
}

/** Requests that `x-svc.disabled` covers although no operation is declared for them. */
export interface UndeclaredRoute extends Route {
  readonly operation: undefined;
  readonly action: Action & { kind: "disabled" };
  readonly basePaths: readonly string[];
}

/** A route of a mock server. */
export type MockRoute = OperationRoute | UndeclaredRoute;

/** The most base paths of an operation that are used; the values of server variables multiply their number. */
const MOST_BASE_PATHS = 50;

/** How the actions of operations are chosen. */
export interface RouteOptions {
  /** Whether the actions are those of a gateway. Default: `false`. */
  readonly asGateway?: boolean;
  /** The handler of operations that aren't mocked: only its presence counts here. Default: none. */
  readonly upstream?: unknown;
  /** Whether the upstream gets all operations. Default: `false`. */
  readonly proxyAll?: boolean;
  /** Whether operations are stateful where their settings don't say. Default: `false`. */
  readonly stateful?: boolean;
}

const UPSTREAM: Action = Object.freeze({ kind: "upstream" });

/** Lists the operations of a document, with their actions. */
export function operationRoutes(
  document: Document,
  { asGateway = false, upstream, proxyAll = false, stateful = false }: RouteOptions,
): OperationRoute[] {
  const hasUpstream = upstream !== undefined;
  const readSettings = createExtensionReader(document, "warning");
  return listOperations(document).map((operation) => {
    const { settings } = readSettings(operation);
    const action = proxyAll ? UPSTREAM : asGateway ? gatewayAction(settings) : localAction(settings, hasUpstream);
    const { method, path } = operation;
    const isStateful = action.kind === "mock" && (settings.mocking?.stateful ?? stateful);
    return { method, path, conditions: conditionsOf(operation), operation, action, isStateful, handler: undefined };
  });
}

/** Lists the requests that a document disables although it declares no operation for them: by the rule of a gateway. */
export function undeclaredRoutes(document: Document): UndeclaredRoute[] {
  const readSettings = createExtensionReader(document, "warning");
  const declare = (declared: Declared): Declared & DeclaredRoute => {
    return {
      ...declared,
      method: declared.method ?? "*",
      conditions: conditionsOf(declared),
      isDisabled: readSettings(declared).settings.disabled === true,
    };
  };
  const paths = listPaths(document).map((path) => declare({ ...path, document }));
  return disabledRoutes(paths, listOperations(document).map(declare)).map(({ method, path, conditions, by }) => (
    { method, path, conditions, operation: undefined, action: { kind: "disabled" }, basePaths: basePathsOf(by) }
  ));
}

/** The base paths (paths of `servers` URLs) under which a route matches, in addition to its path alone. */
export function basePathsOfRoute(route: MockRoute): readonly string[] {
  return route.operation === undefined ? route.basePaths : basePathsOf(route.operation);
}

/** What a route requires of requests beside the conditions of its path key. */
export function requirementsOfRoute({ operation }: MockRoute): Requirements {
  return operation === undefined ? NO_REQUIREMENTS : requirementsOf(operation);
}

/** An operation; or a whole path, which has no `node`. */
type Declared = Pick<Operation, "document" | "path" | "pathItems"> & Partial<Pick<Operation, "method" | "node">>;

/**
 * The base paths of an operation: the paths in the URLs of its servers (Server Object), without a trailing slash:
 * `/v1`. Its servers are those of the operation itself, else those of its Path Item, else those of the definition. Each
 * value of a server variable gives another path.
 */
export function basePathsOf({ document, node, pathItems }: Omit<Declared, "path">): string[] {
  const levels = [...(node === undefined ? [] : [node]), ...pathItems, document.root];
  const servers = levels.map((level) => items(child(level, "servers"))).find((list) => list.length > 0) ?? [];
  return [...new Set(servers.flatMap((server) => pathsOf(server, document.uri)))]
    .filter((path) => path !== "")
    .slice(0, MOST_BASE_PATHS);
}

function pathsOf(server: Node<"Server">, documentUri: string): string[] {
  const url = stringOf(child(server, "url"));
  if (url === undefined) return [];
  let urls = [url];
  for (const [name, variable] of entries(child(server, "variables"))) {
    const values = [child(variable, "default"), ...items(child(variable, "enum"))].map(({ value }) => String(value));
    urls = urls.flatMap((url) => [...new Set(values)].map((value) => url.replaceAll(`{${name}}`, value)))
      .slice(0, MOST_BASE_PATHS);
  }
  return urls.map((url) => pathOf(url, documentUri)).filter((path) => path !== undefined);
}

/**
 * The path of a server's URL, without a trailing slash. The URL may be relative to that of the definition. Its host may
 * contain variables, so `URL` can't parse it. `undefined` if the URL is relative to a file, such as `v1`.
 */
function pathOf(url: string, documentUri: string): string | undefined {
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(url);
  if (absolute !== null) return withoutEnd(absolute[1] ?? "");
  if (url.startsWith("/")) return withoutEnd(url.replace(/[?#].*$/, ""));
  // A URL relative to a file has no path that clients use; a URL relative to an http URL has one.
  const resolved = resolveUri(url, documentUri);
  return /^https?:/.test(resolved) ? withoutEnd(new URL(resolved).pathname) : undefined;
}

function withoutEnd(path: string): string {
  return path.replace(/\/+$/, "");
}
