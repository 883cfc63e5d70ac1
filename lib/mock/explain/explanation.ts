/**
 * Why a request gets its answer, as JSON: the decisions of a mock server in the order in which it makes them. The
 * control API's description has these types as schemas.
 *
 * @module
 */
import type { OperationNames } from "../../openapi/operation.ts";
import type { FaultKind, Rule } from "../../openapi/extension/rule.ts";
import type { RequestViolation } from "../validation/violation.ts";

/** Why a request gets its answer. */
export interface Explanation {
  /** The request, as the mock server reads it. */
  readonly request: ExplainedRequest;
  /** The answer that the request gets, without its body. */
  readonly outcome: ExplainedOutcome;
  /** The decisions that were made, in their order. A decision that wasn't reached has no step. */
  readonly steps: readonly Step[];
  /**
   * Of a recorded request: the answer that it got. `outcome` is that to the same request now: rules, state and
   * definition may have changed since.
   */
  readonly recorded?: RecordedOutcome;
  /** What keeps the explanation from being exact, such as a body that was recorded only in part. */
  readonly notes?: readonly string[];
}

/** The request that is explained, without its headers and body. */
export interface ExplainedRequest {
  /** The HTTP method, in upper case. */
  readonly method: string;
  /** The path without query, as it was sent. */
  readonly path: string;
  /** The query without `?`; absent if there is none. */
  readonly query?: string;
}

/** The answer to the request. */
export interface ExplainedOutcome {
  /** The status; absent where only sending the request would tell it: for the upstream, and for the control API. */
  readonly status?: number;
  /**
   * Where the answer comes from, as in the log: `example`, `examples.NAME`, `generated`, `state`, `rule`, `status` (no
   * body), `problem`, `redirect`, `upstream`, `gw` (the mock server's own paths).
   */
  readonly source: string;
  /** The step that decided which answer it is. */
  readonly decidedBy: StepName;
  /** Why it is this answer: the summary of the step that decided. */
  readonly reason: string;
  /** The operation that the request fits; absent if it fits none. */
  readonly operation?: OperationNames;
  /** The media type of the body; absent if there is none. */
  readonly mediaType?: string;
  /** The names of the rules that apply. */
  readonly rules?: readonly string[];
  /** Milliseconds before the answer is sent; absent if a rule doesn't delay it. */
  readonly delay?: number;
  /** The fault with which a rule disturbs sending the answer. */
  readonly fault?: FaultKind;
}

/** The answer that a recorded request got. */
export interface RecordedOutcome {
  /** The number of the entry in the journal. */
  readonly id: number;
  /** The status that was answered. */
  readonly status: number;
  /** Where the answer came from, as in the journal. */
  readonly source: string;
  /** Whether the same request now gets another status, or an answer from another source. */
  readonly differs: boolean;
}

/**
 * The decisions, in their order:
 *
 * | step          | decides                                                                       |
 * | ------------- | ----------------------------------------------------------------------------- |
 * | `request`     | whether the request can be read: its `Host`, its body                         |
 * | `session`     | the session, whose state, rules and clock count                               |
 * | `route`       | the operation: by base path, path template, method, conditions of the path    |
 * | `credentials` | whether the credentials that `security` requires are there                    |
 * | `validation`  | whether parameters and body are as the definition says                        |
 * | `rules`       | the rules that apply                                                          |
 * | `preferences` | what `Prefer` and the queries `__code`, `__example` … ask for                 |
 * | `conditions`  | the example whose conditions (`x-svc.mocking.match`) the request meets        |
 * | `response`    | the status, and the response of the definition                                |
 * | `accept`      | the media type                                                                |
 * | `content`     | the body: which example, resource and item, or seed                           |
 * | `headers`     | the headers of the response                                                   |
 * | `delay`       | how long the answer is held back                                              |
 * | `fault`       | how sending it fails                                                          |
 */
export type StepName =
  | "request"
  | "session"
  | "route"
  | "credentials"
  | "validation"
  | "rules"
  | "preferences"
  | "conditions"
  | "response"
  | "accept"
  | "content"
  | "headers"
  | "delay"
  | "fault";

/** One decision. */
export interface Step {
  /** What was decided. */
  readonly step: StepName;
  /** What was decided and why, in one or two sentences without terms of gw's inside. */
  readonly summary: string;
  /** The facts behind the decision, by the step: the properties that concern it are there. */
  readonly details?: StepDetails;
  /** The place in the definition, where there is one. */
  readonly at?: DefinitionPlace;
}

