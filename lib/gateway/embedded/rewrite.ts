import { RegExpParser } from "@eslint-community/regexpp";
import { tryParse } from "../../regexp/parse.ts";
import { compile } from "../../regexp/pattern.ts";
import type { Rewrite } from "../../openapi/extension/settings.ts";
import { type ReadRewrite, readRewrite } from "../../openapi/extension/rewrite_pattern.ts";

/**
 * The step budget for rewriting one path. Each search for a match counts as the instructions of the compiled pattern,
 * times the remaining characters.
 */
const MOST_STEPS = 5_000_000;

/**
 * Creates a function that rewrites the path of a request to the upstream (`x-svc.upstream.rewrite`). It replaces all
 * matches of the pattern. The query stays as it is; if the substitution has a query too, the request's query follows
 * after `&`.
 *
 * @returns Path and query; `undefined` if the path is too long for the step budget.
 */
export function createRewrite(rewrite: Rewrite): (path: string, query: string) => string | undefined {
  const read = readRewrite(rewrite);
  const replace = read.kind === "rewrite" ? createReplacement(read) : createEcmaScriptReplacement(rewrite);
  return (path, query) => {
    const rewritten = replace(path);
    if (rewritten === undefined) return undefined;
    const rooted = rewritten.startsWith("/") ? rewritten : `/${rewritten}`;
    return query === "" ? rooted : `${rooted}${rooted.includes("?") ? "&" : "?"}${query}`;
  };
}

/** Creates a function that replaces all matches, as `RE2::GlobalReplace` does in Envoy. */
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
      // RE2 ignores an empty match directly after another match.
      if (start === end && matcher.end() === end) continue;
      rewritten += path.slice(Math.max(end, 0), start);
      for (const part of parts) rewritten += typeof part === "string" ? part : matcher.group(part) ?? "";
      end = matcher.end();
    }
  };
}

/**
 * Creates a function that replaces the matches of an ECMAScript pattern that RE2 doesn't support, such as one with
 * look-ahead. Earlier versions of gw accepted such patterns. They are matched only against paths that are so short that
 * backtracking is quick.
 */
function createEcmaScriptReplacement({ pattern, substitution }: Rewrite): (path: string) => string | undefined {
  const parsed = tryParse(pattern, "", new RegExpParser());
  const compiled = parsed && compile(pattern, parsed, "", { added: "g" });
  if (compiled === undefined) return () => undefined;
  const { expression, longest } = compiled;
  const replacement = substitution.replace(/\\(\d)/g, "$$$1");
  return (path) => path.length <= longest ? path.replace(expression, replacement) : undefined;
}
