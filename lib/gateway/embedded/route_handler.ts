/**
 * The handler of a route, created once from the route's settings. It passes each request through these steps:
 *
 * ```text
 * request -> CORS -> JWT -> custom auth -> rate limit -> request check -> redirect, mock, upstream or definition
 * ```
 *
 * @module
 */
import { andThen } from "../../http/and_then.ts";
import { type BodyLimits, defaultBodyLimits } from "../../http/limits/body_limits.ts";
import { ALL_SERVER_PARTS } from "../../mock/all_server_parts.ts";
import { redirectAnswer } from "../../mock/answer/answer.ts";
import { createEngine, createHandler, type Engine } from "../../mock/engine.ts";
import { replyWith, type SendOptions } from "../../mock/operation/reply.ts";
import { chooseParts } from "../../mock/server_parts.ts";
import { answerInSession } from "../../mock/session_reply.ts";
import type { Document } from "../../openapi/document.ts";
import { publicDefinition } from "../../openapi/public_definition.ts";
import { writeJson } from "../../schema/json/json.ts";
import { createDocumentValidator, type DocumentValidator } from "../../schema/document_validator.ts";
import { cacheControlOf, cacheRuleOf } from "../cache_control.ts";
import { asksUpstreamForCors, type PlannedRoute, type RoutePlan } from "../route.ts";
import { SHARING_HEADERS } from "../../mock/answer/cors.ts";
import { type CorsRules, createCorsRules } from "./cors.ts";
import type { ApiSessions } from "./api_sessions.ts";
import { createCustomAuth } from "./custom_auth.ts";
import { createJwtGuard } from "./jwt.ts";
import type { GatewayPlatform } from "./platform.ts";
import { createProxy } from "./proxy.ts";
import { createRateLimit } from "./rate_limit.ts";
import { createRequestCheck } from "./request_check.ts";
import {
  type Guard,
  noRoute,
  problemReply,
  type Reply,
  type RequestContext,
  type RequestHandler,
  withResponseHeaders,
} from "./request_context.ts";

/** Handles the requests that match a route. */
export interface RouteHandler {
  readonly handle: RequestHandler;
  /**
   * Handles the CORS preflights that announce requests to the route: by `x-svc.cors`, or, for an operation without it
   * that an upstream answers, by asking this upstream. Browsers send no credentials in a preflight, so it passes `auth`.
   * Absent if preflights are answered as any other OPTIONS.
   */
  readonly preflight: PreflightHandler | undefined;
}

/** Handles the CORS preflights of a route. */
export interface PreflightHandler {
  readonly handle: RequestHandler;
  /** Whether a declared OPTIONS operation of the path takes the preflights instead. */
  readonly yieldsToOptions: boolean;
}

/**
 * Creates the function that creates the handler of each route of a plan. Routes that inherit a setting share the state
 * of its guard, such as the count of a rate limit.
 */
export function createRouteHandlers(
  plan: RoutePlan,
  platform: GatewayPlatform,
  sessions: ApiSessions,
): (route: PlannedRoute) => RouteHandler {
  const handlers = new RouteHandlers(plan, platform, sessions);
  return (route) => handlers.create(route);
}

class RouteHandlers {
  readonly #plan: RoutePlan;
  readonly #platform: GatewayPlatform;
  readonly #bodies: BodyLimits;
  /** Guards by their kind and the JSON Pointer of their setting. Routes that inherit the setting share the guard. */
  readonly #guards = new Map<string, Guard>();
  readonly #sessions: ApiSessions;
  readonly #sending: SendOptions;
  #engine: Engine | undefined;
  #documentValidator: Promise<DocumentValidator> | undefined;

  constructor(plan: RoutePlan, platform: GatewayPlatform, sessions: ApiSessions) {
    this.#plan = plan;
    this.#platform = platform;
    this.#sessions = sessions;
    this.#bodies = platform.bodies ?? defaultBodyLimits();
    const pause = (): Promise<void> => platform.pause?.() ?? Promise.resolve();
    this.#sending = { cors: false, pause, isForeign: () => false };
  }

