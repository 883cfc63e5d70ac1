import type { Rewrite } from "../openapi/extension_settings.ts";

/**
 * Makes what changes the path of a request on its way to the upstream: whatever the pattern finds is replaced, `\1` or
 * `$1` being its first group. The query stays as it is.
 */
export function createRewrite({ pattern, substitution }: Rewrite): (path: string) => string {
  const expression = new RegExp(pattern, "g");
  const replacement = substitution.replace(/\\(\d)/g, "$$$1");
  return (path) => {
    const rewritten = path.replace(expression, replacement);
    return rewritten.startsWith("/") ? rewritten : `/${rewritten}`;
  };
}
