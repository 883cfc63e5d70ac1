/**
 * Parses the text form of rules, which the flag `--rule` takes: `GET /pets: 503 10%`.
 *
 * ```text
 * OPERATION: WORDS
 * ```
 *
 * `rule_words.ts` describes the words. At the end, a body may stand: `body JSON`.
 *
 * @module
 */
import { readRuleWords } from "../../openapi/extension/rule_words.ts";
import { messageOf } from "../../http/message.ts";
import type { ReadRule } from "./read_rule.ts";
import type { Rule } from "../../openapi/extension/rule.ts";
import { readJsonText } from "../../schema/json/json.ts";

/** Limit of the characters of a rule. */
const LONGEST = 64 * 1024;

/** Parses the text of a rule. The result isn't validated against the schema of rules or the definition. */
export function parseRule(text: string): ReadRule {
  if (text.length > LONGEST) return refused(`A rule has at most ${LONGEST} characters.`);
  const [, operation = "", rest = ""] = /^([^\n]+?):(?:\s+([^]*))?$/u.exec(text.trim()) ?? [];
  if (operation === "" || rest === "") {
    return refused("A rule is written as OPERATION: WHAT, such as `GET /pets: 503 10%`.");
  }
  const at = rest.search(/(?:^|\s)body(?=\s)/u);
  const words = readRuleWords(at === -1 ? rest : rest.slice(0, at));
  if (typeof words === "string") return refused(words);
  const rule: Rule = { operation, ...words };
  if (at === -1) return { kind: "rule", rule };
  try {
    return { kind: "rule", rule: { ...rule, body: readJsonText(rest.slice(at).trim().slice("body".length)) } };
  } catch (error) {
    return refused(`What follows \`body\` must be JSON, up to the end of the rule: ${messageOf(error)}.`);
  }
}

/**
 * Returns a rule that is an object, or parses a text.
 *
 * @throws {RangeError} If the text can't be parsed.
 */
export function toRule(written: Rule | string): Rule {
  if (typeof written !== "string") return written;
  const read = parseRule(written);
  if (read.kind === "rule") return read.rule;
  throw new RangeError(read.problems.map(({ message }) => message).join(" "));
}

function refused(message: string): ReadRule {
  return { kind: "refused", problems: [{ pointer: "", message }] };
}
