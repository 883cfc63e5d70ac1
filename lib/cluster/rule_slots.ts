/**
 * Changes the rules of an HTTPRoute so that no request reaches another upstream than its own, and none fails.
 *
 * Envoy Gateway (v1.9.0, internal/gatewayapi/helpers.go, `irRouteDestinationName`) names the Envoy clusters of a rule by
 * the index of the rule in its HTTPRoute, and sends clusters to Envoy before the routes that use them. So if a rule moves
 * to another index, requests reach the upstream of the rule that has its index now, until the routes arrive. Requests of
 * a rule whose index is gone, or whose cluster has no endpoints yet, get 503.
 *
 * So the rules have slots: a rule keeps its index whatever is added or removed beside it. A slot changes its upstream
 * only while no request matches it. It has these states:
 *
 * ```text
 *             ┌──> warming ──(in all proxies)──> active ──(the rule is removed)──> retiring ──(in all proxies)──┐
 *   free or appended                                                                                            v
 *             ^──────────────────────────────────────────────────────────────────────────────────────── free or dropped
 * ```
 *
 * A slot that is warming, retiring or free has a match that no request fulfils.
 *
 * @module
 */
import { isObject, type JsonObject } from "../schema/json/node.ts";
import { sortedJson } from "../gateway/hash.ts";
import { UNDECLARED_RULE } from "./names.ts";
import type { KubernetesObject } from "./object.ts";
import { desiredMetadata } from "./protection/protected_objects.ts";
import { ROUTE_LIMITS } from "./translate/gateway_api.ts";
import type { Mocks } from "./translate/rendering.ts";

/** The beginning of the paths of slots that no request matches. */
const UNMATCHED_PATH = "/.well-known/gw/unmatched/";

/**
 * A regular expression for a header that no request fulfils: it matches no character, and not the empty text. Envoy reads
 * patterns as Latin-1, so that a code point beyond 255 in it would have Envoy refuse all routes.
 */
const NOTHING = "[^\\s\\S]";

/** The beginning of the names of free slots. */
const FREE = "free.";

/** The next form of an HTTPRoute on its way from the present to the desired one. */
export interface SlotStep {
  readonly route: KubernetesObject;
  /**
   * `warming`: the present rules, with new ones that no request matches yet. `retiring`: the desired rules, with old ones
   * that no request matches any more. `final`: nothing is left to do.
   */
  readonly kind: "warming" | "retiring" | "final";
}

/** The state of the cluster on which the next step depends. */
export interface SlotContext {
  /** Tells whether all proxies have the present form of the HTTPRoute. */
  isSettled: () => boolean;
  /** Tells whether some present rule may serve requests of a match. */
  mayServe: (match: JsonObject) => boolean;
  mocks: Mocks;
}

/**
 * Computes the next form of an HTTPRoute.
 *
 * @param present The HTTPRoute in the cluster; `undefined` if there is none.
 * @param isClosed Whether the desired route sends all requests to the mocks, so that it needn't be warm.
 */
export function nextRoute(
  present: KubernetesObject | undefined,
  desired: KubernetesObject,
  isClosed: boolean,
  { isSettled, mayServe, mocks }: SlotContext,
): SlotStep {
  const before = rulesOf(present);
  const slots = assign(before, rulesOf(desired));
  const isCold = (rule: JsonObject, index: number): boolean => {
    const known = before[index];
    return (known === undefined || isUnmatched(known)) && matchesOf(rule).some(mayServe);
  };
  const cold = isClosed ? [] : slots.flatMap((rule, index) => rule !== undefined && isCold(rule, index) ? [index] : []);
  if (cold.length > 0) {
    const isWarm = cold.every((index) => isWarmFor(before[index], slots[index])) && isSettled();
    const rules = slots.map((rule, index) => {
      const known = before[index];
      return rule !== undefined && (known === undefined || cold.includes(index))
        ? unmatched(desired, rule)
        : known ?? rule;
    }).filter((rule) => rule !== undefined);
    if (!isWarm && fits(rules)) return { kind: "warming", route: withRules(present ?? desired, rules) };
  }
  let isRetiring = false;
  const rules = slots.map((rule, index): JsonObject => {
    if (rule !== undefined) return rule;
    const known = before[index] ?? {};
    if (isFree(known) || (isUnmatched(known) && isSettled())) return unmatched(desired, freeSlot(index, mocks));
    isRetiring = true;
    return unmatched(desired, known);
  });
  while (isFree(rules.at(-1) ?? {})) rules.pop();
  // More slots than an HTTPRoute may have: it gets its rules at once, as a new one does.
  if (!fits(rules)) return { kind: "final", route: desired };
  return { kind: isRetiring ? "retiring" : "final", route: { ...desired, spec: { ...specOf(desired), rules } } };
}

/** Returns an HTTPRoute that no request matches any more. Its clusters stay until it is removed. */
export function retiredRoute(route: KubernetesObject): KubernetesObject {
  return withRules(route, rulesOf(route).map((rule) => unmatched(route, rule)));
}

/** Tells whether no request matches an HTTPRoute. */
export function isRetired(route: KubernetesObject): boolean {
  const rules = rulesOf(route);
  return rules.length > 0 && rules.every(isUnmatched);
}

