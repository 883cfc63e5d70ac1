import { ROUTE_LIMITS } from "./http_route.ts";

/** Whether some host is meant by both: `*`, `*.example.com` and `api.example.com` each with the next. */
export function shareHost(a: readonly string[], b: readonly string[]): boolean {
  return a.some((one) => b.some((other) => one === other || isWithin(one, other) || isWithin(other, one)));
}

function isWithin(host: string, pattern: string): boolean {
  return pattern === "*" || (pattern.startsWith("*.") && host.endsWith(pattern.slice(1)));
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
