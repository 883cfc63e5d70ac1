/**
 * Refuses conditions of path keys that rules of a gateway can't express.
 *
 * @module
 */
import { labelOf, type RouteAccess } from "./access.ts";
import { areCompatible, areContrary, conditionMatchOf } from "./condition_match.ts";
import { nodeOf, type RefuseSetting } from "./refuse.ts";
import type { RenderContext } from "./rendering.ts";
import { type RouteEntry, shareMethod } from "./route_entry.ts";
import type { RuleContent } from "./rule.ts";
import { type PlannedRoute, showRoutePath } from "../../gateway/route.ts";
import { compareConditions, type Condition, identityOf } from "../../openapi/path_condition.ts";

/** The entry of a route that is an operation. */
type OperationEntry = RouteEntry & { readonly route: PlannedRoute };

/**
 * The most pairs of operations that are compared, for all paths together. This is enough for about 1,000 operations of
 * one path.
 */
const MOST_PAIRS = 500_000;

const TOO_MANY_PAIRS =
  "Too many operations differ by conditions of their paths alone: a cluster compares every two of " +
  `a path, at most ${MOST_PAIRS.toLocaleString("en")} pairs. Divide the definition.`;

/** Refuses a route whose conditions no match can express. */
export function refuseConditions(route: PlannedRoute, { profile }: RenderContext, refuse: RefuseSetting): void {
  const match = conditionMatchOf(route.conditions, profile);
  if (typeof match !== "string") return;
  const hint = profile === "portable" ? " Use a fleet with the profile `envoy-gateway`." : "";
  refuse(nodeOf(route), `No rule of a gateway can match the path \`${showRoutePath(route)}\`: ${match}.${hint}`);
}

/**
 * Refuses the later of two operations of one path in two cases: a gateway would prefer the wrong one, or a client could
 * bypass the authentication of one of them.
 *
 * @param routes The routes in the order of the definition.
 */
export function refuseConditionPairs(
  entries: readonly RouteEntry[],
  routes: readonly PlannedRoute[],
  refuse: RefuseSetting,
): void {
  const order = new Map(routes.map((route, index) => [route, index]));
  const orderOf = ({ route }: OperationEntry): number => order.get(route) ?? 0;
  const operations = entries.filter((entry): entry is OperationEntry => entry.route !== undefined)
    .sort((a, b) => orderOf(a) - orderOf(b));
  let pairs = 0;
  for (const alike of Map.groupBy(operations, ({ pattern }) => pattern.shape).values()) {
    if (alike.length < 2 || alike.every(({ conditions }) => conditions === undefined)) continue;
    if (new Set(alike.map(keyOf)).size < 2) continue;
    for (const [index, later] of alike.entries()) {
      for (const earlier of alike.slice(0, index)) {
        if (++pairs > MOST_PAIRS) return refuse(nodeOf(later.route), TOO_MANY_PAIRS);
        const message = reasonOf(earlier, later);
        if (message === undefined) continue;
        refuse(nodeOf(later.route), message);
        // An operation is refused only once, even if it conflicts with hundreds of others.
        break;
      }
    }
  }
}

function keyOf({ content, access }: RouteEntry): string {
  return `${labelOf(access)} ${content.key}`;
}

/** Returns the reason why two operations of one path can't both have rules; `undefined` if they can. */
function reasonOf(earlier: OperationEntry, later: OperationEntry): string | undefined {
  if (!shareMethod(earlier.methods, later.methods) || keyOf(earlier) === keyOf(later)) return undefined;
  const both = `\`${showRoutePath(earlier.route)}\` and \`${showRoutePath(later.route)}\``;
  if (allowsBypass(earlier, later)) {
    return `In a cluster, ${both} need the same \`auth\`: a client could write the query or the headers so that the ` +
      "gateway finds one of them and the upstream the other.";
  }
  if (!areCompatible(earlier.conditions, later.conditions)) return undefined;
  if (identityOf(earlier.conditions) === identityOf(later.conditions)) {
    if (later.conditions === undefined && earlier.conditions === undefined) return undefined;
    return `A gateway can't tell ${both} apart. Give both the same action and settings.`;
  }
  const order = Math.sign(compareConditions(earlier.conditions, later.conditions)) || -1;
  if (Math.sign(compareInGateway(earlier, later)) === order) return undefined;
  return `Some requests fit both ${both}, and a gateway doesn't prefer the one that the definition does: it compares ` +
    "the number of headers first, then that of queries. Give both the same action and settings, or one of them " +
    "further conditions.";
}

/**
 * Tells whether a client could bypass the authentication of one of two operations with different access and the same
 * backend. This is so if the gateway can take a request for the other operation, while the upstream takes it for the
 * protected one: Envoy compares only the first of repeated queries, without decoding it, and an upstream may use
 * another. Different values of one header are safe, because a request with both values matches neither operation.
 */
function allowsBypass(one: OperationEntry, other: OperationEntry): boolean {
  const isProtected = (access: RouteAccess): boolean => access.kind === "protected";
  if (one.isDisabled || other.isDisabled || labelOf(one.access) === labelOf(other.access)) return false;
  if (!isProtected(one.access) && !isProtected(other.access)) return false;
  if (!shareBackend(one.content, other.content)) return false;
  return !areContrary(one.conditions?.headers ?? [], other.conditions?.headers ?? []);
}

function shareBackend({ backendRefs: a }: RuleContent, { backendRefs: b }: RuleContent): boolean {
  return a.some(({ kind, namespace, name }) =>
    b.some((other) => other.kind === kind && other.namespace === namespace && other.name === name)
  );
}

/**
 * Compares two entries by the precedence of the Gateway API: more headers first, then more queries. Returns 0 if the
 * Gateway API leaves the order open.
 */
function compareInGateway({ conditions: a }: RouteEntry, { conditions: b }: RouteEntry): number {
  const headers = countNames(b?.headers) - countNames(a?.headers);
  return headers !== 0 ? headers : countNames(b?.queries) - countNames(a?.queries);
}

/** Counts the names in conditions, since a match has one item for each name. */
function countNames(conditions: readonly Condition[] = []): number {
  return conditions.length < 2 ? conditions.length : new Set(conditions.map(({ name }) => name)).size;
}
