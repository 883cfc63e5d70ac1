import type { Operation } from "../../openapi/operation.ts";
import type { RequestTarget } from "../../wire/parameter_reader.ts";
import type { LookedCondition } from "../condition/look_at.ts";
import type { Fault, Outcome, Rule } from "../../openapi/extension/rule.ts";

/** A rule of a session, with the number of its applications. */
export interface ListedRule {
  /** The name of the rule, unique among the rules that the session has added. */
  readonly id: string;
  /** The rule as it was added. */
  readonly rule: Rule;
  /** The origin of the rule: `--rule`, the definition's `x-svc`, or the session itself. */
  readonly source: "command-line" | "definition" | "session";
  /** How often the rule has applied in this session. */
  readonly applied: number;
}

/** A rule that was looked at for a request. */
export interface LookedRule extends ListedRule {
  /** What came of it. */
  readonly verdict:
    | "applies"
    /** It has applied as often as it may. */
    | "spent"
    /** A rule before it has set what it would set. */
    | "decided"
    /** The request doesn't meet one of its conditions. */
    | "unmet"
    /** It applies to a share of the requests, and this one isn't in it. */
    | "share";
  readonly conditions: readonly LookedCondition[];
}

/** The combined effect of the rules that apply to one request. */
export interface Chosen {
  /** The names of the rules that apply: the rule that sets the answer, and the rule that sets the delay. */
  readonly ids: readonly string[];
  /** The outcome that sets the answer; absent if the operation gives its own answer. */
  readonly outcome: Outcome | undefined;
  /** Milliseconds before the answer is sent; 0 for none. */
  readonly delay: number;
  readonly fault: Fault | undefined;
}

/** An operation, and the rules in its `x-svc.mocking`. */
export interface RuledOperation {
  readonly operation: Operation;
  /** Empty for most operations. */
  readonly declaredRules: readonly Rule[];
}

/**
 * The rules of one session, with the numbers of their applications. Precedence: rules that the session has added, the
 * newest first; then the rules of the command line; then the rules of the definition. The answer (or fault) and the
 * delay are each set by the first rule that applies and has one.
 */
export interface RuleList {
  /**
   * The number of rules that the session has added and that the command line has set. If it is 0 and the definition has
   * no rules for an operation, `choose` needn't be called.
   */
  readonly size: number;
  /**
   * Adds a rule, which takes precedence over all others.
   *
   * @throws {StateFullError} If a limit would be exceeded.
   */
  add(rule: Rule): ListedRule;
  /**
   * Replaces a rule that the session has added. The new rule keeps the name, and counts its applications from 0.
   *
   * @returns `undefined` if the session has added no rule with this name.
   * @throws {StateFullError} If a limit would be exceeded. The old rule then stays.
   */
  replace(id: string, rule: Rule): ListedRule | undefined;
  /** Removes a rule that the session has added. Returns `false` if there is none with this name. */
  remove(id: string): boolean;
  /** Removes the rules that the session has added, and sets the counts of the other rules to 0. */
  reset(): void;
  /** The rules that the session has added and the rules of the command line, in order of precedence. */
  list(): readonly ListedRule[];
  /** Whether a condition of the operation's rules depends on the request body. */
  usesBody(ruled: RuledOperation): boolean;
  /**
   * Finds the rules that apply to a request, and counts their applications.
   *
   * @param body The decoded request body, if `usesBody` is true.
   * @param looked Receives the rules that were looked at, for an explanation: the request then counts for no rule, and
   * the next request gets the same random numbers. Default: the request counts.
   * @returns `undefined` if no rule applies.
   */
  choose(
    ruled: RuledOperation,
    request: { readonly headers: Pick<Headers, "get"> },
    target: RequestTarget,
    body?: unknown,
    looked?: LookedRule[],
  ): Chosen | undefined;
  /** Frees the memory of the session's rules, because the session has ended. */
  release(): void;
}