  create(route: PlannedRoute): RouteHandler {
    const { settings } = route;
    const cors = settings.cors && createCorsRules(settings.cors);
    const action = this.#createAction(route);
    const guarded = withGuards(withCache(action, route), this.#createGuards(route));
    return { handle: withCors(guarded, cors), preflight: this.#preflightOf(route, action, cors) };
  }

  #preflightOf(
    route: PlannedRoute,
    action: RequestHandler,
    cors: CorsRules | undefined,
  ): PreflightHandler | undefined {
    if (cors !== undefined) return { handle: ({ request }) => cors.preflight(request), yieldsToOptions: false };
    if (!asksUpstreamForCors(route)) return undefined;
    return { handle: withGuards(action, this.#rateLimitOf(route)), yieldsToOptions: true };
  }

  #createAction({ action, operation, settings }: PlannedRoute): RequestHandler {
    const { namespace, document } = this.#plan;
    switch (action.kind) {
      case "disabled":
        return ({ request, target }) => problemReply(noRoute(request, target.path));
      case "redirect":
        return ({ request, url, target: { path, query } }) => {
          const normal = originOfUrl(url) + (query === "" ? path : `${path}?${query}`);
          if (!URL.canParse(normal)) return problemReply(BAD_TARGET);
          return replyWith(request, redirectAnswer(action.redirect, normal), this.#sending);
        };
      case "mock": {
        if (operation === undefined) return createProxy([], settings, namespace, this.#platform);
        const engine = this.#engine ??= this.#createEngine();
        const handler = createHandler(engine, operation, action, settings.mocking?.stateful === true);
        return ({ request, target }) => answerInSession(engine, handler, request, target);
      }
      case "upstream":
        return createProxy(action.upstreams, settings, namespace, this.#platform);
      case "definition":
        return createPublicDefinition(document);
    }
  }

  /** Makes the engine of the API. A collection that a session has written to is kept. */
  #createEngine(): Engine {
    const { routes, document } = this.#plan;
    const mocked = routes.filter(({ action }) => action.kind === "mock");
    const state = mocked.some(({ settings }) => settings.mocking?.stateful === true);
    const sessions = state || mocked.some(({ action }) => action.kind === "mock" && action.rules !== undefined);
    return createEngine(
      [document],
      { asGateway: true, bodies: this.#bodies, ...this.#sending },
      chooseParts(ALL_SERVER_PARTS, { state, sessions, relay: false }),
      sessions ? this.#sessions.of(this.#plan) : undefined,
    );
  }

  #createGuards(route: PlannedRoute): Guard[] {
    const { action, operation, settings, origins } = route;
    // A disabled operation answers 404, with or without credentials, so that it can't be told from one that doesn't
    // exist.
    if (action.kind === "disabled") return [];
    const { auth, validation } = settings;
    const { namespace, document } = this.#plan;
    const platform = this.#platform;
    const guards: Guard[] = [];
    if (auth?.jwt !== undefined) {
      const { providers } = auth.jwt;
      guards.push(this.#share(`jwt ${origins.auth?.pointer}`, () => createJwtGuard(providers, platform)));
    }
    if (auth?.custom !== undefined) {
      const { custom } = auth;
      guards.push(this.#share(`custom ${origins.auth?.pointer}`, () => createCustomAuth(custom, namespace, platform)));
    }
    guards.push(...this.#rateLimitOf(route));
    if (validation?.request?.enabled === true && action.kind === "upstream" && operation !== undefined) {
      const validatorOf = (): Promise<DocumentValidator> =>
        this.#documentValidator ??= createDocumentValidator(document);
      guards.push(createRequestCheck(operation, validatorOf, this.#bodies));
    }
    return guards;
  }

  #rateLimitOf({ settings: { rate_limit: limit }, origins }: PlannedRoute): Guard[] {
    if (limit === undefined) return [];
    const now = (): number => this.#platform.now();
    return [this.#share(`rate ${origins.rate_limit?.pointer}`, () => createRateLimit(limit, now))];
  }

  #share(key: string, create: () => Guard): Guard {
    const guard = this.#guards.get(key) ?? create();
    this.#guards.set(key, guard);
    return guard;
  }
}

/** Returns scheme and authority of an absolute URL. */
function originOfUrl(url: string): string {
  return /^[^:]*:\/\/[^/?#]*/.exec(url)?.[0] ?? "";
}

const BAD_TARGET = { title: "Bad Request", status: 400, detail: "The host of the request is not well-formed." };

function withGuards(handle: RequestHandler, guards: readonly Guard[]): RequestHandler {
  if (guards.length === 0) return handle;
  return async (context) => {
    const reply = await firstReply(guards, context) ?? await handle(context);
    return withResponseHeaders(reply, context.headers);
  };
}

async function firstReply(guards: readonly Guard[], context: RequestContext): Promise<Reply | undefined> {
  for (const guard of guards) {
    const reply = await guard(context);
    if (reply !== undefined) return reply;
  }
  return undefined;
}

/**
 * Adds the CORS headers to every reply, also of guards, so that pages of allowed origins can read error responses. The
 * upstream's own CORS headers are removed: `Access-Control-Allow-Origin: *` would share the reply with the pages of
 * origins that `x-svc.cors` doesn't list.
 */
function withCors(handle: RequestHandler, cors: CorsRules | undefined): RequestHandler {
  if (cors === undefined) return handle;
  return mapReply(
    handle,
    ({ request }, reply) => withResponseHeaders(reply, cors.headersFor(request.headers.get("origin")), SHARING_HEADERS),
  );
}

/**
 * Adds `Cache-Control` (`x-svc.cache`) to replies to GET and HEAD with a status below 400. Replies of guards, such as the
 * redirect to a login, may not be reused.
 */
function withCache(handle: RequestHandler, route: PlannedRoute): RequestHandler {
  const rule = cacheRuleOf(route);
  if (rule === undefined || route.action.kind === "disabled") return handle;
  return mapReply(handle, ({ request: { method } }, reply) => {
    const { status, headers } = reply.response;
    if (method !== "GET" && method !== "HEAD" || status >= 400) return reply;
    const sent = headers.get("cache-control");
    const control = cacheControlOf(rule, sent, headers.has("set-cookie"));
    return control === null || control === sent ? reply : withResponseHeaders(reply, [["cache-control", control]]);
  });
}

function mapReply(handle: RequestHandler, map: (context: RequestContext, reply: Reply) => Reply): RequestHandler {
  return (context) => andThen(handle(context), (reply) => map(context, reply));
}

/**
 * Creates a handler that serves the definition as JSON, without extensions and disabled operations
 * (`x-svc.public_api_path`).
 */
function createPublicDefinition(document: Document): RequestHandler {
  let text: string | undefined;
  return () => {
    text ??= writeJson(publicDefinition(document));
    const mediaType = "application/json";
    return {
      response: new Response(text, { headers: { "content-type": mediaType } }),
      mediaType,
      source: "definition",
    };
  };
}
