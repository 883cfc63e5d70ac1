import { toRule } from "../../lib/mock/rules/parse_rule.ts";
import type { Rule } from "../../lib/openapi/extension/rule.ts";

/** A rule with its text on the command line, for messages. */
export interface WrittenRule {
  readonly text: string;
  readonly rule: Rule;
}

export const RULE_FLAG = {
  value: "RULE",
  read: (text: string): WrittenRule => ({ text, rule: toRule(text) }),
  many: true,
  description: "Answer otherwise: 'GET /pets: 503 10%', 'POST /orders: delay 200-400', '* *: reset 1%', 'GET /pets: " +
    "example NAME', 'GET /pets: 503,503'. The first that applies counts. More: page rules of the documentation.",
} as const;
