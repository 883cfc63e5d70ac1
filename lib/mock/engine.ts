/**
 * The engine: what every mocked operation of some definitions shares. `createMock`, `gw mock`, the embedded gateway and
 * the mocks of a cluster make one each, and answer their requests by `answerOperation()`.
 *
 * @module
 */
import { createOriginTest, isFromForeignPage } from "../http/url/origin.ts";
import type { Document } from "../openapi/document.ts";
import type { Operation } from "../openapi/operation.ts";
import type { OperationAction } from "./operation/action.ts";
import type { Observer } from "../observe/exchange.ts";
import type { MockOptions } from "./mock_options.ts";
import {
  createHandlerContext,
  createOperationHandler,
  type HandlerContext,
  type OperationHandler,
} from "./operation/operation_handler.ts";
import { PREFERENCE_QUERIES } from "./answer/preferences.ts";
import type { SendOptions } from "./operation/reply.ts";
import type { ServerParts } from "./server_parts.ts";
import type { Sessions } from "./session/sessions.ts";
import type { BoundAnswerer } from "./state/answer_state.ts";
import type { StateAnswers } from "./state/state_context.ts";
import { type Checker, createChecker } from "./validation/checker.ts";

export interface Engine {
  readonly handlers: HandlerContext;
  readonly sending: SendOptions;
  /** Whether a page of another site sent a request. */
  readonly isForeign: (request: Request) => boolean;
  /** Whether clients may select an answer by `Prefer`. */
  readonly hasPreferences: boolean;
  /** Checks requests; absent if requests aren't checked. */
  readonly check: Checker | undefined;
  /** Whether an invalid request is refused. */
  readonly refuses: boolean;
  readonly observe: Observer | undefined;
  /** Waits for the delays of rules, for callers without a network connection; absent if they decide themselves. */
  readonly sleep: MockOptions["sleep"];
  /** The sessions; absent if no answer depends on a session. */
  readonly sessions: Sessions | undefined;
  /** The context of answers from state; absent if no operation is stateful. */
  readonly stateful: StateAnswers | undefined;
  /** Answers operations with a binding; absent if no operation is stateful. */
  readonly answerBound: BoundAnswerer | undefined;
}

/** Limit of a body that is read to check a request or to select an answer, in bytes. */
export const MOST_BODY = 16 * 1024 * 1024;

/**
 * Makes the engine of definitions.
 *
 * @param parts The sessions and the state, if an operation needs them.
 * @param kept The sessions to answer in, such as those of the server that this one replaces after a reload. Default: new
 * sessions.
 */
export function createEngine(
  documents: readonly Document[],
  options: MockOptions,
  parts: Pick<ServerParts, "sessions" | "state">,
  kept?: Sessions,
): Engine {
  const { asGateway = false, cors = true, validate = "off", pause = () => Promise.resolve(), observe } = options;
  const handlers = createHandlerContext(options);
  const sessions = parts.sessions && (kept ?? parts.sessions.createSessions(options));
  const stateful = parts.state?.createStateAnswers(parts.state.inferResources(documents), handlers);
  sessions?.rebind(
    stateful && parts.state?.createInitialStates(stateful.resources, {
      items: options.items,
      rest: options.rest,
      ...handlers,
    }),
  );
  const ownQueries = asGateway ? {} : { ownQueries: PREFERENCE_QUERIES };
  const { queryFormats, formFormats, security, strictQueries } = options;
  const undeclared = strictQueries === true ? "error" : "warn";
  const permits = createOriginTest(options.corsOrigins ?? []);
  const isForeign = options.isForeign ?? ((request: Request) => isFromForeignPage(request, permits));
  return {
    handlers,
    sending: { cors, pause, isForeign },
    isForeign,
    hasPreferences: !asGateway,
    check: asGateway || validate === "off" ? undefined : createChecker(
      {
        ...queryFormats,
        ...formFormats,
        ...ownQueries,
        security,
        undeclared,
        maxBody: MOST_BODY,
        bodies: handlers.bodies,
      },
      handlers.validatorOf,
    ),
    refuses: validate === "error",
    observe,
    sleep: options.sleep,
    sessions,
    stateful,
    answerBound: stateful && parts.state?.createBoundAnswerer(stateful),
  };
}

/** Makes the handler of an operation. Made once, at the operation's first request. */
export function createHandler(
  { handlers, stateful }: Pick<Engine, "handlers" | "stateful">,
  operation: Operation,
  { generate, rules }: Omit<OperationAction & { kind: "mock" }, "kind">,
  isStateful: boolean,
): OperationHandler {
  const binding = isStateful ? stateful?.resources.bindingOf(operation) : undefined;
  return createOperationHandler(operation, generate, handlers, binding, rules);
}
