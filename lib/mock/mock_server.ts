/**
 * The options of a mock server, and its engine: the parts that all requests share, such as the router and the caches.
 *
 * @module
 */
import type { Forwarder } from "../http/forward.ts";
import type { Handler } from "../http/handler.ts";
import { createHostParser, type HostParser } from "../http/host.ts";
import { createOriginTest, isFromForeignPage, type OriginTest } from "../http/origin.ts";
import type { Document } from "../openapi/document.ts";
import type { Action } from "./action.ts";
import type { Answer } from "./answer.ts";
import type { BoundAnswerer } from "./answer_bound.ts";
import { CONTROL_PREFIX, createIndex } from "./own_endpoints.ts";
import type { ControlApi } from "./control/control_api.ts";
import { loadControlApi } from "./control/load_control_api.ts";
import type { Observer } from "./exchange.ts";
import {
  basePathsOfRoute,
  type MockRoute,
  type OperationRoute,
  operationRoutes,
  requirementsOfRoute,
  undeclaredRoutes,
} from "./mock_route.ts";
import {
  createHandlerContext,
  createOperationHandler,
  type HandlerContext,
  type OperationHandler,
} from "./operation_handler.ts";
import { PREFERENCE_QUERIES } from "./preferences.ts";
import { createRouter, type Router } from "./router.ts";
import type { UpstreamRelay } from "./relay/create_relay.ts";
import type { Timer } from "./relay/limits.ts";
import type { SendOptions } from "./reply.ts";
import type { Rule } from "./rules/rule.ts";
import { createScopeTest, type ScopeTest } from "./request_scope.ts";
import { basePathsIn } from "./server_urls.ts";
import type { Sessions } from "./session/sessions.ts";
import type { StateLimits } from "./state/limits.ts";
import type { StateAnswers } from "./state/state_context.ts";
import type { NeededParts, ServerParts } from "./server_parts.ts";
import { type Checker, createChecker } from "./validation/checker.ts";
import type { FormFormats, QueryFormats } from "./validation/validate_request.ts";

