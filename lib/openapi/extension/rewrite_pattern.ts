/**
 * Reads rewrites of paths. As in Envoy, a rewrite is a pattern in the syntax of RE2, and a substitution in which `\1`
 * is the first group.
 *
 * @see {@link https://github.com/google/re2/wiki/Syntax RE2, syntax}
 * @module
 */
import { messageOf } from "../../http/message.ts";
import { RE2JS } from "re2js";
import type { Rewrite } from "./settings.ts";

/** A compiled rewrite, or the reason why RE2 doesn't support it. */
export type ReadRewrite =
  | {
    kind: "rewrite";
    /** The pattern in RE2 syntax. */
    pattern: string;
    substitution: string;
    /** The compiled pattern. It matches in linear time. */
    expression: RE2JS;
    /** The substitution: a string stands for itself, a number for a group. */
    parts: readonly (string | number)[];
  }
  | { kind: "unsupported"; reason: string };

/**
 * Limits of a pattern: its characters, its compiled instructions, and the product of its characters and repetitions.
 * Compiling takes time in proportion to this product, so it is checked before.
 */
const MOST = { characters: 1_000, instructions: 1_000, repeated: 100_000 } as const;

/** RE2's limit for the count in a repetition such as `a{1000}`. */
const MOST_REPEATED = 1_000;

/** Explanations for messages of RE2 about syntax that ECMAScript has and RE2 lacks. */
const REASONS: readonly (readonly [said: RegExp, reason: string])[] = [
  [/`\(\?(?:[=!]|<[=!])/, "RE2 has no look-around (`(?=…)`, `(?!…)`, `(?<=…)`)"],
  [/escape sequence: `\\[1-9]/, "RE2 has no back-references (`\\1` in a pattern)"],
  [/invalid repeat count/, "RE2 repeats at most 1000 times"],
];

/**
 * Reads a rewrite. Accepts syntax of ECMAScript too: `$1`, `$&` and `$$` in the substitution, `\u0041` in the pattern.
 */
export function readRewrite({ pattern, substitution }: Rewrite): ReadRewrite {
  const tooLarge = excessOf(pattern);
  if (tooLarge !== undefined) return { kind: "unsupported", reason: tooLarge };
  const compiled = compile(pattern);
  if (typeof compiled === "string") return { kind: "unsupported", reason: compiled };
  const groups = compiled.groupCount();
  const parts = readSubstitution(substitution, groups);
  if (parts === undefined) {
    const reason = `its substitution names more than its ${groups} groups, or text around the match`;
    return { kind: "unsupported", reason };
  }
  return {
    kind: "rewrite",
    pattern: compiled.pattern(),
    substitution: parts.map((part) => typeof part === "number" ? `\\${part}` : part).join(""),
    expression: compiled,
    parts,
  };
}

/** Whether a rewrite can be deployed, and the size of its compiled pattern. */
export interface CheckedRewrite {
  /** The reason why the rewrite can't be deployed, as the end of a sentence; `undefined` if it can. */
  readonly reason: string | undefined;
  /** The number of instructions of the compiled pattern. */
  readonly instructions: number;
}

export function checkRewrite(rewrite: Rewrite): CheckedRewrite {
  const read = readRewrite(rewrite);
  if (read.kind === "unsupported") {
    return { reason: read.reason, instructions: Math.min(rewrite.pattern.length, MOST.instructions) };
  }
  const instructions = read.expression.programSize();
  return { reason: instructions > MOST.instructions ? REPEATS_TOO_MUCH : undefined, instructions };
}

const REPEATS_TOO_MUCH =
  `its pattern repeats too much: RE2 would compile it to more than ${MOST.instructions} instructions`;

/** The reason why a pattern isn't compiled because of its size; `undefined` if it is small enough. */
function excessOf(pattern: string): string | undefined {
  const { length } = pattern;
  if (length > MOST.characters) return `its pattern has ${length} characters; ${MOST.characters} are allowed`;
  return length * repetitionsIn(pattern) > MOST.repeated ? REPEATS_TOO_MUCH : undefined;
}

/**
 * An upper bound of the copies of one part that compiling makes: the product of all counts such as `{3}`, as if all
 * repetitions were nested.
 */
function repetitionsIn(pattern: string): number {
  const product = [...pattern.matchAll(/\{(?:\d+,)?(\d+),?\}/g)].reduce(
    (product, [, most]) => product * Math.max(1, Number(most)),
    1,
  );
  return Math.min(product, MOST_REPEATED);
}

function compile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const inRe2 = toRe2(pattern);
    if (inRe2 !== pattern) return compile(inRe2);
    const said = messageOf(error);
    const known = REASONS.find(([pattern]) => pattern.test(said));
    return known?.[1] ?? `RE2 finds ${said.replace(/^error parsing regexp: /, "")}`;
  }
}

/** Rewrites `\u0041` to RE2's syntax `\x{0041}`. */
function toRe2(pattern: string): string {
  return pattern.replace(/\\(?:u([0-9a-fA-F]{4})|[\s\S])/g, (all, hex) => hex === undefined ? all : `\\x{${hex}}`);
}

/** Splits a substitution into texts and references to groups; `undefined` if a group doesn't exist. */
function readSubstitution(written: string, groups: number): (string | number)[] | undefined {
  const parts: (string | number)[] = [];
  let end = 0;
  for (const match of written.matchAll(/\\(\d)|\$(\d{1,2})|\$([$&`'<])|\\\\/g)) {
    const [all, escaped, dollar, sign] = match;
    parts.push(literal(written.slice(end, match.index)));
    end = match.index + all.length;
    if (escaped !== undefined || dollar !== undefined) {
      const group = Number(escaped ?? dollar);
      if (group > Math.min(groups, 9) || (dollar !== undefined && group === 0)) return undefined;
      parts.push(group);
    } else if (sign === "&") parts.push(0);
    else if (sign === "$") parts.push("$");
    else if (sign === undefined) parts.push(literal("\\"));
    else return undefined;
  }
  parts.push(literal(written.slice(end)));
  return parts.filter((part) => part !== "");
}

/**
 * Percent-encodes a text of the substitution for use in a path: `#`, `\`, spaces, control characters, and characters
 * beyond ASCII.
 */
function literal(text: string): string {
  return text.toWellFormed().replace(/[^!-~]|[#\\]/gu, encodeURIComponent);
}
