/**
 * Detects requests that an upstream may read as requests for another operation than the gateway does. Such a request
 * would bypass the authentication of that other operation. Requests are ambiguous only if conditions of path keys
 * (queries and headers) tell operations apart.
 *
 * @module
 */
import { connectionOptions } from "../../http/forward.ts";
import type { Problem } from "../../http/problem.ts";
import { decodeQueryText, splitTarget } from "../../http/url/url.ts";
import { compareConditions, type ConditionedRequest, type PathConditions } from "../../openapi/path_condition.ts";
import { isStricter, type PlannedRoute } from "../route.ts";
import { comparable } from "./upstream.ts";

/** The response to an ambiguous request. */
export const AMBIGUOUS_REQUEST: Problem = {
  title: "Bad Request",
  status: 400,
  detail: "The request fits several operations, which need different authentication. Send the queries and headers of " +
    "one operation only, each of them once.",
};

/** The most routes that are examined for a request. A request that may match more routes counts as ambiguous. */
const MOST_ROUTES = 8;

/**
 * Tells whether an upstream may read a request as a request for a disabled operation, or for an operation with other
 * authentication. This is possible in these cases:
 *
 * - The gateway doesn't forward a header, because `Connection` names it, or the upstream reads `_` in its name as `-`.
 * - A query has several values, and the upstream takes another value than the gateway: `?Action=List&Action=Delete`.
 * - The request fulfils the conditions of several operations, none of which has more conditions: `?list&delete`.
 *
 * @param route The route of the request.
 * @param find Finds the route of the request with other queries or headers.
 */
export function isAmbiguous(
  request: ConditionedRequest & Pick<Request, "headers">,
  route: PlannedRoute,
  find: (request: ConditionedRequest) => PlannedRoute | undefined,
): boolean {
  const forwarded = asForwarded(request.headers);
  let rest: ConditionedRequest = forwarded === undefined ? request : { url: request.url, headers: forwarded };
  let found = forwarded === undefined ? route : find(rest);
  let isRepeated = false;
  for (let count = 0; count < MOST_ROUTES; count++) {
    if (found === undefined) return false;
    const isAlternative = count === 0 || isRepeated || compareConditions(found.conditions, route.conditions) === 0;
    if (isAlternative && isStricter(found, route)) return true;
    const remaining = found.conditions && withoutDemanded(rest, found.conditions);
    if (remaining === undefined) return false;
    rest = remaining.request;
    isRepeated ||= remaining.isRepeated;
    found = find(rest);
  }
  return true;
}

/**
 * Returns the headers as an upstream may read them: without those that `Connection` names, and with `-` for `_` in
 * names. Returns `undefined` if an upstream can't read them differently.
 */
function asForwarded(headers: Headers): Headers | undefined {
  const dropped = connectionOptions(headers.get("connection") ?? "");
  const names = [...headers.keys()];
  if (!names.some((name) => dropped.has(name) || name.includes("_"))) return undefined;
  const forwarded = new Headers();
  // `Headers` iterates by name, so `x_user` comes after `x-user`, and its value is the one that stays.
  for (const [name, value] of headers) if (!dropped.has(name)) forwarded.set(comparable(name), value);
  return forwarded;
}

/**
 * Removes the queries and headers that conditions demand from a request; `undefined` if the conditions demand none.
 * `isRepeated` tells whether a demanded query also has another value.
 */
function withoutDemanded(
  { url, headers }: ConditionedRequest,
  conditions: PathConditions,
): { request: ConditionedRequest; isRepeated: boolean } | undefined {
  if (conditions.queries.length + conditions.headers.length === 0) return undefined;
  const { path, query } = splitTarget(url);
  let isRepeated = false;
  const pairs = query.split("&").filter((pair) => {
    const [name = "", value = ""] = pair.split(/=(.*)/s).map(decodeQueryText);
    const sameName = conditions.queries.filter((condition) => condition.name === name);
    const isDemanded = sameName.some((condition) => condition.value === undefined || condition.value === value);
    isRepeated ||= sameName.length > 0 && !isDemanded;
    return !isDemanded;
  });
  const demanded = new Set(conditions.headers.map(({ name }) => name));
  const others = headers && {
    get: (name: string) => demanded.has(name) ? null : headers.get(name),
    keys: () => headers.keys(),
  };
  return { request: { url: `http://localhost${path}?${pairs.join("&")}`, headers: others }, isRepeated };
}
