/**
 * Regular expressions of ECMAScript as those of RE2, which Envoy runs.
 *
 * @see {@link https://github.com/google/re2/wiki/Syntax RE2, syntax}
 * @module
 */
import { type AST, RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";

/** A replacement that Envoy understands, or why there is none. */
export type Re2Rewrite = { kind: "rewrite"; pattern: string; substitution: string } | {
  kind: "unsupported";
  reason: string;
};

/** The most that a part may be repeated in RE2. */
const MOST_REPEATED = 1000;

/** Writes a replacement as Envoy's `regex_rewrite` takes it. */
export function toRe2Rewrite(pattern: string, substitution: string): Re2Rewrite {
  let parsed: AST.Pattern;
  try {
    parsed = new RegExpParser().parsePattern(pattern, 0, pattern.length, { unicode: false });
  } catch {
    return { kind: "unsupported", reason: "it is no regular expression" };
  }
  const reason = reasonAgainst(parsed);
  if (reason !== undefined) return { kind: "unsupported", reason };
  const groups = groupsIn(parsed);
  const written = toRe2Substitution(substitution, groups);
  if (written === undefined) {
    return {
      kind: "unsupported",
      reason: `its substitution names more than its ${groups} groups, or text around the match`,
    };
  }
  // RE2 writes the code point of a character in braces.
  return { kind: "rewrite", pattern: pattern.replace(/\\u([0-9a-fA-F]{4})/g, "\\x{$1}"), substitution: written };
}

function reasonAgainst(parsed: AST.Pattern): string | undefined {
  let reason: string | undefined;
  visitRegExpAST(parsed, {
    onAssertionEnter({ kind }) {
      if (kind === "lookahead" || kind === "lookbehind") {
        reason ??= "RE2 has no look-around (`(?=…)`, `(?!…)`, `(?<=…)`)";
      }
    },
    onBackreferenceEnter() {
      reason ??= "RE2 has no back-references (`\\1` in a pattern)";
    },
    onCapturingGroupEnter({ name }) {
      if (name !== null) reason ??= "named groups (`(?<name>…)`) can't be used here: use `\\1`";
    },
    onGroupEnter({ modifiers }) {
      if (modifiers !== null) reason ??= "flags within the pattern (`(?i:…)`) can't be used here";
    },
    onQuantifierEnter({ min, max }) {
      const most = max === Infinity ? min : max;
      if (most > MOST_REPEATED) reason ??= `RE2 repeats at most ${MOST_REPEATED} times`;
    },
    onCharacterClassEnter({ elements }) {
      if (elements.length === 0) reason ??= "RE2 has no empty classes (`[]`, `[^]`)";
    },
    onCharacterEnter({ raw }) {
      if (/^\\c/.test(raw)) reason ??= "RE2 has no control escapes (`\\cA`)";
      if (/^\\[1-9]/.test(raw)) reason ??= "RE2 has no octal escapes";
      if (/^\\[a-zA-Z](?!.)/.test(raw) && !/^\\[fnrtv]$/.test(raw)) reason ??= `RE2 has no escape \`${raw}\``;
    },
  });
  return reason;
}

function groupsIn(parsed: AST.Pattern): number {
  let groups = 0;
  visitRegExpAST(parsed, { onCapturingGroupEnter: () => void groups++ });
  return groups;
}

/** `$1`, `\1`, `$&` and `$$` as `\1`, `\1`, `\0` and `$`; `undefined` when something else is meant. */
function toRe2Substitution(written: string, groups: number): string | undefined {
  let isKnown = true;
  const substitution = written.replace(/\\(\d)|\$(\d{1,2})|\$([$&`'<])|\\/g, (all, first, second, sign) => {
    const group: string | undefined = first ?? second;
    if (group !== undefined) {
      // A number that no group has stands for itself in ECMAScript.
      if (Number(group) === 0 || Number(group) > Math.min(groups, 9)) isKnown = false;
      return `\\${Number(group)}`;
    }
    if (sign === "$") return "$";
    if (sign === "&") return "\\0";
    if (all === "\\") return "\\\\";
    isKnown = false;
    return all;
  });
  return isKnown ? substitution : undefined;
}
