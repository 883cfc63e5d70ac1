/**
 * Decides when a group may lead to its upstreams. A group is the routes of a guarded HTTPRoute (one that not every
 * request may pass) with the policies that protect them. Until then the group is closed: gw answers 503.
 *
 * Envoy Gateway sends a route and the policy that protects it to Envoy separately, so either may arrive first.
 * Connections that were opened before have their earlier configuration until they are drained. So each group is a state
 * machine:
 *
 * ```text
 * absent ───> closing ───(settled)───> closed ───(policies written)───> securing ───(accepted)───> draining ───> open
 *                ^                       │ ^                               │                                      │
 *                │                       v │                               │                                      │
 *                │                      paused <───(no answer from the provider of a login)                       │
 *                └────────────────────────────(protection changes, or a policy is refused)────────────────────────┘
 * ```
 *
 * An annotation of the route in the cluster records whether the group is closed or open, and with which protection:
 * after a restart the controller reads it there. A group whose route only has request validation uses the shared policy
 * of its namespace. It needs no policies of its own, and opens as soon as the shared policy is in force for all
 * connections.
 *
 * @module
 */
import { type Backoff, waitAfter } from "../../http/backoff.ts";
import type { Acceptance } from "../status/conditions.ts";
import type { ProtectionTimes } from "./drain.ts";
import { CLOSED, openWith } from "./protected_objects.ts";

/** The state of a group. */
export type GroupState = "absent" | "closing" | "closed" | "paused" | "securing" | "draining" | "open";

/** The permissions of a state. */
export interface Permissions {
  /** The routes may lead to their upstreams. */
  readonly isOpen: boolean;
  /** The policies may be written: no open route depends on the present ones. */
  readonly mayChangePolicies: boolean;
  /** The routes may be deleted: they are closed in all proxies. */
  readonly mayDeleteRoutes: boolean;
}

const NOTHING: Permissions = { isOpen: false, mayChangePolicies: false, mayDeleteRoutes: false };

/** The permissions of each state. */
export const PERMISSIONS: Readonly<Record<GroupState, Permissions>> = {
  /** Neither routes nor policies are in the cluster. */
  absent: { ...NOTHING, mayChangePolicies: true },
  /** The closed routes are being sent to the proxies, and may not have reached all of them. */
  closing: NOTHING,
  /** The closed routes are in all proxies; the policies are to be written. */
  closed: { ...NOTHING, mayChangePolicies: true, mayDeleteRoutes: true },
  /**
   * The policies are replaced for a while by closed ones, which refuse all requests and have no login. Envoy Gateway
   * asks the provider of a login at each change in the cluster, and delays all other changes until the provider
   * answers. The policies are written again at the end of the pause, because without a change Envoy Gateway never asks
   * again.
   */
  paused: { ...NOTHING, mayChangePolicies: true, mayDeleteRoutes: true },
  /** The policies are written; the gateway has not accepted them yet. */
  securing: { ...NOTHING, mayDeleteRoutes: true },
  /** The policies are accepted. Connections that were opened before they were in force are being drained. */
  draining: { ...NOTHING, mayDeleteRoutes: true },
  open: { isOpen: true, mayChangePolicies: true, mayDeleteRoutes: false },
};

/** A group as it is in the cluster, compared with what is desired. */
export interface ObservedGroup {
  /** The hash of the desired protection. */
  readonly fingerprint: string;
  /** The value of the protection annotation on its route; empty without the annotation, `undefined` without a route. */
  readonly route: string | undefined;
  readonly routeAcceptance: Acceptance;
  /** The group's policies, compared with the desired ones. */
  readonly policies: "none" | "different" | "same";
  readonly policiesAcceptance: Acceptance;
}

/** A group whose requests are validated by the shared policy of its namespace. */
export interface ObservedCheckedGroup extends Pick<ObservedGroup, "fingerprint" | "route"> {
  /** Acceptance of the shared policy; `undefined` when the policy isn't there. */
  readonly acceptance: Acceptance | undefined;
  /** The time since which the shared policy is in force for new connections; milliseconds. */
  readonly acceptedSince: number | undefined;
}

/**
 * The leader's record of a group, dropped at the end of the leader's term. The next leader only starts the waits anew:
 * all else is in the cluster.
 */
export interface GroupRecord {
  readonly fingerprint: string;
  readonly state: GroupState;
  /** The time since which the closed routes are accepted; milliseconds. */
  readonly closedSince?: number;
  /** The time since which the policies are accepted, and in force for new connections; milliseconds. */
  readonly securedSince?: number;
  /** The last pause; absent once the policies are accepted. */
  readonly pause?: Pause;
  /** The event that the group waits for, as a sentence. */
  readonly waitsFor?: string;
  /** When to update the record again, in milliseconds from now; `undefined` when an event will cause that. */
  readonly lookAgain?: number;
}

/**
 * A pause: Envoy Gateway refused the policies because the provider of a login gave no answer. They aren't written again
 * until the pause ends.
 */
