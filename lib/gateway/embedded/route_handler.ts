/**
 * What is done with the requests of one route, put together once from its settings:
 *
 * ```text
 * request -> CORS -> JWT -> custom auth -> rate limit -> request check -> redirect, mock, upstream or definition
 * ```
 *
 * @module
 */
import { redirectAnswer } from "../../mock/answer.ts";
import { createMocker } from "../../mock/operation_handler.ts";
import { respond, type SendOptions } from "../../mock/send.ts";
import type { Operation } from "../../openapi/operation.ts";
import { createSchemaCompiler, type SchemaCompiler } from "../../schema/schema_compiler.ts";
import { type CorsRules, createCorsRules } from "./cors.ts";
import { createCustomAuth } from "./custom_auth.ts";
import { type Act, type Exchange, type Guard, problemReply, type Reply, withHeaders } from "./request_context.ts";
import { createJwtGuard } from "./jwt.ts";
import { noRoute } from "./request_context.ts";
import { createProxy } from "./proxy.ts";
import { createRateLimit } from "./rate_limit.ts";
import { createRequestCheck } from "./request_check.ts";
import type { PlannedRoute, RoutePlan } from "../route.ts";
import type { GatewayPlatform } from "./platform.ts";
import type { Document } from "../../openapi/document.ts";
import { publishedDefinition } from "../../openapi/published.ts";

/** What is done with the requests of a route. */
export interface RouteHandler {
  readonly act: Act;
  /** Who may ask from other origins; absent where nothing is said of it. */
  readonly cors: CorsRules | undefined;
}

/** Makes the handlers of a plan's routes; what they share, such as the count of a rate limit, is the plan's. */
export function createRouteHandlers(plan: RoutePlan, platform: GatewayPlatform): (route: PlannedRoute) => RouteHandler {
  const sending: SendOptions = { cors: false, pause: () => platform.pause?.() ?? Promise.resolve() };
  const mock = createMocker({
    seed: 0,
    dynamic: false,
    anyStatus: false,
    cors: false,
    preferences: false,
    validate: "off",
    errors: false,
    queryFormats: {},
    callbacks: false,
  });
  /** Guards by what they were made for and the place where that is written, so that routes which inherit them share one. */
  const guards = new Map<string, Guard>();
  let compiler: Promise<SchemaCompiler> | undefined;
  return (route) => {
    const { settings } = route;
    const cors = settings.cors && createCorsRules(settings.cors);
    return { act: withCache(withCors(withGuards(actionOf(route), guardsOf(route)), cors), route), cors };
  };

  function actionOf({ action, operation, settings }: PlannedRoute): Act {
    switch (action.kind) {
      case "disabled":
        return ({ request, target }) => problemReply(noRoute(request, target.path));
      case "redirect":
        return ({ request }) => {
          if (!URL.canParse(request.url)) return problemReply(BAD_TARGET);
          const answer = redirectAnswer(action.redirect, request.url);
          const headers = answer.headers.map(([name, value]): [string, string] => [name, value]);
          return {
            response: new Response(null, { status: answer.status, headers }),
            mediaType: "",
            source: "redirect",
          };
        };
      case "mock":
        return operation === undefined
          ? createProxy([], settings, plan.namespace, platform)
          : mockOf(operation, action);
      case "upstream":
        return createProxy(action.upstreams, settings, plan.namespace, platform);
      case "definition":
        return createPublicDefinition(plan.document);
    }
  }

  function mockOf(operation: Operation, { generate }: { generate: boolean }): Act {
    const mocked = mock(operation, generate);
    return ({ request, target }) => {
      const found = mocked(request, target);
      return found instanceof Promise ? found.then(({ answer }) => send(answer)) : send(found.answer);

      function send(answer: Parameters<typeof respond>[1]): Reply {
        const { mediaType, source } = answer;
        return { response: respond(request, answer, sending), mediaType, source };
      }
    };
  }

  function guardsOf({ action, operation, settings, origins }: PlannedRoute): Guard[] {
    // Who isn't there needs no guard.
    if (action.kind === "disabled") return [];
    const { auth, rate_limit: rateLimit, validation } = settings;
    const list: Guard[] = [];
    if (auth?.jwt !== undefined) {
      const { providers } = auth.jwt;
      list.push(shared(`jwt ${origins.auth?.pointer}`, () => createJwtGuard(providers, platform)));
    }
    if (auth?.custom !== undefined) {
      const { custom } = auth;
      list.push(shared(`custom ${origins.auth?.pointer}`, () => createCustomAuth(custom, plan.namespace, platform)));
    }
    if (rateLimit !== undefined) {
      const now = (): number => platform.now();
      list.push(shared(`rate ${origins.rate_limit?.pointer}`, () => createRateLimit(rateLimit, now)));
    }
    if (validation?.request?.enabled === true && action.kind === "upstream" && operation !== undefined) {
      list.push(createRequestCheck(operation, () => compiler ??= createSchemaCompiler(plan.document)));
    }
    return list;
  }

  function shared(key: string, make: () => Guard): Guard {
    const guard = guards.get(key) ?? make();
    guards.set(key, guard);
    return guard;
  }
}

const BAD_TARGET = { title: "Bad Request", status: 400, detail: "The host of the request is not well-formed." };

function withGuards(act: Act, guards: readonly Guard[]): Act {
  if (guards.length === 0) return act;
  return async (exchange) => {
    const reply = await refusalOf(guards, exchange) ?? await act(exchange);
    return withHeaders(reply, exchange.headers);
  };
}

async function refusalOf(guards: readonly Guard[], exchange: Exchange): Promise<Reply | undefined> {
  for (const guard of guards) {
    const refusal = await guard(exchange);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Refusals too can be read by pages that may ask. */
function withCors(act: Act, cors: CorsRules | undefined): Act {
  if (cors === undefined) return act;
  return after(act, ({ request }, reply) => withHeaders(reply, cors.headersFor(request.headers.get("origin"))));
}

/**
 * `Cache-Control` for what is worth keeping: a good answer to a safe request. An answer that is for one user, as its
 * `Cache-Control` or a cookie says, stays as it is.
 */
function withCache(act: Act, { settings: { cache }, action }: PlannedRoute): Act {
  if (cache?.enabled !== true || cache.max_age === undefined || action.kind === "disabled") return act;
  const control = [["cache-control", `max-age=${cache.max_age}`]] as const;
  return after(act, ({ request: { method } }, reply) => {
    const { status, headers } = reply.response;
    const isWorthKeeping = (method === "GET" || method === "HEAD") && status < 400;
    return isWorthKeeping && !isForOneUser(headers) ? withHeaders(reply, control) : reply;
  });
}

function isForOneUser(headers: Headers): boolean {
  return headers.has("set-cookie") ||
    /(?:^|[,\s])(?:no-store|private)(?:$|[,\s=])/i.test(headers.get("cache-control") ?? "");
}

function after(act: Act, change: (exchange: Exchange, reply: Reply) => Reply): Act {
  return (exchange) => {
    const reply = act(exchange);
    return reply instanceof Promise ? reply.then((reply) => change(exchange, reply)) : change(exchange, reply);
  };
}

/** Serves a definition as JSON, without extensions and disabled operations. */
export function createPublicDefinition(document: Document): Act {
  let text: string | undefined;
  return () => {
    text ??= JSON.stringify(publishedDefinition(document));
    const mediaType = "application/json";
    return {
      response: new Response(text, { headers: { "content-type": mediaType } }),
      mediaType,
      source: "definition",
    };
  };
}
