/**
 * The words of a rule: what it does and when. The flag `--rule` takes them after an operation, and `x-svc.mocking` has
 * them in `delay`, `faults` and `sequence`.
 *
 * The words, in any order: a status (`503`); `example NAME`; `delay 200`, `delay 200-400`, `delay 200~0.5` (log-normal:
 * median and sigma); `reset`, `empty`, `truncated [BYTES]`, `slow [RATE]`, `time-out`; a sequence of statuses and
 * faults (`503,503,ok`); the share of requests (`10%`); the number of applications (`x3`); `if PART=VALUE`; `force`.
 *
 * @module
 */
import type { Delay, FaultKind, Outcome, Rule } from "./rule.ts";

const FAULTS: readonly FaultKind[] = ["reset", "empty", "truncated", "slow", "time-out"];

/** What the words of a rule say: a rule without its operation. */
export type RuleWords = Omit<Rule, "operation">;

/** The words of a rule, mutable during parsing. */
type Draft = { -readonly [Member in keyof Omit<RuleWords, "match">]: RuleWords[Member] } & {
  match?: Map<string, string>;
};

/** Reads the words of a rule; a text is the reason why they can't be read, as a sentence. */
export function readRuleWords(written: string): RuleWords | string {
  const rule: Draft = {};
  const words = withoutSpaces(written).split(/\s+/u).filter(Boolean);
  for (let index = 0; index < words.length;) {
    const taken = readWord(rule, words, index);
    if (typeof taken === "string") return taken;
    index += taken;
  }
  const { match, ...others } = rule;
  return match === undefined ? others : { ...others, match: Object.fromEntries(match) };
}

/** Reads a step of a sequence: what one answer is; `ok` is the operation's own. A text is the reason why it can't be. */
export function readStep(written: string): Outcome | string {
  if (written === "ok") return {};
  const read = readRuleWords(written);
  if (typeof read === "string") return read;
  const { share, times, match, sequence, force } = read;
  return [share, times, match, sequence, force].every((part) => part === undefined)
    ? read
    : "A step of a sequence has no share, no number of times, no condition and no steps.";
}

/** Reads a delay: milliseconds, a range of them, or a median with a sigma. */
export function readDelay(written: string): Delay | undefined {
  const [, first, sign, second] = /^(\d+)(?:([-~])(\d+(?:\.\d+)?))?$/u.exec(written) ?? [];
  if (first === undefined) return undefined;
  if (sign === undefined) return Number(first);
  return sign === "-" ? { min: Number(first), max: Number(second) } : { median: Number(first), sigma: Number(second) };
}

/** Whether a delay's range goes from less to more. */
export function isOrdered(delay: Delay): boolean {
  return typeof delay === "number" || !("min" in delay) || delay.min <= delay.max;
}

/** Removes the spaces around commas, so that a sequence is one word. */
function withoutSpaces(words: string): string {
  return words.split(",").map((step) => step.trim()).join(",");
}

/** Reads a word and its arguments. Returns the number of words read, or an error as a sentence. */
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
      const delay = readDelay(next ?? "");
      if (delay === undefined) return "Milliseconds are missing after `delay`: 200, 200-400 or 200~0.5.";
      rule.delay = delay;
      return 2;
    }
    case "if":
    case "and": {
      const [, part, value] = /^([^=]+)=(.*)$/su.exec(next ?? "") ?? [];
      if (part === undefined) return `A condition is missing after \`${word}\`, such as query.status=sold.`;
      rule.match = (rule.match ?? new Map()).set(part, value ?? "");
      return 2;
    }
    case "truncated":
    case "slow": {
      rule.fault = word;
      const measure = /^\d+$/u.test(next ?? "") ? Number(next) : undefined;
      if (measure === undefined) return 1;
      if (word === "slow" && measure === 0) return "The rate after `slow` is in bytes a second, and at least 1.";
      if (word === "slow") rule.rate = measure;
      else rule.bytes = measure;
      return 2;
    }
    default:
      if (/^[\d.]+%$/u.test(word)) return `The share ${word} must be from 0% to 100%.`;
      if (/^\d+$/u.test(word)) return `The status ${word} must be from 200 to 599.`;
      return `\`${word}\` is no part of a rule. Its parts are a status, example NAME, delay MS, reset, empty, ` +
        "truncated, slow, time-out, a share such as 10%, a number of times such as x3, if PART=VALUE, force, and " +
        "body JSON at the end.";
  }
}

/**
 * Reads a word without arguments: a status, a sequence, a share, a number of applications, a fault. Returns whether it
 * is one of these.
 */
function readMeasure(rule: Draft, word: string): boolean {
  if (word.includes(",")) {
    const sequence = word.split(",").map(readPlainStep);
    if (sequence.includes(undefined)) return false;
    rule.sequence = sequence.filter((step) => step !== undefined);
    return true;
  }
  const [, percent] = /^(100|\d{1,2}(?:\.\d+)?)%$/u.exec(word) ?? [];
  if (percent !== undefined) {
    rule.share = Number(percent) / 100;
    return true;
  }
  const [, times] = /^x([1-9]\d*)$/u.exec(word) ?? [];
  if (times !== undefined) {
    rule.times = Number(times);
    return true;
  }
  const step = word === "truncated" || word === "slow" || word === "ok" ? undefined : readPlainStep(word);
  if (step !== undefined) Object.assign(rule, step);
  return step !== undefined;
}

/** Reads a word as a status, a fault, or `ok` for the operation's own answer. */
function readPlainStep(word: string): Outcome | undefined {
  if (word === "ok") return {};
  if (/^[2-5]\d\d$/u.test(word)) return { status: Number(word) };
  const fault = FAULTS.find((fault) => fault === word);
  return fault && { fault };
}
