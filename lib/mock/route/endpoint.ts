/**
 * The routes of one path template, by method. Routes of one method differ in the conditions of their path keys.
 *
 * @module
 */
import { type ConditionedRequest, identityOf } from "../../openapi/path_condition.ts";
import { Alternatives, type Entry, type RequirementsOf } from "./alternatives.ts";

/** The first route of one method and path template. `alternatives` has the others. */
export interface EndpointSlot<T> extends Entry<T> {
  /** All routes of this method; absent if there is only one, without conditions. */
  alternatives: Alternatives<T> | undefined;
}

/** The routes of one path template, by method. */
export type Endpoint<T> = Map<string, EndpointSlot<T>>;

/** Why a request matches none of a path's routes. */
export interface Misses<T> {
  /** Methods that have a route whose conditions the request fulfils. */
  readonly allowed: Set<string>;
  /** Routes whose conditions the request doesn't fulfil. */
  readonly unmet: T[];
}

/** Limit of the routes in `Misses.unmet`. */
export const MOST_UNMET = 2_000;

/** Adds a route to an endpoint, unless an earlier route has the same method, conditions and label. */
export function addEntry<T>(
  endpoint: Endpoint<T>,
  method: string,
  entry: Entry<T>,
  requirementsOf: RequirementsOf<T>,
): void {
  const slot = endpoint.get(method);
  if (slot === undefined) {
    const alternatives = entry.conditions === undefined ? undefined : new Alternatives(requirementsOf);
    alternatives?.add(entry);
    endpoint.set(method, { ...entry, alternatives });
    return;
  }
  if (slot.alternatives === undefined) {
    if (entry.conditions === undefined) return;
    slot.alternatives = new Alternatives(requirementsOf);
    slot.alternatives.add(slot);
  }
  slot.alternatives.add(entry);
}

/**
 * Adds each route for all methods (`*`) that has conditions to the routes of every method, so that the route with the
 * most conditions wins: for `GET /a?b`, the route `* /a?b` before `GET /a`. A route for all methods without conditions
 * matches only methods that no other route has.
 */
export function addToAllMethods<T>(endpoint: Endpoint<T>, requirementsOf: RequirementsOf<T>): void {
  const entries = endpoint.get("*")?.alternatives?.entries ?? [];
  const demanding = entries.filter(({ conditions }) => identityOf(conditions) !== "");
  for (const method of endpoint.keys()) {
    if (method === "*") continue;
    for (const entry of demanding) addEntry(endpoint, method, entry, requirementsOf);
  }
}

/**
 * Finds the route of a method.
 *
 * @param misses Receives the reasons if no route is found.
 */
export function endpointEntry<T>(
  endpoint: Endpoint<T>,
  method: string,
  request: ConditionedRequest | undefined,
  misses: Misses<T> | undefined,
): Entry<T> | undefined {
  const entry = choose(endpoint.get(method), request) ??
    (method === "HEAD" ? choose(endpoint.get("GET"), request) : undefined) ?? choose(endpoint.get("*"), request);
  if (entry === undefined && misses !== undefined) addMisses(endpoint, request, misses);
  return entry;
}

export function choose<T>(
  slot: EndpointSlot<T> | undefined,
  request: ConditionedRequest | undefined,
): Entry<T> | undefined {
  return slot?.alternatives === undefined ? slot : slot.alternatives.find(request);
}

function addMisses<T>(
  endpoint: Endpoint<T>,
  request: ConditionedRequest | undefined,
  { allowed, unmet }: Misses<T>,
): void {
  for (const [method, slot] of endpoint) {
    if (choose(slot, request) !== undefined) allowed.add(method);
    else if (method !== "*") {
      for (const { route } of slot.alternatives?.entries ?? []) if (unmet.length < MOST_UNMET) unmet.push(route);
    }
  }
}
