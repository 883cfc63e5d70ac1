import { suggest } from "../../http/message.ts";
import type { Problem } from "../../http/problem.ts";
import {
  type Condition,
  type ConditionedRequest,
  demandsOf,
  readPathConditions,
  showCondition,
} from "../../openapi/path_condition.ts";
import { RequestFacts } from "../../openapi/request_facts.ts";
import type { Route } from "./router.ts";

/** A route, with those conditions of its path key that the request doesn't fulfil. */
export interface Unmet {
  readonly route: Route;
  readonly conditions: readonly Condition[];
}

/** Limit of the operations that the problem names. */
const MOST_SHOWN = 3;

/** Limit of the conditions that are compared with a request. Operations beyond it are left out. */
const MOST_COMPARED = 4_000;

/** Limit of the characters of a condition's value that is compared with values of the request. */
const LONGEST_COMPARED = 100;

/**
 * The problem for a request whose path has operations, but which lacks a query or header that each of them demands.
 *
 * @param path The path of the request.
 * @param routes The operations of the path.
 */
export function unmetConditions(
  request: ConditionedRequest & Pick<Request, "method">,
  path: string,
  routes: readonly Route[],
): Problem {
  const method = request.method === "HEAD" ? "GET" : request.method;
  const ofMethod = routes.filter((route) => route.method === method);
  const unmet = listUnmet(request, ofMethod.length > 0 ? ofMethod : routes);
  const needs = unmet.slice(0, MOST_SHOWN).map(({ route, conditions }) =>
    `${route.method} ${path} needs ${conditions.map(showCondition).join(" and ")}`
  );
  const others = (ofMethod.length > 0 ? ofMethod : routes).length - needs.length;
  const more = others > 0 ? `; and ${others} more` : "";
  const detail = `The request lacks a query or header that the definition's path demands: ${needs.join("; ")}${more}.`;
  return { title: "Not Found", status: 404, detail };
}

/**
 * The unfulfilled conditions of routes, the likeliest first: routes with a value that resembles a value of the request,
 * then routes with the fewest unfulfilled conditions.
 */
export function listUnmet(request: ConditionedRequest, routes: readonly Route[]): Unmet[] {
  const all: Unmet[] = [];
  let compared = 0;
  for (const route of routes) {
    if (compared > MOST_COMPARED) break;
    const conditions = route.conditions ?? readPathConditions(route.path);
    const demands = conditions === undefined ? [] : demandsOf(conditions);
    all.push({ route, conditions: demands });
    compared += demands.length;
  }
  const facts = new RequestFacts(request, new Set(namesOf(all, "query")));
  const unmet = all.map(({ route, conditions }): Unmet => (
    { route, conditions: conditions.filter((condition) => !facts.fulfils(condition)) }
  ));
  const near = nearValues(facts, unmet);
  const rank = ({ conditions }: Unmet): number => {
    const isNear = conditions.some(({ value }) => value !== undefined && near.has(value));
    return conditions.length - (isNear ? Infinity : 0);
  };
  return unmet.map((one) => ({ one, rank: rank(one) }))
    .sort((a, b) => a.rank === b.rank ? 0 : a.rank - b.rank)
    .map(({ one }) => one);
}

/** The values in conditions that resemble a value of the request. */
function nearValues(facts: RequestFacts, unmet: readonly Unmet[]): Set<string> {
  const headers = new Map(namesOf(unmet, "header").map((name) => [name, undefined]));
  const given = [...[...facts.queries.values()].flat(), ...facts.headersAmong(headers).map(([, value]) => value)];
  const values = unmet.flatMap(({ conditions }) => conditions.flatMap(({ value }) => value ?? []))
    .filter((value) => value.length <= LONGEST_COMPARED);
  return new Set(given.slice(0, MOST_SHOWN).flatMap((value) => suggest(value, values, MOST_SHOWN)));
}

function namesOf(unmet: readonly Unmet[], location: Condition["in"]): string[] {
  return unmet.flatMap(({ conditions }) => conditions.filter((one) => one.in === location).map(({ name }) => name));
}
