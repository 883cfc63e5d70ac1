/**
 * Routes that only some requests may pass: when they may lead to their upstreams.
 *
 * @module
 */
import { closedRoute } from "../../../lib/cluster/protection/closed_route.ts";
import {
  type Acceptance,
  acceptanceOfPolicy,
  acceptanceOfRoute,
  type GatewayName,
  gatewayOfRoute,
} from "../../../lib/cluster/status/conditions.ts";
import { keyOfId, keyOfObject, type KubernetesObject } from "../../../lib/cluster/object.ts";
import { closedPolicy } from "../../../lib/cluster/translate/policies.ts";
import {
  CLOSED,
  decideChecked,
  decideProtection,
  type GroupDecision,
  type GroupMemory,
  isChecked,
  type ObservedGroup,
  openWith,
  PROTECTION_ANNOTATION,
  protectionOf,
} from "../../../lib/cluster/protection/protection.ts";
import type { Mocks, Protection, Rendering } from "../../../lib/cluster/translate/render.ts";
import { type FleetRef, qualifiedName } from "../../../lib/gateway/route.ts";
import type { Fleets } from "./fleet_reconciler.ts";
import { HTTP_ROUTE } from "./kinds.ts";
import type { OwnedObjects } from "./owned_objects.ts";
import { withFinalizer } from "./status_writer.ts";

/** What to do about the groups of an API, by the name of their route. */
export type Decisions = ReadonlyMap<string, GroupDecision>;

/** Decides on groups of routes, and remembers what for. */
export interface Groups {
  /** Decides on the groups of a rendering with all of them closed. */
  decide(key: string, rendering: Rendering, fleet: FleetRef, gateway: GatewayName): Promise<Decisions>;
  /** The objects of a rendering as they are to be applied: those of groups say what they are. */
  mark(rendering: Rendering, gateway: GatewayName, decisions: Decisions): KubernetesObject[];
  /** Closes a route that is to go, unless everybody may pass it; whether it can go. */
  close(key: string, route: KubernetesObject): Promise<boolean>;
  forget(route: KubernetesObject): void;
}

/** What deciding needs. */
export interface GroupsOptions {
  made: OwnedObjects;
  fleets: Fleets;
  mocks: Mocks;
  /** From a status until the proxies surely have what it speaks of, in milliseconds. */
  settleTime: number;
  /** Has a key reconciled later, in milliseconds. */
  addLater: (key: string, wait: number) => void;
}

/** What a route with checked requests is open with. */
const CHECKED = "checked";

/**
 * Makes what decides on groups during one term of leadership. Of earlier terms nothing is known: while another replica
 * led, it may have opened and closed the same group, with the same fingerprint.
 */
