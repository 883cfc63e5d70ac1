/**
 * Parses the text form of rules, which the flag `--rule` takes: `GET /pets: 503 10%`.
 *
 * ```text
 * OPERATION: WORDS
 * ```
 *
 * The words, in any order: a status (`503`); `example NAME`; `delay 200`, `delay 200-400`, `delay 200~0.5` (log-normal:
 * median and sigma); `reset`, `empty`, `truncated [BYTES]`, `slow [RATE]`, `time-out`; a sequence of statuses and
 * faults (`503,503,ok`); the share of requests (`10%`); the number of applications (`x3`); `if PART=VALUE`; `force`;
 * and at the end `body JSON`.
 *
 * @module
 */
import { messageOf } from "../../http/message.ts";
import type { ReadRule } from "./read_rule.ts";
import type { Delay, FaultKind, Outcome, Rule } from "./rule.ts";
import { readJsonText } from "../../schema/json.ts";

/** Limit of the characters of a rule. */
const LONGEST = 64 * 1024;

const FAULTS: readonly FaultKind[] = ["reset", "empty", "truncated", "slow", "time-out"];

/** A rule, mutable during parsing. */
type Draft = { -readonly [Member in keyof Rule]: Rule[Member] };

/** Parses the text of a rule. The result isn't validated against the schema of rules or the definition. */
export function parseRule(text: string): ReadRule {
  if (text.length > LONGEST) return refused(`A rule has at most ${LONGEST} characters.`);
  const [, operation = "", rest = ""] = /^([^\n]+?):(?:\s+([^]*))?$/u.exec(text.trim()) ?? [];
  if (operation === "" || rest === "") {
    return refused("A rule is written as OPERATION: WHAT, such as `GET /pets: 503 10%`.");
  }
  const rule: Draft = { operation };
  const at = rest.search(/(?:^|\s)body(?=\s)/u);
  const words = withoutSpaces(at === -1 ? rest : rest.slice(0, at)).split(/\s+/u).filter(Boolean);
  for (let index = 0; index < words.length;) {
    const taken = readWord(rule, words, index);
    if (typeof taken === "string") return refused(taken);
    index += taken;
  }
  if (at === -1) return { kind: "rule", rule };
  try {
    rule.body = readJsonText(rest.slice(at).trim().slice("body".length));
    return { kind: "rule", rule };
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

/** Removes the spaces around commas, so that a sequence is one word. */
function withoutSpaces(words: string): string {
  return words.split(",").map((step) => step.trim()).join(",");
}

/** Parses a word and its arguments. Returns the number of parsed words, or an error as a sentence. */
function readWord(rule: Draft, words: readonly string[], index: number): number | string {
  const word = words[index] ?? "";
  const next = words[index + 1];
  const read = readMeasure(rule, word);
  if (read) return 1;
  switch (word) {
    case "force":
      rule.force = true;
      return 1;
    case "example":
      if (next === undefined) return "The name of an example is missing after `example`.";
      rule.example = next;
      return 2;
    case "delay": {
      const delay = parseDelay(next ?? "");
      if (delay === undefined) return "Milliseconds are missing after `delay`: 200, 200-400 or 200~0.5.";
      rule.delay = delay;
      return 2;
    }
    case "if":
    case "and": {
      const [, part, value] = /^([^=]+)=(.*)$/su.exec(next ?? "") ?? [];
      if (part === undefined) return `A condition is missing after \`${word}\`, such as query.status=sold.`;
      rule.match = { ...rule.match, [part]: value };
      return 2;
    }
    case "truncated":
    case "slow": {
      rule.fault = word;
      const measure = /^\d+$/u.test(next ?? "") ? Number(next) : undefined;
      if (measure === undefined) return 1;
      if (word === "slow") rule.rate = measure;
      else rule.bytes = measure;
      return 2;
    }
    default:
      return `\`${word}\` is no part of a rule. Its parts are a status, example NAME, delay MS, reset, empty, ` +
        "truncated, slow, time-out, a share such as 10%, a number of times such as x3, if PART=VALUE, force, and " +
        "body JSON at the end.";
  }
}

/**
 * Parses a word without arguments: a status, a sequence, a share, a number of applications, a fault. Returns whether it
 * is one of these.
 */
function readMeasure(rule: Draft, word: string): boolean {
  if (word.includes(",")) {
    const sequence = word.split(",").map(parseStep);
    if (sequence.includes(undefined)) return false;
    rule.sequence = sequence.filter((step) => step !== undefined);
    return true;
  }
  const [, percent] = /^(\d+(?:\.\d+)?)%$/u.exec(word) ?? [];
  if (percent !== undefined) {
    rule.share = Number(percent) / 100;
    return true;
  }
  const [, times] = /^x(\d+)$/u.exec(word) ?? [];
  if (times !== undefined) {
    rule.times = Number(times);
    return true;
  }
  const step = word === "truncated" || word === "slow" || word === "ok" ? undefined : parseStep(word);
  if (step !== undefined) Object.assign(rule, step);
  return step !== undefined;
}

/** Parses a step of a sequence: a status, a fault, or `ok` for the operation's own answer. */
function parseStep(word: string): Outcome | undefined {
  if (word === "ok") return {};
  if (/^\d{3}$/u.test(word)) return { status: Number(word) };
  const fault = FAULTS.find((fault) => fault === word);
  return fault && { fault };
}

function parseDelay(written: string): Delay | undefined {
  const [, first, sign, second] = /^(\d+)(?:([-~])(\d+(?:\.\d+)?))?$/u.exec(written) ?? [];
  if (first === undefined) return undefined;
  if (sign === undefined) return Number(first);
  return sign === "-" ? { min: Number(first), max: Number(second) } : { median: Number(first), sigma: Number(second) };
}

function refused(message: string): ReadRule {
  return { kind: "refused", problems: [{ pointer: "", message }] };
}
