import type { ExtensionSettings } from "../../openapi/extension/settings.ts";
import { readRuleWords, readStep } from "../../openapi/extension/rule_words.ts";
import type { Outcome, Rule } from "../../openapi/extension/rule.ts";

const NONE: readonly Rule[] = Object.freeze([]);

/** The rules of settings that are read. Many operations share those of the root. */
const known = new WeakMap<object, readonly Rule[]>();

/**
 * The rules in `x-svc.mocking`: `faults`, `sequence` and `delay`, in this order of precedence. Faults and steps of the
 * sequence have the syntax of `--rule`.
 */
export function declaredRules(settings: ExtensionSettings["mocking"]): readonly Rule[] {
  if (settings === undefined) return NONE;
  const { delay, faults, sequence } = settings;
  if (delay === undefined && faults === undefined && sequence === undefined) return NONE;
  const read = known.get(settings) ?? [
    ...(faults ?? []).flatMap((fault) => ruleOf(String(fault))),
    ...sequence === undefined ? [] : [{ operation: "*", sequence: sequence.map((step) => stepOf(String(step))) }],
    ...delay === undefined ? [] : ruleOf(`delay ${delay}`),
  ];
  known.set(settings, read);
  return read;
}

// Settings that can't be read have been reported, and have no effect.
function ruleOf(words: string): Rule[] {
  const read = readRuleWords(words);
  return typeof read === "string" ? [] : [{ operation: "*", ...read }];
}

function stepOf(written: string): Outcome {
  const read = readStep(written);
  return typeof read === "string" ? {} : read;
}
