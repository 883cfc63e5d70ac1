import type { Operation } from "../../openapi/operation.ts";
import type { ParameterLocation } from "../../openapi/parameter.ts";
import type { ValueFormats } from "../../wire/value_format.ts";
import { locationsOf, type MatchCondition, readMatch } from "../match_condition.ts";
import type { Outcome, Rule } from "./rule.ts";
import type { ListedRule } from "./rule_list.ts";
import { createRuleIndex, type RuleIndex } from "./rule_index.ts";
import { fitTarget, readTarget, type RuleTarget } from "./rule_target.ts";

/** The number of rules up to which each is asked, without an index. */
const FEW = 16;

/** A rule that a list holds. */
export interface HeldRule extends Omit<ListedRule, "applied"> {
  readonly target: RuleTarget;
  /** What the rule does at its applications, one after the other, and from the start again; at least one. */
  readonly outcomes: readonly Outcome[];
  /** How often the rule applies at most. */
  readonly most: number;
}

/** A rule, prepared for the requests of one operation. */
export interface CompiledRule {
  readonly held: HeldRule;
  readonly conditions: readonly MatchCondition[];
}

/** The rules of one operation, in the order in which they are asked. */
export interface CompiledRules {
  readonly rules: readonly CompiledRule[];
  /** Finds the rules that may apply; absent where there are few. */
  readonly index: RuleIndex | undefined;
  /** Whether a condition depends on the body. */
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
 * Prepares the rules that are for an operation.
 *
 * @param memo The rules that were prepared for the operation before; `undefined` for those that aren't for it.
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

/** Prepares a rule for an operation; `undefined` if it is for others. */
function compileRule(held: HeldRule, operation: Operation, formats: ValueFormats): CompiledRule | undefined {
  const parameters = held.source === "definition" ? {} : fitTarget(held.target, operation);
  if (parameters === undefined) return undefined;
  const path = Object.entries(parameters).map(([name, value]): [string, unknown] => [`path.${name}`, value]);
  const conditions = readMatch(operation, { ...held.rule.match, ...Object.fromEntries(path) }, formats);
  // A condition that can't be read is never fulfilled.
  return conditions && { held, conditions };
}

/** Prepares the choice among rules. */
export function joinRules(rules: readonly CompiledRule[]): CompiledRules {
  const conditions = rules.flatMap((rule) => rule.conditions);
  return {
    rules,
    index: rules.length > FEW ? createRuleIndex(rules) : undefined,
    usesBody: conditions.some(({ kind }) => kind === "body"),
    locations: locationsOf(conditions),
  };
}