/** How a mock server answers. */
export interface MockOptions {
  /** Seed of generated bodies: the same seed gives the same bodies. Default: 0. */
  seed?: number;
  /** Whether each answer is generated with the next seed. Default: `false`. */
  dynamic?: boolean;
  /**
   * Whether an operation without an exact 2xx code is answered by its `2XX` as 200, else its lowest 3xx, else its
   * `default` as 200. Default: `false`.
   */
  anyStatus?: boolean;
  /**
   * Whether operations are answered as by a gateway, which mocks only those with `x-svc.mocking.enabled: true`.
   * Default: `false`.
   */
  asGateway?: boolean;
  /**
   * The URLs under which clients reach the API, in addition to those of the definition's `servers`:
   * `https://test.example.com/v2`, or `/v2` at any origin. Default: none.
   */
  baseUrls?: readonly string[];
  /** Whether pages of other origins may read the answers. Default: `true`. */
  cors?: boolean;
  /**
   * Origins whose pages may read those answers of the upstream that have no CORS headers, such as
   * `https://app.example.com`. Loopback origins always may. Default: none.
   */
  corsOrigins?: readonly string[];
  /**
   * Tells whether a page of another site sent a request. Such a request causes no callbacks, and gets at most 100 items
   * by the preference `array-size`; the sessions that such requests begin displace no others; and the page can't read
   * examples that are files (`externalValue`). Default: by `Origin` and `Sec-Fetch-Site`, where pages of the server
   * itself, of loopback and of `corsOrigins` aren't foreign.
   */
  isForeign?: (request: Request) => boolean;
  /**
   * The handler of operations that aren't mocked: those with `x-svc.mocking.enabled: false`; with `asGateway`, all
   * without `x-svc.mocking.enabled: true`. Default: none. All operations are then mocked, unless `asGateway` is set.
   */
  upstream?: Handler | Forwarder;
  /** Whether the upstream gets all operations, so that none is mocked. Default: `false`. */
  proxyAll?: boolean;
  /** Whether the upstream gets the requests whose path or method no definition has. Default: `false`. */
  proxyUnknown?: boolean;
  /**
   * Whether requests for mocked operations are checked. `off`: no; `warn`: the reply lists the violations of its
   * request; `error`: an invalid request is refused. With `asGateway`, they are never checked. Default: `off`.
   */
  validate?: "off" | "warn" | "error";
  /**
   * Whether requests to the upstream and its responses are checked. `off`: no; `warn`: the header `x-gw-violations`
   * lists the violations; `error`: an invalid request is refused, an invalid response replaced by a problem (502).
   * Default: the value of `validate`.
   */
  validateUpstream?: "off" | "warn" | "error";
  /** Receives each exchange, for reports and recordings. Default: none. */
  observe?: Observer | undefined;
  /**
   * Limits how long the response of the upstream waits until its body is checked. Default: no limit with
   * `validateUpstream: "error"`; otherwise responses don't wait.
   */
  timer?: Timer;
  /**
   * Whether a request is invalid without the credentials that the definition's `security` requires. Default: `true`.
   */
  security?: boolean;
  /**
   * Whether an invalid example is answered with a problem (500) that lists the violations. Each answer is validated
   * once, when it is prepared. Default: `false`; if requests are checked, the first reply with an example then has a
   * function that validates the example for the log.
   */
  errors?: boolean;
  /** How clients write arrays and objects into queries, where they deviate from the definition. */
  queryFormats?: QueryFormats;
  /** How clients write arrays and objects into forms, where the definition doesn't say. */
  formFormats?: FormFormats;
  /** Whether replies contain the requests of the operation's callbacks. Default: `false`. */
  callbacks?: boolean;
  /**
   * Whether the server has endpoints of its own: the control API below `/_gw/`, and a list of operations at `/` if no
   * definition has that path. Default: `false`. With `asGateway`, there are none.
   */
  control?: boolean;
  /** The base path of the control API, with a slash at its end. Default: `/_gw/`. */
  controlPath?: string;
  /** The bearer token with which clients may use the control API from anywhere. Default: none. */
  controlToken?: string;
  /**
   * Returns the IP address of a request's client, such as `127.0.0.1`. Clients on loopback may use the control API.
   * Default: unknown. Clients then need the token, except for `/_gw/health` and the base paths of sessions.
   */
  clientOf?: (request: Request) => string | undefined;
  /**
   * Whether operations with a binding read and change the items of their resource. Default: `false`; then only
   * operations with `x-svc.mocking.stateful: true` do.
   */
  stateful?: boolean;
  /**
   * The number of items in the initial state of a collection: the definition's examples, then generated items. Default:
   * 3.
   */
  items?: number;
  /** The most sessions. When there are more, the least recently used are dropped. Default: 1,000. */
  sessions?: number;
  /** Limits of what sessions store: items, bytes, snapshots, rules. Defaults: those of `StateLimits`. */
  stateLimits?: Partial<StateLimits>;
  /** Returns the time, in milliseconds since the epoch. Default: always 2026-01-01T00:00:00Z. */
  now?: () => number;
  /**
   * Returns random numbers from 0 to less than 1, for the shares and delays of rules. Default: repeatable numbers, from
   * `seed`.
   */
  random?: () => number;
  /** Rules that replace, change, delay or break answers. The first rule that matches a request applies. */
  rules?: readonly Rule[];
  /** The size of each session's journal, in requests. Default: 0, no journal. */
  journal?: number;
  /**
   * Waits between the items of a body that is sent item by item, such as `text/event-stream`. Default: doesn't wait.
   */
  pause?: () => Promise<void>;
}

/** The parts of a mock server that all requests share. */
export interface MockEngine {
  readonly parseHost: HostParser;
  readonly router: Router<MockRoute>;
  readonly operations: readonly OperationRoute[];
  readonly scopeOf: ScopeTest;
  readonly handlers: HandlerContext;
  readonly sending: SendOptions;
  /** Whether clients may select an answer by `Prefer`. */
  readonly hasPreferences: boolean;
  /** Checks requests; absent if requests aren't checked. */
  readonly check: Checker | undefined;
  /** Whether an invalid request is refused. */
  readonly refuses: boolean;
  /** Sends requests that aren't mocked to the upstream; absent if there is none. */
  readonly relay: UpstreamRelay | undefined;
  /** Whether the upstream gets the requests whose path or method no definition has. */
  readonly proxiesUnknown: boolean;
  readonly observe: Observer | undefined;
  /**
   * Whether pages of an origin may read an upstream's answer without CORS headers; absent if the server adds no CORS
   * headers.
   */
  readonly permits: OriginTest | undefined;
  /** Whether a page of another site sent a request. */
  readonly isForeign: (request: Request) => boolean;
  /** The list of operations at `/`, by `Accept`; absent if the server has no endpoints of its own. */
  readonly index: ((accept: string | null) => Answer) | undefined;
  /** Answers requests for the control API; absent if there is none. */
  readonly control: ControlApi | undefined;
  /** The base path of the control API. */
  readonly controlPath: string;
  /** The prefix of the base paths of sessions: `/_gw/s/`. */
  readonly sessionsPath: string;
  /** The sessions; absent if no answer depends on a session. */
  readonly sessions: Sessions | undefined;
  /** The context of answers from state; absent if no operation is stateful. */
  readonly stateful: StateAnswers | undefined;
  /** Answers operations with a binding; absent if no operation is stateful. */
  readonly answerBound: BoundAnswerer | undefined;
}