export function createGroups({ made, fleets, mocks, settleTime: settle, addLater }: GroupsOptions): Groups {
  /** What is remembered of closed groups, by the key of their route. */
  const memories = new Map<string, GroupMemory>();
  /** Since when a policy has requests checked, by fleet and namespace. */
  const checkedSince = new Map<string, { uids: string; since: number }>();

  return {
    async decide(key, { objects, protections }, fleet, gateway) {
      const decisions = new Map<string, GroupDecision>();
      const checked = objects.filter(isChecked);
      if (protections.length === 0 && checked.length === 0) return decisions;
      const drain = await fleets.drainOf(gateway);
      const desired = new Map(objects.map((object) => [keyOfObject(object), object]));
      for (const protection of protections) {
        const group = observe(protection, desired, gateway);
        decisions.set(protection.group, remember(keyOfId(protection.route), group, drain));
      }
      for (const { metadata: { namespace = "", name } } of checked) {
        decisions.set(name, checks(fleet, namespace, name, gateway, drain));
      }
      for (const { lookAgain } of decisions.values()) if (lookAgain !== undefined) addLater(key, lookAgain);
      return decisions;
    },
    mark({ objects, protections }, gateway, decisions) {
      const fingerprints = new Map(protections.map((one) => [one.group, fingerprintOf(one.fingerprint, gateway)]));
      const policies = new Map(
        protections.flatMap(({ group, policies }) => policies.map((id) => [keyOfId(id), group])),
      );
      return objects.map((object) => {
        // It stays in force until nothing depends on it.
        const group = policies.get(keyOfObject(object));
        if (group !== undefined) {
          return withFinalizer(decisions.get(group)?.isPutAside === true ? closedPolicy(object) : object);
        }
        const { name } = object.metadata;
        const decision = object.kind === HTTP_ROUTE.kind ? decisions.get(name) : undefined;
        if (decision === undefined) return object;
        if (decision.isOpen) {
          return withMark(object, openWith(fingerprints.get(name) ?? fingerprintOf(CHECKED, gateway)));
        }
        return withMark(isChecked(object) ? closedRoute(object, mocks) : object, CLOSED);
      });
    },
    async close(key, route) {
      const said = protectionOf(route);
      if (said === undefined || said === "") return true;
      if (said !== CLOSED) {
        await made.put(withMark(closedRoute(route, mocks), CLOSED));
        return false;
      }
      const gateway = gatewayOfRoute(route);
      if (gateway !== undefined && isShutOut(route, gateway)) return true;
      const { isSealed, lookAgain } = remember(keyOfObject(route), {
        fingerprint: "",
        route: said,
        routeAcceptance: gateway === undefined ? { kind: "pending" } : acceptanceOfRoute(route, gateway),
        policies: "different",
        policiesAcceptance: { kind: "pending" },
      }, 0);
      if (lookAgain !== undefined) addLater(key, lookAgain);
      return isSealed;
    },
    forget: (route) => void memories.delete(keyOfObject(route)),
  };

  function observe(
    protection: Protection,
    desired: ReadonlyMap<string, KubernetesObject>,
    gateway: GatewayName,
  ): ObservedGroup {
    const route = made.get(protection.route);
    const policies = protection.policies.map((id) => ({ present: made.get(id), wanted: desired.get(keyOfId(id)) }));
    const isSame = policies.every(({ wanted }) => wanted !== undefined && made.hasSpec(wanted));
    return {
      fingerprint: fingerprintOf(protection.fingerprint, gateway),
      route: protectionOf(route),
      routeAcceptance: route === undefined ? { kind: "pending" } : acceptanceOfRoute(route, gateway),
      policies: isSame ? "same" : policies.every(({ present }) => present === undefined) ? "none" : "different",
      policiesAcceptance: allOf(policies.map(({ present }) => present && acceptanceOfPolicy(present))),
    };
  }

  function remember(route: string, group: ObservedGroup, drain: number): GroupDecision {
    const decision = decideProtection(group, memories.get(route), { settle, drain }, performance.now());
    memories.set(route, decision.memory);
    return decision;
  }

  /** Requests of all routes of a namespace are checked by one policy: those come after it that it is in use for. */
  function checks(
    fleet: FleetRef,
    namespace: string,
    name: string,
    gateway: GatewayName,
    drain: number,
  ): GroupDecision {
    const place = `${qualifiedName(fleet)} ${namespace}`;
    const checks = fleets.checksOf(fleet, namespace);
    const acceptance = checks?.acceptance;
    const now = performance.now();
    const known = checkedSince.get(place);
    // While the gateway looks at a change of the policy, its earlier state is in use.
    const isInUse = known !== undefined && known.uids === checks?.uids && acceptance?.kind !== "refused";
    if (!isInUse) checkedSince.delete(place);
    if (!isInUse && checks?.acceptance.kind === "accepted") checkedSince.set(place, { uids: checks.uids, since: now });
    const { apiVersion, kind } = HTTP_ROUTE;
    return decideChecked(
      {
        fingerprint: fingerprintOf(CHECKED, gateway),
        route: protectionOf(made.get({ apiVersion, kind, namespace, name })),
        acceptance,
        since: checkedSince.get(place)?.since,
      },
      { settle, drain },
      now,
    );
  }
}

/** Whether a Gateway doesn't take a route's namespace: nobody reaches the route, and nothing more is said of it. */
function isShutOut(route: KubernetesObject, gateway: GatewayName): boolean {
  const acceptance = acceptanceOfRoute(route, gateway);
  return acceptance.kind === "refused" && acceptance.reason === "NotAllowedByListeners";
}

function withMark(object: KubernetesObject, value: string): KubernetesObject {
  const { metadata } = object;
  const annotations = { ...metadata.annotations, [PROTECTION_ANNOTATION]: value };
  return { ...object, metadata: { ...metadata, annotations } };
}

/** On another Gateway, what protects a group begins anew. */
function fingerprintOf(fingerprint: string, gateway: GatewayName): string {
  return `${fingerprint} ${qualifiedName(gateway)}`;
}

function allOf(acceptances: readonly (Acceptance | undefined)[]): Acceptance {
  const refused = acceptances.find((one) => one?.kind === "refused");
  if (refused !== undefined) return refused;
  return { kind: acceptances.every((one) => one?.kind === "accepted") ? "accepted" : "pending" };
}