interface Pause {
  readonly message: string;
  /** The number of pauses in a row, this one included. */
  readonly count: number;
  /** The end of the pause; milliseconds. */
  readonly until: number;
}

/** The length of the first pause, which doubles each time, and of the longest, in milliseconds. */
const PAUSES: Backoff = { first: 5_000, most: 300_000 };

/** Envoy Gateway's message when the provider of a login can't be reached or gives no useful answer. */
const NO_ANSWER = /openid-configuration/;

/** The next record of a group: its state, since when its routes and policies are accepted, and what it waits for. */
export function nextRecord(
  group: ObservedGroup,
  known: GroupRecord | undefined,
  times: ProtectionTimes,
  now: number,
): GroupRecord {
  const { fingerprint, route, routeAcceptance, policies, policiesAcceptance } = group;
  if (route === openWith(fingerprint) && policies === "same" && policiesAcceptance.kind !== "refused") {
    return { fingerprint, state: "open" };
  }
  if (route === undefined) {
    // Policies without a route belong to an earlier route, which proxies may still have.
    return { fingerprint, state: policies === "none" ? "absent" : "closing", waitsFor: "its routes are not there yet" };
  }
  if (route !== CLOSED) {
    return { fingerprint, state: "closing", waitsFor: "it is being closed, because what protects it changes" };
  }
  if (routeAcceptance.kind !== "accepted") {
    const waitsFor = messageOf(policiesAcceptance, routeAcceptance) ??
      "the gateway has not accepted its closed routes yet";
    return { fingerprint, state: "closing", waitsFor };
  }
  return nextOfClosed(group, known?.fingerprint === fingerprint ? known : undefined, times, now);
}

/** The next record of a group whose routes are closed and accepted. */
function nextOfClosed(
  { fingerprint, policies, policiesAcceptance }: ObservedGroup,
  known: GroupRecord | undefined,
  { settle, drain }: ProtectionTimes,
  now: number,
): GroupRecord {
  const closedSince = known?.closedSince ?? now;
  const pause = known?.pause;
  const untilSettled = closedSince + settle - now;
  const isSettled = untilSettled <= 0;
  const closed = { fingerprint, closedSince, ...(pause === undefined ? {} : { pause }) };

  if (policies !== "same") {
    if (!isSettled) return { ...closed, state: "closing", waitsFor: "it is being closed", lookAgain: untilSettled };
    if (pause !== undefined && now < pause.until) return paused(closed, pause, now);
    return { ...closed, state: "closed", waitsFor: pause?.message ?? "its policies are not there yet" };
  }
  if (policiesAcceptance.kind === "refused" && NO_ANSWER.test(policiesAcceptance.message)) {
    const { message } = policiesAcceptance;
    if (!isSettled) return { ...closed, state: "closing", waitsFor: message, lookAgain: untilSettled };
    const count = (pause?.count ?? 0) + 1;
    const length = waitAfter(count, PAUSES);
    return paused(closed, { message, count, until: now + length }, now);
  }
  if (policiesAcceptance.kind !== "accepted") {
    const waitsFor = messageOf(policiesAcceptance) ?? pause?.message ?? "the gateway has not accepted its policies yet";
    return { ...closed, state: isSettled ? "securing" : "closing", waitsFor };
  }
  const securedSince = known?.securedSince ?? now;
  const untilDrained = securedSince + settle + drain - now;
  if (untilDrained <= 0) return { fingerprint, state: "open", closedSince, securedSince };
  return {
    fingerprint,
    state: isSettled ? "draining" : "closing",
    closedSince,
    securedSince,
    waitsFor: "connections that were opened before its policies were in force are being drained",
    lookAgain: untilDrained,
  };
}

function paused(
  closed: Pick<GroupRecord, "fingerprint" | "closedSince">,
  pause: Pause,
  now: number,
): GroupRecord {
  return { ...closed, state: "paused", pause, waitsFor: pause.message, lookAgain: pause.until - now };
}

/** The record of a group with request validation: it opens when the shared policy is in force on all connections. */
export function recordOfChecked(
  { fingerprint, route, acceptance, acceptedSince }: ObservedCheckedGroup,
  { settle, drain }: ProtectionTimes,
  now: number,
): GroupRecord {
  const isThere = acceptance !== undefined && acceptance.kind !== "refused";
  if (route === openWith(fingerprint) && isThere) return { fingerprint, state: "open" };
  if (acceptedSince === undefined) {
    const reason = "the gateway has not accepted the policy yet that has requests checked";
    return { fingerprint, state: "securing", waitsFor: (acceptance && messageOf(acceptance)) ?? reason };
  }
  const untilDrained = acceptedSince + settle + drain - now;
  if (untilDrained <= 0) return { fingerprint, state: "open" };
  const waitsFor = "connections that were opened before requests were checked are being drained";
  return { fingerprint, state: "draining", waitsFor, lookAgain: untilDrained };
}

/** The message of the first acceptance that is a refusal. */
function messageOf(...acceptances: readonly Acceptance[]): string | undefined {
  return acceptances.find((acceptance) => acceptance.kind === "refused")?.message;
}
