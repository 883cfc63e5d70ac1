import type { ExtensionSettings } from "../../openapi/extension/settings.ts";
import { parseRule } from "./parse_rule.ts";
import type { Outcome, Rule } from "./rule.ts";

const NONE: readonly Rule[] = Object.freeze([]);

/**
 * The rules in `x-svc.mocking`: `faults`, `sequence` and `delay`, in this order of precedence. Faults and steps of the
 * sequence have the syntax of `--rule`.
 */
export function declaredRules(settings: ExtensionSettings["mocking"]): readonly Rule[] {
  if (settings === undefined) return NONE;
  const { delay, faults, sequence } = settings;
  if (delay === undefined && faults === undefined && sequence === undefined) return NONE;
  return [
    ...(faults ?? []).flatMap((fault) => ruleOf(String(fault))),
    ...sequence === undefined ? [] : [{ operation: "*", sequence: sequence.map((step) => stepOf(String(step))) }],
    ...delay === undefined ? [] : ruleOf(`delay ${delay}`),
  ];
}

function ruleOf(words: string): Rule[] {
  const read = parseRule(`*: ${words}`);
  return read.kind === "rule" ? [read.rule] : [];
}

function stepOf(word: string): Outcome {
  const [{ operation: _operation, ...outcome } = { operation: "*" }] = word === "ok" ? [] : ruleOf(word);
  return outcome;
}
