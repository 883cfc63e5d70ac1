/**
 * Tables of values by host. A look-up returns the value of the host itself, then those of the wildcards that match the
 * host, the longest wildcard first, then that of `*`. This is the precedence of `hostnames` in an HTTPRoute (Gateway
 * API).
 *
 * @module
 */

/** Returns the values for a host, the most specific first. */
export type HostTable<T> = (host: string) => readonly T[];

/**
 * Creates a table of values by host.
 *
 * @param values Values by pattern in lower case: `api.example.com`, `*.example.com` or `*`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const find = createHostTable(new Map([["*", "any"], ["*.example.com", "wild"], ["api.example.com", "api"]]));
 * assert.deepEqual(find("api.example.com"), ["api", "wild", "any"]);
 * assert.deepEqual(find("a.b.example.com"), ["wild", "any"]);
 * assert.deepEqual(find("example.com"), ["any"]);
 * ```
 */
export function createHostTable<T>(values: ReadonlyMap<string, T>): HostTable<T> {
  const patterns = [...values.keys()];
  const known = new Map(patterns.map((pattern) => [pattern, listFor(pattern)]));
  const others = known.get("*") ?? [];
  if (patterns.every((pattern) => pattern === "*")) return () => others;

  const hasWildcards = patterns.some((pattern) => pattern.startsWith("*."));
  return (host) => known.get(host) ?? (hasWildcards ? known.get(nearestWildcard(host)) : undefined) ?? others;

  /** Returns the value of a pattern, and the values of all more general patterns. */
  function listFor(pattern: string): T[] {
    return [pattern, ...patternsOver(pattern)].flatMap((one) => {
      const value = values.get(one);
      return value === undefined ? [] : [value];
    });
  }

  function nearestWildcard(host: string): string {
    return patternsOver(host).find((wildcard) => known.has(wildcard)) ?? "*";
  }
}

/**
 * Returns the more general patterns that match a host, or all hosts of a pattern: `*.b.c`, `*.c` and `*` for `a.b.c`.
 */
export function patternsOver(host: string): string[] {
  const wildcards: string[] = [];
  const from = host.startsWith("*.") ? 2 : 0;
  for (let dot = host.indexOf(".", from); dot !== -1; dot = host.indexOf(".", dot + 1)) {
    wildcards.push(`*${host.slice(dot)}`);
  }
  return host === "*" ? wildcards : [...wildcards, "*"];
}

/** Tells whether some host matches patterns of both lists, such as `*.example.com` and `api.example.com`. */
export function shareHost(a: readonly string[], b: readonly string[]): boolean {
  return a.some((one) => b.some((other) => one === other || isWithin(one, other) || isWithin(other, one)));
}

function isWithin(host: string, pattern: string): boolean {
  return pattern === "*" || (pattern.startsWith("*.") && host.endsWith(pattern.slice(1)));
}
