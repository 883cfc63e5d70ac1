/**
 * Orders the changes of HTTPRoutes so that no request of a guarded route is served by an open one. The path template of
 * an open route may match the paths of a guarded route (one that not every request may pass). So guarded routes are
 * added before open routes, and removed after them.
 *
 * @module
 */
import { isObject, type JsonObject } from "../../schema/json/node.ts";
import { sortedJson } from "../../gateway/hash.ts";
import type { KubernetesObject } from "../object.ts";
import { isUnmatchedMatch, unmatched } from "../rule_slots.ts";
import { desiredMetadata, isGuarded } from "./protected_objects.ts";

/** A change of an HTTPRoute: create or replace it, or remove it. */
export type RouteStep =
  | { kind: "put"; route: KubernetesObject }
  | { kind: "remove"; route: KubernetesObject };

/**
 * Returns the steps from the present to the desired routes of an API or static route. The steps of a list may be done
 * at the same time; each list waits for the one before. Routes that are no longer desired are not removed here, but
 * later.
 */
export function orderRoutes(
  present: readonly KubernetesObject[],
  desired: readonly KubernetesObject[],
): RouteStep[][] {
  const before = new Map(present.map((route) => [route.metadata.name, route]));
  const open = desired.filter((route) => !isGuarded(route));
  const openKeys = union(open);
  const guardedKeys = union(desired.filter(isGuarded));
  const early: KubernetesObject[] = [];
  const leaving: KubernetesObject[] = [];
  const late: KubernetesObject[] = [];
  for (const route of desired.filter(isGuarded)) {
    const known = before.get(route.metadata.name);
    const had = known === undefined || !isGuarded(known) ? new Set<string>() : coverageOf(known);
    const lost = had.difference(guardedKeys);
    const isMoreOpen = lost.isSubsetOf(openKeys) && coverageOf(route).isSubsetOf(had);
    (lost.size === 0 ? early : isMoreOpen ? late : leaving).push(route);
  }
  const growing = open.filter((route) => !coverageOf(route).isSubsetOf(coverageOf(before.get(route.metadata.name))));
  const reduced = leaving.length === 0 ? [] : reduceAll(present.filter((route) => !isGuarded(route)), openKeys);
  return [
    early.map(put),
    // A guarded route is about to lose matches. Open routes that match these requests, too, lose those matches first
    // that no desired open route has.
    reduced,
    leaving.map(put),
    growing.map(put),
    open.filter((route) => !growing.includes(route)).map(put),
    late.map(put),
  ].filter((steps) => steps.length > 0);
}

/** Returns the requests that a route matches, as keys: each match with each host and each Gateway. */
export function coverageOf(route: KubernetesObject | undefined): Set<string> {
  const spec = isObject(route?.spec) ? route.spec : {};
  const parents = listOf(spec["parentRefs"]).map(({ namespace, name }) => `${namespace ?? ""}/${name}`);
  const hosts = Array.isArray(spec["hostnames"]) ? spec["hostnames"].map(String) : ["*"];
  const matches = listOf(spec["rules"]).flatMap(matchesOf).filter((match) => !isUnmatchedMatch(match)).map(keyOfMatch);
  return new Set(
    parents.flatMap((parent) => hosts.flatMap((host) => matches.map((match) => `${parent} ${host} ${match}`))),
  );
}

/** Removes the matches that no desired open route has from open routes. */
function reduceAll(open: readonly KubernetesObject[], kept: ReadonlySet<string>): RouteStep[] {
  return open.flatMap((route): RouteStep[] => {
    const coverage = coverageOf(route);
    if (coverage.isSubsetOf(kept)) return [];
    const reduced = reduce(route, kept);
    return [reduced === undefined ? { kind: "remove", route } : put(reduced)];
  });
}

/** Returns a route with only the matches that are in `kept` for all its hosts; `undefined` if none is left. */
function reduce(route: KubernetesObject, kept: ReadonlySet<string>): KubernetesObject | undefined {
  const spec = isObject(route.spec) ? route.spec : {};
  const rules = listOf(spec["rules"]).map((rule) => {
    const matches = matchesOf(rule).filter((match) => {
      const one = { ...route, spec: { ...spec, rules: [{ matches: [match] }] } };
      return coverageOf(one).isSubsetOf(kept);
    });
    // The rule keeps its slot, so that the index of no other rule changes.
    return matches.length === 0 ? unmatched(route, rule) : { ...rule, matches };
  });
  if (rules.every(({ matches }) => matches.every(isUnmatchedMatch))) return undefined;
  const { apiVersion, kind, metadata } = route;
  return { apiVersion, kind, metadata: desiredMetadata(metadata), spec: { ...spec, rules } };
}

function union(routes: readonly KubernetesObject[]): Set<string> {
  return new Set(routes.flatMap((route) => [...coverageOf(route)]));
}

function put(route: KubernetesObject): RouteStep {
  return { kind: "put", route };
}

/** Returns the matches of a rule. A rule without matches takes every request. */
function matchesOf({ matches }: JsonObject): JsonObject[] {
  const list = listOf(matches);
  return list.length === 0 ? [{}] : list;
}

/** Returns a match as a key, with its defaults: the API server writes them, but a desired match may lack them. */
function keyOfMatch({ path, method, headers, queryParams }: JsonObject): string {
  const { type = "PathPrefix", value = "/" } = isObject(path) ? path : {};
  const queries = listOf(queryParams).map(withDefaultType);
  const key = `${method ?? "*"} ${type} ${value} ${sortedJson(listOf(headers).map(withDefaultType))}`;
  return queries.length === 0 ? key : `${key} ${sortedJson(queries)}`;
}

function withDefaultType({ type = "Exact", name, value }: JsonObject): JsonObject {
  return { type, name, value };
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
