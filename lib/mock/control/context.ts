import type { Call } from "../../api/api.ts";
import type { Description } from "../../api/description.ts";
import type { Problem } from "../../http/problem.ts";
import type { Document } from "../../openapi/document.ts";
import type { OperationAction } from "../operation/action.ts";
import type { Resources } from "../infer/resource.ts";
import type { OperationRoute } from "../operation/mock_route.ts";
import type { HandlerContext, OperationHandler } from "../operation/operation_handler.ts";
import type { RuleReader } from "../rules/read_rule.ts";
import type { Explanation } from "../explain/explanation.ts";
import type { Session } from "../session/session.ts";
import type { Sessions } from "../session/sessions.ts";

/** The parts of a mock server that the control API shows and changes. */
export interface ControlledServer {
  readonly documents: readonly Document[];
  readonly operations: readonly OperationRoute[];
  readonly handlers: HandlerContext;
  /** The handler of a mocked operation. */
  readonly handlerOf: (route: OperationRoute, action: OperationAction & { kind: "mock" }) => OperationHandler;
  /** The inferred resources; absent if no operation is stateful. */
  readonly resources: Resources | undefined;
  readonly sessions: Sessions;
  /** The base path of the API, such as `/_gw/`. */
  readonly controlPath: string;
  /** Resolves after a time in milliseconds. Default: resolves at once. */
  readonly wait?: ((milliseconds: number) => Promise<void>) | undefined;
}

export interface ControlContext {
  readonly server: ControlledServer;
  /** The session that the request names by its header or base path, else the shared session. */
  readonly session: Session;
  /** The API's OpenAPI description, parsed at the first call. */
  readonly description: () => Promise<Description>;
  readonly ruleReader: () => Promise<RuleReader>;
  readonly explain: Explainer;
}

/** Pages for people, beside the API: those of the console. */
export interface Pages {
  /** Answers a request for a page. */
  readonly answer: (request: Request, context: PageContext) => Response | Promise<Response>;
}

export interface PageContext extends ControlContext {
  /** The path of the request, without a session's base path. */
  readonly path: string;
  /** The problem of a request that may not use the API; `undefined` for others. */
  readonly refuse: (request: Request) => Problem | undefined;
  /** Answers a request for the API, in the session of the context. */
  readonly api: (request: Request) => Response | Promise<Response>;
}

/** Explains why a request gets its answer in a session, without effect. */
export type Explainer = (request: Request, session: Session) => Promise<Explanation>;

/** A request for an operation, with the session that it means. */
export interface ControlCall extends Call {
  readonly session: Session;
}

/** Answers the requests for one operation of the API. */
export type ControlHandler = (call: ControlCall, context: ControlContext) => Response | Promise<Response>;
