/**
 * Rolls out the HTTPRoutes of an API or static route in steps, so that no request reaches another upstream than its own,
 * and none fails: see lib/cluster/rule_slots.ts.
 *
 * @module
 */
import { idOf, keyOfObject, type KubernetesObject } from "../../../lib/cluster/object.ts";
import {
  CLOSED,
  closedRoute,
  protectionOf,
  withProtection,
} from "../../../lib/cluster/protection/protected_objects.ts";
import { isRetired, nextRoute, retiredRoute, servedBy, type SlotStep } from "../../../lib/cluster/rule_slots.ts";
import { acceptanceOfRoute, type GatewayName, gatewayOfRoute } from "../../../lib/cluster/status/conditions.ts";
import { qualifiedName } from "../../../lib/gateway/route.ts";
import { isRoute } from "./kinds.ts";
import { isTerminating } from "./owned_objects.ts";
import type { SettlingRecord, Term } from "./term.ts";

/**
 * The longest time for which a step waits until the gateway has processed the step before, in milliseconds. A gateway
 * that writes no status may serve the routes all the same.
 */
const MAX_PROCESSING = 10_000;

/** The next step of a rollout. */
export interface Rollout {
  /** The HTTPRoutes to write, in place of the desired ones. */
  readonly routes: readonly KubernetesObject[];
  /**
   * Whether new rules are being prepared, while the present ones serve all requests. Until that is done, no other object
   * of the API or static route may change.
   */
  readonly isWarming: boolean;
  /** Whether the step is the last one. Else the owner is reconciled again. */
  readonly isFinal: boolean;
}

/**
 * Computes the next step from the present to the desired HTTPRoutes of an API or static route.
 *
 * @param key The key of the API or static route.
 */
export function nextStep(
  term: Term,
  key: string,
  desired: readonly KubernetesObject[],
  gateway: GatewayName,
): Rollout {
  const { owned, mocks } = term;
  let served: ReturnType<typeof servedBy> | undefined;
  const mayServe: ReturnType<typeof servedBy> = (match) =>
    (served ??= servedBy(owned.ofOwner(key).filter(isRoute)))(match);
  const steps = desired.map((route): SlotStep & { present: KubernetesObject | undefined } => {
    const present = presentOf(term, route);
    const isSettled = (): boolean => present !== undefined && isInAllProxies(term, key, present, gateway);
    const isClosed = protectionOf(route) === CLOSED;
    return { present, ...nextRoute(present, route, isClosed, { isSettled, mayServe, mocks }) };
  });
  const isWarming = steps.some(({ kind }) => kind === "warming");
  if (!isWarming) {
    return { routes: steps.map(({ route }) => route), isWarming, isFinal: steps.every(({ kind }) => kind === "final") };
  }
  // The present routes go on serving until the new rules are warm. A route that must be closed is closed at once.
  const routes = steps.flatMap(({ kind, route, present }) => {
    if (present === undefined || kind === "warming") return [route];
    const mustClose = protectionOf(route) === CLOSED && protectionOf(present) !== CLOSED &&
      protectionOf(present) !== "";
    return mustClose ? [withProtection(closedRoute(present, mocks), CLOSED)] : [];
  });
  return { routes, isWarming, isFinal: false };

  function presentOf({ owned }: Term, route: KubernetesObject): KubernetesObject | undefined {
    const present = owned.get(idOf(route));
    const place = present === undefined || isTerminating(present) ? undefined : gatewayOfRoute(present);
    // On another Gateway, the rules of the route have other clusters.
    return place !== undefined && qualifiedName(place) === qualifiedName(gateway) ? present : undefined;
  }
}

/**
 * Removes an HTTPRoute that isn't guarded. First it loses its matches, so that its clusters are there as long as proxies
 * send requests to them.
 *
 * @returns Whether it is removed; else its owner is reconciled again.
 */
export async function retire(term: Term, key: string, route: KubernetesObject): Promise<boolean> {
  const gateway = gatewayOfRoute(route);
  if (gateway === undefined) return true;
  if (!isRetired(route)) {
    await term.owned.put(retiredRoute(route));
    const retired = term.owned.get(idOf(route));
    if (retired !== undefined) isInAllProxies(term, key, retired, gateway);
    return false;
  }
  return isInAllProxies(term, key, route, gateway);
}

/** Tells whether all proxies have the present generation of a route. If not, its owner is reconciled when they have. */
function isInAllProxies(
  { classes, settling, settleTime, requeue }: Term,
  key: string,
  route: KubernetesObject,
  gateway: GatewayName,
): boolean {
  const name = keyOfObject(route);
  const { uid, generation } = route.metadata;
  const now = performance.now();
  const last = settling.get(name);
  const isKnown = last !== undefined && last.uid === uid && last.generation === generation;
  const known: SettlingRecord = isKnown ? last : { uid, generation, seen: now };
  const isProcessed = acceptanceOfRoute(route, classes.withController(gateway)).kind !== "pending";
  const processed = known.processed ?? (isProcessed ? now : undefined);
  settling.set(name, processed === undefined ? known : { ...known, processed });
  const left = processed === undefined ? known.seen + MAX_PROCESSING - now : processed + settleTime - now;
  if (left <= 0) return true;
  requeue.addLater(key, left);
  return false;
}
