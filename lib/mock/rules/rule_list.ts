import type { Operation } from "../../openapi/operation.ts";
import type { RequestTarget } from "../../wire/parameter_reader.ts";
import type { Fault, Outcome, Rule } from "./rule.ts";

/** A rule of a session, with the number of its applications. */
export interface ListedRule {
  /** The name of the rule in the list, unique among the session's own rules. */
  readonly id: string;
  /** The rule as it was added. */
  readonly rule: Rule;
  /** The origin of the rule: `--rule`, the definition's `x-svc`, or the session itself. */
  readonly source: "command-line" | "definition" | "session";
  /** How often the rule has applied in this session. */
  readonly applied: number;
}

/** The joint effect of the rules that apply to one request. */
export interface Chosen {
  /** The names of the rules that apply: the one that sets the answer, and the one that sets the delay. */
  readonly ids: readonly string[];
  /** The parts of the answer that a rule sets; absent where the operation gives its own answer. */
  readonly outcome: Outcome | undefined;
  /** Milliseconds before the answer is sent; 0 for none. */
  readonly delay: number;
  readonly fault: Fault | undefined;
}

/** An operation, and the rules that its definition declares for it (`x-svc.mocking`). */
export interface RuledOperation {
  readonly operation: Operation;
  /** Empty for nearly all operations. */
  readonly declaredRules: readonly Rule[];
}

/**
 * The rules of one session, with the numbers of their applications. Precedence: the session's own rules, the newest
 * first; then the rules of the command line; then those of the definition. The first rule that applies and sets an
 * answer or a fault sets it; the first rule that applies and has a delay sets the delay.
 */
export interface RuleList {
  /**
   * The number of the session's own rules and those of the command line. If it is 0 and the definition has no rules,
   * `choose` needn't be called.
   */
  readonly size: number;
  /**
   * Adds a rule, which takes precedence over all others.
   *
   * @throws {RulesFullError} If a bound on rules would be exceeded.
   */
  add(rule: Rule): ListedRule;
  /**
   * Replaces one of the session's own rules. The new rule keeps the name, and has not applied yet.
   *
   * @returns `undefined` if the session has no rule with this name.
   * @throws {RulesFullError} If a bound on rules would be exceeded. The old rule then stays.
   */
  replace(id: string, rule: Rule): ListedRule | undefined;
  /** Removes one of the session's own rules. Returns `false` if there is none with this name. */
  remove(id: string): boolean;
  /** Removes the session's own rules, and sets the counts of the other rules to 0. */
  reset(): void;
  /** The session's own rules and those of the command line, in order of precedence. */
  list(): readonly ListedRule[];
  /** Whether a condition for the operation depends on the body of the request. */
  usesBody(ruled: RuledOperation): boolean;
  /**
   * Finds the rules that apply to a request, and counts their applications.
   *
   * @param body The value of the request's body; needed where `usesBody` is true.
   * @returns `undefined` if no rule applies.
   */
  choose(
    ruled: RuledOperation,
    request: { readonly headers: Pick<Headers, "get"> },
    target: RequestTarget,
    body?: unknown,
  ): Chosen | undefined;
  /** Frees the memory of the session's own rules, when the session ends. */
  release(): void;
}
