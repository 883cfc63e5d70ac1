import { RegExpParser } from "@eslint-community/regexpp";
import { longestSafeText } from "../../regexp/backtracking.ts";
import type { Rewrite } from "../../openapi/extension/settings.ts";
import { type ReadRewrite, readRewrite } from "../../openapi/extension/rewrite_pattern.ts";

/**
 * The step budget for rewriting one path. Each search for a match counts as the pattern's instructions, times the
 * characters that are left.
 */
const MOST_STEPS = 5_000_000;

/**
 * Creates a function that rewrites the target of a request to the upstream: all matches of the pattern in the path are
 * replaced. The query stays as it is; it follows after `&` if the substitution has a query of its own.
 *
 * @returns Path and query; `undefined` if the path is too long for the step budget.
 */
export function createRewrite(rewrite: Rewrite): (path: string, query: string) => string | undefined {
  const read = readRewrite(rewrite);
  const replace = read.kind === "rewrite" ? createReplacement(read) : createEarlierReplacement(rewrite);
  return (path, query) => {
    const rewritten = replace(path);
    if (rewritten === undefined) return undefined;
    const rooted = rewritten.startsWith("/") ? rewritten : `/${rewritten}`;
    return query === "" ? rooted : `${rooted}${rooted.includes("?") ? "&" : "?"}${query}`;
  };
}

/** Replaces all matches, as `RE2::GlobalReplace` does. */
function createReplacement(
  { expression, parts }: Extract<ReadRewrite, { kind: "rewrite" }>,
): (path: string) => string | undefined {
  const size = expression.programSize();
  return (path) => {
    const matcher = expression.matcher(path);
    let rewritten = "";
    let end = -1;
    let steps = 0;
    while (true) {
      // One match takes linear time, but all matches together may take quadratic time.
      steps += size * (path.length - Math.max(end, 0) + 1);
      if (steps > MOST_STEPS) return undefined;
      if (!matcher.find()) return rewritten + path.slice(Math.max(end, 0));
      const start = matcher.start();
      // RE2 ignores an empty match directly behind another match.
      if (start === end && matcher.end() === end) continue;
      rewritten += path.slice(Math.max(end, 0), start);
      for (const part of parts) rewritten += typeof part === "string" ? part : matcher.group(part) ?? "";
      end = matcher.end();
    }
  };
}

/**
 * Replaces the matches of a pattern of ECMAScript that RE2 doesn't know, such as one with look-ahead. Earlier versions
 * deployed such patterns; they are tried only on paths that are short enough for quick backtracking.
 */
function createEarlierReplacement({ pattern, substitution }: Rewrite): (path: string) => string | undefined {
  const longest = longestOf(pattern);
  if (longest === 0) return () => undefined;
  const expression = new RegExp(pattern, "g");
  const replacement = substitution.replace(/\\(\d)/g, "$$$1");
  return (path) => path.length <= longest ? path.replace(expression, replacement) : undefined;
}

/** The length of the longest path that a pattern of ECMAScript may be tried on; 0 for an invalid pattern. */
function longestOf(pattern: string): number {
  try {
    return longestSafeText(new RegExpParser().parsePattern(pattern, 0, pattern.length, { unicode: false }));
  } catch {
    return 0;
  }
}
