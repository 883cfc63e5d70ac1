import { HEADERS } from "../names.ts";
import type { RoutePlan } from "../../gateway/route.ts";
import { isToken } from "../../http/token.ts";
import { listParameters } from "../../openapi/parameter.ts";
import { child, entries, stringOf } from "../../schema/node.ts";
import { follow } from "../../schema/reference.ts";

/** Headers that a server which decides on requests is told, beside those that the definition names. */
export const TOLD_HEADERS: readonly string[] = [
  "accept",
  "authorization",
  "content-encoding",
  "content-type",
  "cookie",
  "origin",
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-request-id",
];

/** Headers that are the gateway's own, whatever a definition says. */
const OWN_HEADERS: ReadonlySet<string> = new Set<string>(Object.values(HEADERS));

/** Headers as a list for a policy: each once, in the order of the alphabet. */
export function headerList(names: Iterable<string>): string[] {
  const all = new Set([...TOLD_HEADERS, ...[...names].map((name) => name.toLowerCase())]);
  return [...all].filter((name) => !OWN_HEADERS.has(name) && isToken(name)).sort();
}

/** The headers that the operations of a plan whose requests are checked describe: parameters and API keys. */
export function checkedHeaders({ routes, document }: RoutePlan): Set<string> {
  const names = new Set<string>();
  const operations = routes.flatMap(({ operation, settings: { validation } }) =>
    operation !== undefined && validation?.request?.enabled === true ? [operation] : []
  );
  for (const operation of operations) {
    for (const parameter of listParameters(operation)) {
      if (parameter.in === "header") names.add(parameter.name.toLowerCase());
    }
  }
  if (operations.length === 0) return names;
  for (const [, written] of entries(child(child(document.root, "components"), "securitySchemes"))) {
    const scheme = follow(document, written);
    const name = stringOf(child(scheme, "name"));
    if (name !== undefined && stringOf(child(scheme, "in")) === "header") names.add(name.toLowerCase());
  }
  return names;
}

/** Headers that a server which decides gives the upstream: each once. */
export function givenHeaders(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.toLowerCase()))];
}
