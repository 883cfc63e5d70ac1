/**
 * The routes of one path template, by method. The conditions of path keys tell the routes of one method apart.
 *
 * @module
 */
import { type ConditionedRequest, identityOf } from "../openapi/path_condition.ts";
import { ConditionalRoutes } from "./conditional_routes.ts";
import type { Entry, RequirementsOf } from "./labelled_routes.ts";

/** The first route of one method and template, with its alternatives. */
export interface Slot<T> extends Entry<T> {
  /**
   * All routes of the slot, to choose from by conditions; absent if the slot has only one route, without conditions.
   */
  alternatives: ConditionalRoutes<T> | undefined;
}

/** The routes of one template, by method. */
export type Endpoint<T> = Map<string, Slot<T>>;

/** The methods and routes of a path, for a request that matches none of the routes. */
export interface Misses<T> {
  /** Methods that have a route whose conditions the request fulfils. */
  readonly allowed: Set<string>;
  /** Routes whose conditions the request doesn't fulfil. */
  readonly unmet: T[];
}

/** The most routes with unfulfilled conditions that a match lists. */
export const MOST_UNMET = 2_000;

/** Adds a route to an endpoint, unless an earlier one has the same method, conditions and label. */
export function addEntry<T>(
  endpoint: Endpoint<T>,
  method: string,
  entry: Entry<T>,
  requirementsOf: RequirementsOf<T>,
): void {
  const slot = endpoint.get(method);
  if (slot === undefined) {
    const alternatives = entry.conditions === undefined ? undefined : new ConditionalRoutes(requirementsOf);
    alternatives?.add(entry);
    endpoint.set(method, { ...entry, alternatives });
    return;
  }
  if (slot.alternatives === undefined) {
    if (entry.conditions === undefined) return;
    slot.alternatives = new ConditionalRoutes(requirementsOf);
    slot.alternatives.add(slot);
  }
  slot.alternatives.add(entry);
}

/**
 * Adds the routes for all methods (`*`) that have conditions to the routes of each method, so that the route with the
 * most conditions wins there. A route for all methods without conditions is only for methods that no other route has.
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
 * @param misses If no route is found, receives the methods that the template has for such a request, and the routes
 * whose conditions the request doesn't fulfil.
 */
export function entryOf<T>(
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

/** The route of a slot whose conditions the request fulfils. */
export function choose<T>(slot: Slot<T> | undefined, request: ConditionedRequest | undefined): Entry<T> | undefined {
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
