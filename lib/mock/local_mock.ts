/**
 * The mock server of a developer: an engine, with the routes of its definitions, an upstream for operations that aren't
 * mocked, and endpoints of its own.
 *
 * @module
 */
import { createHostParser, type HostParser } from "../http/url/host.ts";
import type { Document } from "../openapi/document.ts";
import type { OperationAction } from "./operation/action.ts";
import type { Answer } from "./answer/answer.ts";
import type { ControlApi, ControlOptions } from "./control/control_api.ts";
import { loadControlApi } from "./load_control_api.ts";
import { createOriginTest, type OriginTest } from "../http/url/origin.ts";
import { createEngine, createHandler, type Engine } from "./engine.ts";
import type { MockOptions } from "./mock_options.ts";
import {
  basePathsOfRoute,
  type MockRoute,
  type OperationRoute,
  operationRoutes,
  requirementsOfRoute,
  undeclaredRoutes,
} from "./operation/mock_route.ts";
import type { OperationHandler } from "./operation/operation_handler.ts";
import { CONTROL_PREFIX, createIndex } from "./own_endpoints.ts";
import type { UpstreamRelay } from "../observe/relay/create_relay.ts";
import { createScopeTest, type ScopeTest } from "./request_scope.ts";
import { createRouter, type Router } from "./route/router.ts";
import type { NeededParts, ServerParts } from "./server_parts.ts";
import { basePathsIn } from "./route/server_urls.ts";
import type { Sessions } from "./session/sessions.ts";

/** A mock server's engine, and the parts that decide which requests it gets. */
export interface LocalMock extends Engine {
  readonly parseHost: HostParser;
  readonly router: Router<MockRoute>;
  /** The base paths below which a route matches, besides its path alone. */
  readonly basePathsOf: (route: MockRoute) => readonly string[];
  readonly operations: readonly OperationRoute[];
  readonly scopeOf: ScopeTest;
  /** Sends requests that aren't mocked to the upstream; absent if there is none. */
  readonly relay: UpstreamRelay | undefined;
  /** Whether the upstream gets the requests whose path or method no definition has. */
  readonly proxiesUnknown: boolean;
  /**
   * Whether pages of an origin may read an upstream's answer without CORS headers; absent if the server adds no CORS
   * headers.
   */
  readonly permits: OriginTest | undefined;
  /** What is at `/`, by `Accept`: the list of operations, or the way to the console; absent if the server has no endpoints of its own. */
  readonly index: ((accept: string | null) => Answer) | undefined;
  /** Answers requests for the control API; absent if there is none. */
  readonly control: ControlApi | undefined;
  /** The base path of the control API. */
  readonly controlPath: string;
  /** The prefix of the base paths of sessions: `/_gw/s/`. */
  readonly sessionsPath: string;
}

/** The options of a mock server that may have a console. */
export interface LocalMockOptions extends MockOptions {
  /** The pages of the console, and the logins for them. Default: there is no console. */
  readonly console?: Pick<ControlOptions, "pages" | "logins"> | undefined;
}

/** The definitions of a mock server, with the routes of their operations. */
export interface MockedApi {
  readonly documents: readonly Document[];
  readonly operations: readonly OperationRoute[];
  /** The parts of the server that its operations and options need. */
  readonly needs: NeededParts;
}

/** Lists the routes of the operations of definitions. */
export function createMockedApi(documents: readonly Document[], options: MockOptions): MockedApi {
  const operations = documents.flatMap((document) => operationRoutes(document, options));
  const state = operations.some(({ isStateful }) => isStateful);
  const sessions = state || hasControl(options) || hasRules(options) || operations.some(declaresRules);
  return { documents, operations, needs: { sessions, state, relay: options.upstream !== undefined } };
}

/**
 * Makes a mock server.
 *
 * @param parts The parts that `api.needs` names.
 * @param kept The sessions of the server that this one replaces after a reload. Default: new sessions.
 */
export function createLocalMock(
  { documents, operations }: MockedApi,
  options: LocalMockOptions,
  parts: ServerParts,
  kept?: Sessions,
): LocalMock {
  const { asGateway = false, cors = true, baseUrls = [], controlPath = CONTROL_PREFIX } = options;
  const engine = createEngine(documents, options, parts, kept);
  const { handlers, sessions, stateful } = engine;
  const { controlToken: token, clientOf, console } = options;
  const control = hasControl(options) && sessions !== undefined
    ? loadControlApi(
      {
        documents,
        operations,
        handlers,
        resources: stateful?.resources,
        sessions,
        controlPath,
        handlerOf: (route, action) => handlerOf(engine, route, action),
        wait: options.timer && ((milliseconds) => options.timer?.(milliseconds).elapsed ?? Promise.resolve()),
      },
      { token, clientOf, ...console },
    )
    : undefined;
  const ownBasePaths = basePathsIn(baseUrls, "");
  const basePathsOf = (route: MockRoute): string[] => [...asGateway ? [] : basePathsOfRoute(route), ...ownBasePaths];
  const routes = asGateway ? [...operations, ...documents.flatMap(undeclaredRoutes)] : operations;
  const router = createRouter<MockRoute>(routes, basePathsOf, requirementsOfRoute);
  return {
    ...engine,
    parseHost: createHostParser(),
    router,
    basePathsOf,
    scopeOf: createScopeTest({ operations, router, baseUrls }),
    operations,
    relay: relayOf(options, engine, parts),
    proxiesUnknown: options.proxyUnknown === true,
    permits: cors ? createOriginTest(options.corsOrigins ?? []) : undefined,
    index: hasControl(options)
      ? createIndex(documents, operations.map(({ operation }) => operation), console && controlPath)
      : undefined,
    control,
    controlPath,
    sessionsPath: `${controlPath}s/`,
  };
}

/** The handler of a mocked route, made at its first request. */
export function handlerOf(
  engine: Engine,
  route: OperationRoute,
  action: OperationAction & { kind: "mock" },
): OperationHandler {
  return route.handler ??= createHandler(engine, route.operation, action, route.isStateful);
}

function hasControl({ control = false, asGateway = false }: MockOptions): boolean {
  return control && !asGateway;
}

function hasRules({ rules = [], journal = 0 }: MockOptions): boolean {
  return rules.length > 0 || journal > 0;
}

function declaresRules({ action }: OperationRoute): boolean {
  return action.kind === "mock" && action.rules !== undefined;
}

function relayOf(
  options: MockOptions,
  { handlers }: Engine,
  { relay }: ServerParts,
): UpstreamRelay | undefined {
  const { upstream, validate = "off", validateUpstream = validate } = options;
  if (upstream === undefined) return undefined;
  return relay?.createRelay({ ...options, upstream, validateUpstream }, handlers.validatorOf);
}