/**
 * Returns a rule that no request matches, with the same upstreams. Its match differs from those of all other rules, since
 * Envoy Gateway reports equal matches as a problem.
 */
export function unmatched(
  { metadata: { namespace = "", name } }: Pick<KubernetesObject, "metadata">,
  rule: JsonObject,
): JsonObject & { matches: JsonObject[] } {
  const path = { type: "Exact", value: `${UNMATCHED_PATH}${namespace}/${name}/${rule["name"]}` };
  const headers = [{ type: "RegularExpression", name: "x-svc-unmatched", value: NOTHING }];
  return { ...rule, matches: [{ path, headers }] };
}

/** Tells whether no request fulfils a match. */
export function isUnmatchedMatch({ path }: JsonObject): boolean {
  return isObject(path) && String(path["value"]).startsWith(UNMATCHED_PATH);
}

/**
 * Makes a function that tells whether one of these routes may serve requests of a match: it has the same match, or one
 * whose path is a pattern. Rules for undeclared requests don't count, since they answer 404 or 405.
 */
export function servedBy(routes: readonly KubernetesObject[]): (match: JsonObject) => boolean {
  const exact = new Set<string>();
  const patterns: JsonObject[] = [];
  for (const match of routes.flatMap(rulesOf).filter(({ name }) => name !== UNDECLARED_RULE).flatMap(matchesOf)) {
    if (isUnmatchedMatch(match)) continue;
    exact.add(keyOf(match));
    if (Object(match["path"]).type !== "Exact") patterns.push(match);
  }
  return (match) =>
    exact.has(keyOf(match)) ||
    patterns.some(({ method }) => method === undefined || match["method"] === undefined || method === match["method"]);
}

/**
 * Assigns rules to slots. A rule gets the slot of its name, else one with its upstreams, else a free one, else a new one
 * at the end. `undefined` stands for slots whose rule is gone.
 */
function assign(before: readonly JsonObject[], rules: readonly JsonObject[]): (JsonObject | undefined)[] {
  const slots: (JsonObject | undefined)[] = before.map(() => undefined);
  const isFound = (find: (rule: JsonObject) => number) => (rule: JsonObject): boolean => {
    const index = find(rule);
    if (index === -1) return false;
    slots[index] = rule;
    return true;
  };
  const indexOf = (test: (known: JsonObject) => boolean): number =>
    before.findIndex((known, index) => slots[index] === undefined && test(known));
  const byName = isFound(({ name }) => indexOf((known) => known["name"] === name));
  const byUpstreams = isFound((rule) => indexOf((known) => isWarmFor(known, rule)));
  const anyFree = isFound(() => indexOf(isFree));
  const added = rules.filter((rule) => !byName(rule)).filter((rule) => !byUpstreams(rule)).filter((rule) =>
    !anyFree(rule)
  );
  return [...slots, ...added];
}

/** Tells whether a slot has the upstreams of a rule, so that Envoy has its cluster already. */
function isWarmFor(known: JsonObject | undefined, rule: JsonObject | undefined): boolean {
  return known !== undefined && rule !== undefined && !isFree(known) && upstreamsOf(known) === upstreamsOf(rule);
}

/** Returns the upstreams of a rule as a key, with the defaults that the API server writes. */
function upstreamsOf({ backendRefs }: JsonObject): string {
  const list = Array.isArray(backendRefs) ? backendRefs.filter(isObject) : [];
  return sortedJson(list.map(({ group = "", kind = "Service", namespace = "", name, port, weight = 1 }) => [
    group,
    kind,
    namespace,
    name,
    port,
    weight,
  ]));
}

function freeSlot(index: number, { name, namespace, port }: Mocks): JsonObject {
  return { name: `${FREE}${index}`, backendRefs: [{ name, namespace, port }] };
}

function isFree({ name }: JsonObject): boolean {
  return typeof name === "string" && name.startsWith(FREE);
}

function isUnmatched(rule: JsonObject): boolean {
  const matches = matchesOf(rule);
  return matches.length > 0 && matches.every(isUnmatchedMatch);
}

function fits(rules: readonly JsonObject[]): boolean {
  return rules.length <= ROUTE_LIMITS.rules &&
    rules.reduce((sum, rule) => sum + matchesOf(rule).length, 0) <= ROUTE_LIMITS.matches;
}

function withRules(route: KubernetesObject, rules: readonly JsonObject[]): KubernetesObject {
  const { apiVersion, kind, metadata } = route;
  return { apiVersion, kind, metadata: desiredMetadata(metadata), spec: { ...specOf(route), rules: [...rules] } };
}

function keyOf({ path, method, headers, queryParams }: JsonObject): string {
  const { type = "PathPrefix", value = "/" } = isObject(path) ? path : {};
  return sortedJson([type, value, method ?? null, headers ?? [], queryParams ?? []]);
}

function specOf({ spec }: KubernetesObject): JsonObject {
  return isObject(spec) ? spec : {};
}

function rulesOf(route: KubernetesObject | undefined): JsonObject[] {
  const rules = route && specOf(route)["rules"];
  return Array.isArray(rules) ? rules.filter(isObject) : [];
}

function matchesOf({ matches }: JsonObject): JsonObject[] {
  return Array.isArray(matches) ? matches.filter(isObject) : [];
}
