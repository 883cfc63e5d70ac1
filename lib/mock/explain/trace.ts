import type { Problem } from "../../http/problem.ts";
import type { AnswerTrace } from "../answer/answer_trace.ts";
import type { RequestPreferences } from "../answer/preferences.ts";
import type { LookedExample } from "../condition/example_matcher.ts";
import type { MockRoute } from "../operation/mock_route.ts";
import type { OperationHandler } from "../operation/operation_handler.ts";
import type { Match } from "../route/router.ts";
import type { Chosen, LookedRule } from "../rules/rule_list.ts";
import type { Session } from "../session/session.ts";
import type { Validation } from "../validation/validate_request.ts";
import type { StepName } from "./explanation.ts";

/**
 * What a mock server decided on one request. The functions that decide fill it in, if they get one; a request that isn't
 * explained has none.
 */
export interface Trace extends AnswerTrace {
  /** The problem that ended the request before its operation was known, or while its body was read. */
  refused?: { readonly step: StepName; readonly problem: Problem };
  session?: Session;
  /** The path that was matched, without a session's base path, and the route. */
  path?: string;
  match?: Match<MockRoute>;
  handler?: OperationHandler;
  /** The result of the request's check; absent if requests aren't checked. */
  validation?: Validation;
  /** Whether the request is refused for its violations. */
  isRefused?: boolean;
  readonly rules: LookedRule[];
  /** The rules that apply. */
  chosen?: Chosen;
  preferred?: RequestPreferences;
  readonly examples: LookedExample[];
  /** Whether the answer is from the state. */
  isBound?: boolean;
  /** Who would answer the request, if it were sent on. */
  unsent?: "gw" | "upstream";
}