/** Limit of a body that is read to check a request or to select an answer, in bytes. */
export const MOST_BODY = 16 * 1024 * 1024;

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
 * Makes the parts of a mock server that all requests share.
 *
 * @param parts The parts that `api.needs` names.
 * @param kept The sessions of the server that this one replaces after a reload. Default: new sessions.
 */
export function createMockEngine(
  api: MockedApi,
  options: MockOptions,
  parts: ServerParts,
  kept?: Sessions,
): MockEngine {
  const { documents, operations } = api;
  const { asGateway = false, cors = true, validate = "off", pause = () => Promise.resolve(), observe } = options;
  const { baseUrls = [] } = options;
  const ownBasePaths = basePathsIn(baseUrls, "");
  const permits = createOriginTest(options.corsOrigins ?? []);
  const isForeign = options.isForeign ?? ((request) => isFromForeignPage(request, permits));
  const routes = asGateway ? [...operations, ...documents.flatMap(undeclaredRoutes)] : operations;
  const handlers = createHandlerContext(options);
  const ownQueries = asGateway ? {} : { ownQueries: PREFERENCE_QUERIES };
  const resources = api.needs.state ? parts.inferResources?.(documents) : undefined;
  const stateful = resources && parts.createStateAnswers?.(resources, handlers);
  const sessions = api.needs.sessions ? kept ?? parts.createSessions?.(options) : undefined;
  const initialStates = stateful &&
    parts.createInitialStates?.(stateful.resources, { items: options.items, ...handlers });
  sessions?.rebind(initialStates);
  const { controlPath = CONTROL_PREFIX, controlToken: token, clientOf } = options;
  const control = hasControl(options) && sessions !== undefined
    ? loadControlApi(
      {
        documents,
        operations,
        handlers,
        resources: stateful?.resources,
        sessions,
        controlPath,
        handlerOf: (route, action) => route.handler ??= handlerOf({ handlers, stateful }, route, action),
        wait: options.timer && ((milliseconds) => options.timer?.(milliseconds).elapsed ?? Promise.resolve()),
      },
      { token, clientOf },
    )
    : undefined;
  const basePaths = (route: MockRoute): string[] => [...basePathsOfRoute(route), ...ownBasePaths];
  const router = createRouter<MockRoute>(routes, basePaths, requirementsOfRoute);
  return {
    parseHost: createHostParser(),
    router,
    scopeOf: createScopeTest({ operations, router, baseUrls }),
    operations,
    handlers,
    sending: { cors, pause, isForeign },
    hasPreferences: !asGateway,
    check: asGateway || validate === "off" ? undefined : createChecker(
      {
        ...options.queryFormats,
        ...options.formFormats,
        ...ownQueries,
        security: options.security,
        maxBody: MOST_BODY,
      },
      handlers.validatorOf,
    ),
    refuses: validate === "error",
    relay: relayOf(options, handlers, parts),
    proxiesUnknown: options.proxyUnknown === true,
    observe,
    permits: cors ? permits : undefined,
    isForeign,
    index: hasControl(options) ? createIndex(documents, operations.map(({ operation }) => operation)) : undefined,
    control,
    controlPath,
    sessionsPath: `${controlPath}s/`,
    sessions,
    stateful,
    answerBound: stateful && parts.createBoundAnswerer?.(stateful),
  };
}

export function handlerOf(
  { handlers, stateful }: Pick<MockEngine, "handlers" | "stateful">,
  { operation, isStateful }: OperationRoute,
  { generate, rules }: Action & { kind: "mock" },
): OperationHandler {
  return createOperationHandler(
    operation,
    generate,
    handlers,
    isStateful ? stateful?.resources.bindingOf(operation) : undefined,
    rules,
  );
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
  { validatorOf }: HandlerContext,
  { createRelay }: ServerParts,
): UpstreamRelay | undefined {
  const { upstream, validate = "off", validateUpstream = validate } = options;
  if (upstream === undefined) return undefined;
  return createRelay?.({ ...options, upstream, validateUpstream }, validatorOf);
}
