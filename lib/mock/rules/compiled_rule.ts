import type { Operation } from "../../openapi/operation.ts";
import type { ParameterLocation } from "../../openapi/parameter.ts";
import type { ValueFormats } from "../../wire/value_format.ts";
import { locationsOf, type MatchCondition, readMatch } from "../condition/match_condition.ts";
import type { Outcome, Rule } from "../../openapi/extension/rule.ts";
import type { ListedRule } from "./rule_list.ts";
import { createRuleIndex, type RuleIndex } from "./rule_index.ts";
import { fitTarget, readTarget, type RuleTarget } from "./rule_target.ts";

/** Up to this number of rules, the conditions of each rule are checked, without an index. */
const MOST_WITHOUT_INDEX = 16;

/** A rule with its target parsed and its sequence expanded. */
export interface PreparedRule extends Omit<ListedRule, "applied"> {
  readonly target: RuleTarget;
  /** The outcomes of successive applications. After the last outcome, the first follows again. */
  readonly outcomes: readonly Outcome[];
  /** Limit of the applications; `Infinity` for none. */
  readonly most: number;
}

/** A rule with its conditions, prepared for the requests of one operation. */
export interface CompiledRule {
  readonly prepared: PreparedRule;
  readonly conditions: readonly MatchCondition[];
}

/** The rules of one operation, in order of precedence. */
export interface CompiledRules {
  readonly rules: readonly CompiledRule[];
  /** Finds the rules whose conditions a request may meet; absent for at most {@linkcode MOST_WITHOUT_INDEX} rules. */
  readonly index: RuleIndex | undefined;
  /** Whether a condition of any rule depends on the request body. */
  readonly usesBody: boolean;
  /** The locations (query, header, …) of the parameters in conditions. */
  readonly locations: ReadonlySet<ParameterLocation>;
}

/** Parses the target of a rule, and expands its sequence. */
export function prepareRule(rule: Rule, id: string, source: ListedRule["source"]): PreparedRule {
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
  prepared: Iterable<PreparedRule>,
  operation: Operation,
  formats: ValueFormats,
  memo = new WeakMap<PreparedRule, CompiledRule | undefined>(),
): CompiledRule[] {
  const compiled: CompiledRule[] = [];
  for (const one of prepared) {
    if (!memo.has(one)) memo.set(one, compileRule(one, operation, formats));
    const rule = memo.get(one);
    if (rule !== undefined) compiled.push(rule);
  }
  return compiled;
}

/** Prepares a rule for an operation; `undefined` if the rule doesn't apply to the operation. */
function compileRule(prepared: PreparedRule, operation: Operation, formats: ValueFormats): CompiledRule | undefined {
  const parameters = prepared.source === "definition" ? {} : fitTarget(prepared.target, operation);
  if (parameters === undefined) return undefined;
  const path = Object.entries(parameters).map(([name, value]): [string, unknown] => [`path.${name}`, value]);
  const conditions = readMatch(operation, { ...prepared.rule.match, ...Object.fromEntries(path) }, formats);
  // A rule never applies if the syntax of a condition is invalid.
  return conditions && { prepared, conditions };
}

/** Indexes the rules of an operation. */
export function joinRules(rules: readonly CompiledRule[]): CompiledRules {
  const conditions = rules.flatMap((rule) => rule.conditions);
  return {
    rules,
    index: rules.length > MOST_WITHOUT_INDEX ? createRuleIndex(rules) : undefined,
    usesBody: conditions.some(({ kind }) => kind === "body"),
    locations: locationsOf(conditions),
  };
}
