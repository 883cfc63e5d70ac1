import type { Operation } from "../../openapi/operation.ts";
import type { RequestTarget } from "../../wire/parameter_reader.ts";
import type { Fault, Outcome, Rule } from "./rule.ts";

/** A rule of a list, and how often it has applied. */
export interface ListedRule {
  /** Its name in the list. */
  readonly id: string;
  /** The rule as it was added. */
  readonly rule: Rule;
  /** Where the rule is from: `--rule`, the definition's `x-svc`, or the session's own. */
  readonly source: "command-line" | "definition" | "session";
  /** How often the rule has applied in this session. */
  readonly applied: number;
}

/** What the rules decide for one request. */
export interface Chosen {
  /** The rules that apply: the one that decides the answer, and the one that delays it. */
  readonly ids: readonly string[];
  /** The parts of the answer that a rule sets; absent where the operation gives its own answer. */
  readonly outcome: Outcome | undefined;
  /** Milliseconds before the answer is sent; 0 for none. */
  readonly delay: number;
  readonly fault: Fault | undefined;
}

/** An operation, and the rules that its definition has for it (`x-svc.mocking`). */
export interface RuledOperation {
  readonly operation: Operation;
  /** Empty for nearly all operations. */
  readonly declaredRules: readonly Rule[];
}

/**
 * The rules of one session, with their counts. Own rules come before those of the command line, and these before those
 * of the definition; of the session's own rules, the newest comes first. The first rule that applies and sets an answer
 * or a fault decides it; the first that applies and has a delay decides that.
 */
export interface RuleList {
  /** The number of rules, without those of definitions. `choose` needn't be called if there are none of both. */
  readonly size: number;
  /**
   * Adds a rule, before all others.
   *
   * @throws {RulesFullError} If the list, or all lists together, have no room for it.
   */
  add(rule: Rule): ListedRule;
  /**
   * Puts a rule in the place of one of the session's own, with its name, and counts it from 0.
   *
   * @returns `undefined` if there is none with this name.
   * @throws {RulesFullError} If all lists together have no room for it; then the old one stays.
   */
  replace(id: string, rule: Rule): ListedRule | undefined;
  /** Removes one of the session's own rules; `false` if there is none with this name. */
  remove(id: string): boolean;
  /** Removes the session's own rules, and counts all others from 0 again. */
  reset(): void;
  /** The rules, in the order in which they are asked, without those of definitions. */
  list(): readonly ListedRule[];
  /** Whether a rule of the operation depends on the body of the request. */
  usesBody(ruled: RuledOperation): boolean;
  /**
   * Decides for one request, and counts the rules that apply.
   *
   * @param body The body as a value, where `usesBody`.
   * @returns `undefined` if no rule applies.
   */
  choose(
    ruled: RuledOperation,
    request: { readonly headers: Pick<Headers, "get"> },
    target: RequestTarget,
    body?: unknown,
  ): Chosen | undefined;
  /** Gives the room of the list back, when its session ends. */
  release(): void;
}