/** A place in a definition. */
export interface DefinitionPlace {
  /** The path or URL of the file. */
  readonly file: string;
  /** From 1 on. The text of a definition that is an object is its JSON, with an indent of 2. */
  readonly line: number;
  /** From 1 on, in UTF-16 units. */
  readonly column: number;
  /** The JSON Pointer of the place within the file. */
  readonly pointer: string;
}

/** The facts behind a decision. Each step has those that concern it. */
export interface StepDetails {
  /** `session`: its name, empty for the shared one, and how the request names it. */
  readonly session?: { readonly name: string; readonly namedBy: "header" | "path" | "default" };
  /** `route`: the base path before the template; empty if there is none. */
  readonly basePath?: string;
  /** `route`: the values of the path's parameters, percent-decoded. Secrets are redacted. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** `route`: the operations nearest to a request that fits none, the nearest first. */
  readonly near?: readonly NearOperation[];
  /** `credentials`, `validation`: what is wrong with the request. */
  readonly violations?: readonly PlacedViolation[];
  /** `rules`: the rules that were looked at, in order of precedence. */
  readonly rules?: readonly ExplainedRule[];
  /** `preferences`: what the request asks for, by the names of `Prefer`. */
  readonly preferences?: Readonly<Record<string, string | number | boolean>>;
  /** `preferences`: what wasn't honoured and why. */
  readonly remarks?: readonly string[];
  /** `conditions`: the examples with conditions, in their order. */
  readonly examples?: readonly ExplainedExample[];
  /** `response`: the codes that the operation declares. */
  readonly responses?: readonly string[];
  /** `accept`: the header `Accept`; absent if the request has none. */
  readonly accept?: string;
  /** `accept`: the media types that the response offers, in the definition's order. */
  readonly offers?: readonly ExplainedOffer[];
  /** `content`: the name of the example that is sent; empty for `example`, which has no name. */
  readonly example?: string;
  /** `content`: the seed of a generated body. */
  readonly seed?: number;
  /** `content`: the resource of an answer from state, what the operation does with it, and the id in the path. */
  readonly resource?: { readonly name: string; readonly kind: string; readonly key?: string };
  /** `headers`: the headers of the response, by name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `delay`: milliseconds. */
  readonly delay?: number;
  /** `fault`: its kind. */
  readonly fault?: FaultKind;
}

/** An operation near to a request that fits none. */
export interface NearOperation extends OperationNames {
  /** What keeps the request from it. `server`: the base path differs. */
  readonly obstacle: "method" | "segment" | "length" | "server" | "condition" | "disabled";
  /** The obstacle as a sentence. */
  readonly reason: string;
  /** Of `segment`: the number of the first segment that differs, from 1 on. */
  readonly segment?: number;
  /** The place in the definition; absent if there is none. */
  readonly at?: DefinitionPlace;
}

/** A violation with the place in the definition that it violates. */
export interface PlacedViolation extends RequestViolation {
  /** The place in the definition; absent if there is none. */
  readonly at?: DefinitionPlace;
}

/** A rule that was looked at. */
export interface ExplainedRule {
  /** The id of the rule. */
  readonly id: string;
  /** Where the rule comes from. */
  readonly source: "command-line" | "definition" | "session";
  /** The rule as it was added. */
  readonly rule: Rule;
  /** How often it has applied before this request. */
  readonly applied: number;
  /** Whether it applies to this request. */
  readonly applies: boolean;
  /** Why it applies or doesn't, as a sentence. */
  readonly reason: string;
  /** What the rule demands of requests. */
  readonly conditions: readonly ExplainedCondition[];
}

/** A condition of a rule or an example. */
export interface ExplainedCondition {
  /** The part of the request, as it is written: `query.status`, `body./name`. */
  readonly part: string;
  /** The value that is demanded. */
  readonly wanted: unknown;
  /** Whether the request has it. */
  readonly isMet: boolean;
}

/** An example with conditions. */
export interface ExplainedExample {
  /** The name of the example. */
  readonly name: string;
  /** Whether the example was taken. */
  readonly isChosen: boolean;
  /** What the example demands of requests. */
  readonly conditions: readonly ExplainedCondition[];
}

/** A media type that the response offers. */
export interface ExplainedOffer {
  /** The media type as the definition writes it. */
  readonly mediaType: string;
  /** The weight that `Accept` gives it, from 0 to 1; 0 if it isn't accepted. */
  readonly weight: number;
  /** Whether the media type was taken. */
  readonly isChosen: boolean;
}

/** A request to be explained. It isn't sent. */
export interface RequestDescription {
  /** Default: `GET`. */
  readonly method?: string;
  /** The path with its query, percent-encoded, such as `/pets?limit=3`; or a whole URL. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body: a text as it is sent; another JSON value is sent as JSON. */
  readonly body?: unknown;
}
