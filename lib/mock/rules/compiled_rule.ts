import type { Operation } from "../../openapi/operation.ts";
import type { ParameterLocation } from "../../openapi/parameter.ts";
import type { ValueFormats } from "../../wire/value_format.ts";
import { locationsOf, type MatchCondition, readMatch } from "../match_condition.ts";
import type { Outcome, Rule } from "./rule.ts";
import type { ListedRule } from "./rule_list.ts";
import { createRuleIndex, type RuleIndex } from "./rule_index.ts";
import { fitTarget, readTarget, type RuleTarget } from "./rule_target.ts";

/** The number of rules up to which the conditions of each are checked, without an index. */
const FEW = 16;

/** A rule in a list, with its target read and its sequence spread out. */
export interface HeldRule extends Omit<ListedRule, "applied"> {
  readonly target: RuleTarget;
  /** The outcomes of the rule's applications, in turn; after the last, the first follows again. At least one. */
  readonly outcomes: readonly Outcome[];
  /** The greatest number of applications. */
  readonly most: number;
}

/** A rule with its conditions, prepared for the requests of one operation. */
export interface CompiledRule {
  readonly held: HeldRule;
  readonly conditions: readonly MatchCondition[];
}

/** The rules of one operation, in order of precedence. */
export interface CompiledRules {
  readonly rules: readonly CompiledRule[];
  /** Finds the rules whose conditions a request may fulfil; absent where there are at most {@linkcode FEW} rules. */
  readonly index: RuleIndex | undefined;
  /** Whether a condition of any rule depends on the body. */
  readonly usesBody: boolean;
  /** The locations of the parameters that conditions depend on. */
  readonly locations: ReadonlySet<ParameterLocation>;
}

/** Prepares a rule for a list. */
export function holdRule(rule: Rule, id: string, source: ListedRule["source"]): HeldRule {
  const { sequence, times = sequence === undefined ? Infinity : 1 } = rule;
  const outcomes = sequence ?? [rule];
  return { id, rule, source, target: readTarget(rule.operation), outcomes, most: times * outcomes.length };
}

/**
 * Prepares the rules that apply to an operation.
 *
 * @param memo The operation's prepared rules, memoised; `undefined` for a rule that doesn't apply to the operation.
 */
export function compileRules(
  held: Iterable<HeldRule>,
  operation: Operation,
  formats: ValueFormats,
  memo = new WeakMap<HeldRule, CompiledRule | undefined>(),
): CompiledRule[] {
  const compiled: CompiledRule[] = [];
  for (const one of held) {
    if (!memo.has(one)) memo.set(one, compileRule(one, operation, formats));
    const rule = memo.get(one);
    if (rule !== undefined) compiled.push(rule);
  }
  return compiled;
}

/** Prepares a rule for an operation; `undefined` if the rule doesn't apply to the operation. */
function compileRule(held: HeldRule, operation: Operation, formats: ValueFormats): CompiledRule | undefined {
  const parameters = held.source === "definition" ? {} : fitTarget(held.target, operation);
  if (parameters === undefined) return undefined;
  const path = Object.entries(parameters).map(([name, value]): [string, unknown] => [`path.${name}`, value]);
  const conditions = readMatch(operation, { ...held.rule.match, ...Object.fromEntries(path) }, formats);
  // A rule with a condition that can't be read never applies.
  return conditions && { held, conditions };
}

/** Prepares the selection among the rules of an operation. */
export function joinRules(rules: readonly CompiledRule[]): CompiledRules {
  const conditions = rules.flatMap((rule) => rule.conditions);
  return {
    rules,
    index: rules.length > FEW ? createRuleIndex(rules) : undefined,
    usesBody: conditions.some(({ kind }) => kind === "body"),
    locations: locationsOf(conditions),
  };
}
