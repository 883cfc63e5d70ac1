import { ROUTE_LIMITS } from "./http_route.ts";

/** Whether some host is meant by both: `*`, `*.example.com` and `api.example.com` each with the next. */
export function shareHost(a: readonly string[], b: readonly string[]): boolean {
  return a.some((one) => b.some((other) => one === other || isWithin(one, other) || isWithin(other, one)));
}

function isWithin(host: string, pattern: string): boolean {
  return pattern === "*" || (pattern.startsWith("*.") && host.endsWith(pattern.slice(1)));
}

/** The patterns that mean a host, or all that a pattern means, beside itself: `*.b.c`, `*.c` and `*` for `a.b.c`. */
export function patternsOver(host: string): string[] {
  if (host === "*") return [];
  const labels = host.split(".").slice(1);
  return [...labels.map((_, index) => `*.${labels.slice(index).join(".")}`).filter((pattern) => pattern !== host), "*"];
}

/** The hosts as lists for one route each; an empty list is for any host. */
export function hostnameLists(hosts: readonly string[]): string[][] {
  const named = hosts.filter((host) => host !== "*");
  const lists: string[][] = named.length === hosts.length ? [] : [[]];
  for (let start = 0; start < named.length; start += ROUTE_LIMITS.hostnames) {
    lists.push(named.slice(start, start + ROUTE_LIMITS.hostnames));
  }
  return lists;
}
