import type { Document } from "../../openapi/document.ts";
import type { Action } from "../action.ts";
import type { Resources } from "../infer/resource.ts";
import type { OperationRoute } from "../mock_route.ts";
import type { HandlerContext, OperationHandler } from "../operation_handler.ts";
import type { RuleReader } from "../rules/read_rule.ts";
import type { Session } from "../session/session.ts";
import type { Sessions } from "../session/sessions.ts";
import type { Description } from "./description.ts";
import type { Query } from "./query.ts";

/** The parts of a mock server that the control API shows and changes. */
export interface ControlledServer {
  readonly documents: readonly Document[];
  readonly operations: readonly OperationRoute[];
  readonly handlers: HandlerContext;
  /** The handler of a mocked operation. */
  readonly handlerOf: (route: OperationRoute, action: Action & { kind: "mock" }) => OperationHandler;
  /** The resources of the definitions; absent without stateful operations. */
  readonly resources: Resources | undefined;
  readonly sessions: Sessions;
  /** The path below which the API is served, such as `/_gw/`. */
  readonly controlPath: string;
  /** Resolves after a time in milliseconds. Default: at once. */
  readonly wait?: ((milliseconds: number) => Promise<void>) | undefined;
}

/** What the handlers of operations need. */
export interface ControlContext {
  readonly server: ControlledServer;
  /** The description; prepared at its first use. */
  readonly description: () => Promise<Description>;
  /** Reads rules; prepared at its first use. */
  readonly ruleReader: () => Promise<RuleReader>;
}

/** A request for an operation of the API. */
export interface ControlCall {
  readonly request: Request;
  readonly operationId: string;
  readonly session: Session;
  readonly query: Query;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Answers the requests for an operation. */
export type ControlHandler = (call: ControlCall, context: ControlContext) => Response | Promise<Response>;
