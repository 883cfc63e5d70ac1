/**
 * Decides when a group may be open. A group is the routes of a guarded HTTPRoute (one that not every request may pass),
 * with the policies that protect them. As long as it is closed, gw answers 503.
 *
 * Envoy Gateway sends a route and its policy to Envoy separately, so either may arrive first. Existing connections have
 * the old configuration until they are drained. So each group is a state machine:
 *
 * ```text
 * absent ───> closing ───(settled)───> closed ───(policies written)───> securing ───(accepted)───> draining ───> open
 *                ^                       │ ^                               │                                      │
 *                │                       v │                               │                                      │
 *                │                      paused <───(no answer from the provider of a login)                       │
 *                └──────────────────(the kind of protection changes, or a policy is refused)──────────────────────┘
 * ```
 *
 * While the means of authentication stay the same (`jwt`, say, with another audience), the policy of an open group is
 * replaced in place. If an edit is taken back before the policies were changed, the group opens again at once.
 *
 * An annotation of the route records whether the group is closed or open, and with which policies. After a restart the
 * controller reads it from the cluster.
 *
 * A group whose route only has request validation needs no policies of its own, since the shared policy of its
 * namespace validates the requests. It opens as soon as the shared policy is in force on all connections.
 *
 * @module
 */
import { type Backoff, waitAfter } from "../../http/backoff.ts";
import type { Acceptance } from "../status/conditions.ts";
import type { ProtectionTimes } from "./drain.ts";
import { CLOSED, openWith } from "./protected_objects.ts";

/** The states of a group. */
export type GroupState = "absent" | "closing" | "closed" | "paused" | "securing" | "draining" | "open";

/** The changes that a state of a group allows. */
export interface Permissions {
  /** Whether the routes may send requests to their upstreams. */
  readonly isOpen: boolean;
  /** Whether the policies may be written, because no open route depends on the present ones. */
  readonly mayChangePolicies: boolean;
  /** Whether the routes may be deleted, because all proxies have them closed. */
  readonly mayDeleteRoutes: boolean;
}

const NOTHING: Permissions = { isOpen: false, mayChangePolicies: false, mayDeleteRoutes: false };

/** The changes that each state of a group allows. */
export const PERMISSIONS: Readonly<Record<GroupState, Permissions>> = {
  /** The cluster has neither the routes nor the policies of the group. */
  absent: { ...NOTHING, mayChangePolicies: true },
  /** The closed routes were written, and may not have reached all proxies. */
  closing: NOTHING,
  /** All proxies have the closed routes. The policies are to be written next. */
  closed: { ...NOTHING, mayChangePolicies: true, mayDeleteRoutes: true },
  /**
   * The policies are replaced for a while by closed ones, which refuse all requests and have no login. Otherwise Envoy
   * Gateway would ask the provider of a login, which doesn't answer, at each change in the cluster, and would delay all
   * other changes meanwhile. At the end of the pause the policies are written again, because Envoy Gateway asks again
   * only after a change.
   */
  paused: { ...NOTHING, mayChangePolicies: true, mayDeleteRoutes: true },
  /** The policies were written, but the gateway hasn't accepted them yet. */
  securing: { ...NOTHING, mayDeleteRoutes: true },
  /** The policies are accepted. The proxies drain connections that were opened before. */
  draining: { ...NOTHING, mayDeleteRoutes: true },
  open: { isOpen: true, mayChangePolicies: true, mayDeleteRoutes: false },
};

/** A group as it is in the cluster, in comparison with the desired state. */
export interface ObservedGroup {
  /** A hash of the desired policies. */
  readonly fingerprint: string;
  /**
   * The value of the protection annotation on the group's route; empty without the annotation, `undefined` without a
   * route.
   */
  readonly route: string | undefined;
  readonly routeAcceptance: Acceptance;
  /**
   * The policies of the group in the cluster, in comparison with the desired ones. `outdated`: gw has written them, nobody
   * has changed them since, and they authenticate by the same means.
   */
  readonly policies: "none" | "different" | "outdated" | "same";
  /**
   * Whether the route is open on the desired Gateway, with whichever policies. Default: whether its annotation has the
   * desired fingerprint.
   */
  readonly isOpen?: boolean;
  readonly policiesAcceptance: Acceptance;
  /**
   * The route, and the policies in this very form, as a text: equal if neither was changed or created again in between.
   * Default: unknown.
   */
  readonly version?: string;
}

/** A group that has no policies of its own: the shared policy of its namespace validates its requests. */
export interface ObservedCheckedGroup extends Pick<ObservedGroup, "fingerprint" | "route"> {
  /** Whether the gateway accepts the shared policy; `undefined` if the policy doesn't exist. */
  readonly acceptance: Acceptance | undefined;
  /** The time since which the shared policy is in force on new connections, in milliseconds. */
  readonly acceptedSince: number | undefined;
}

/**
 * What the leader remembers about a group until the end of its term. A new leader only starts the waiting times anew,
 * since it reads everything else from the cluster.
 */
export interface GroupRecord {
  readonly fingerprint: string;
  readonly state: GroupState;
  /** The time since which the gateway accepts the closed routes, in milliseconds. */
  readonly closedSince?: number;
  /** The time since which the gateway accepts the policies, in milliseconds. New connections have them from then on. */
  readonly securedSince?: number;
  /**
   * The `version` of the group when it was last open, unless the gateway has refused something of it since. While the
   * group has this version, its policies protect all connections.
   */
  readonly lastOpen?: string;
  /** The last pause; absent once the gateway accepts the policies. */
  readonly pause?: Pause;
  /** The event that the group waits for, as a part of a sentence. */
  readonly waitsFor?: string;
  /** The time since which the group waits for a status of the gateway, in milliseconds. */
  readonly unansweredSince?: number;
  /** Whether the group has waited for a status of the gateway longer than any gateway needs. */
  readonly isOverdue?: boolean;
  /** The time in milliseconds after which to compute the record again; absent if an event will cause that. */
  readonly lookAgain?: number;
}

/** A pause before the policies are written again, because Envoy Gateway got no answer from the provider of a login. */
interface Pause {
  readonly message: string;
  /** The number of pauses in a row, with this one. */
  readonly count: number;
  /** The end of the pause, in milliseconds. */
  readonly until: number;
}

/** The lengths of pauses in a row, in milliseconds. */
const PAUSES: Backoff = { first: 5_000, most: 300_000 };

/** Matches the message of Envoy Gateway that the provider of a login can't be reached, or gives no usable answer. */
const NO_ANSWER = /openid-configuration/;

/**
 * The time after which a status of the gateway is overdue, in milliseconds. Envoy Gateway may fail to write one
 * (envoyproxy/gateway#9536, #6898). The group stays closed, but the status of its API says why.
 */
export const REPORT_DEADLINE = 60_000;

/** Computes the next record of a group from its state in the cluster. */
export function nextRecord(
  group: ObservedGroup,
  known: GroupRecord | undefined,
  times: ProtectionTimes,
  now: number,
): GroupRecord {
  const next = nextState(group, known, times, now);
  const { route, routeAcceptance, policies, policiesAcceptance, version } = group;
  // The gateway takes what it refuses out of the proxies.
  const isRefused = routeAcceptance.kind === "refused" || policiesAcceptance.kind === "refused";
  const lastOpen = isRefused ? undefined : next.state === "open" ? version : known?.lastOpen;
  const record = lastOpen === undefined ? next : { ...next, lastOpen };
  const isUnanswered = record.state !== "open" && route === CLOSED &&
    (routeAcceptance.kind === "pending" || (policies === "same" && policiesAcceptance.kind === "pending"));
  return isUnanswered ? withDeadline(record, known?.unansweredSince, now) : record;
}

/** Notes in a record that its group waits for a status of the gateway, and looks again when that is overdue. */
function withDeadline(record: GroupRecord, since: number | undefined, now: number): GroupRecord {
  const unansweredSince = since ?? now;
  const left = unansweredSince + REPORT_DEADLINE - now;
  if (left <= 0) return { ...record, unansweredSince, isOverdue: true };
  return { ...record, unansweredSince, lookAgain: Math.min(record.lookAgain ?? left, left) };
}

function nextState(
  group: ObservedGroup,
  known: GroupRecord | undefined,
  times: ProtectionTimes,
  now: number,
): GroupRecord {
  const { fingerprint, route, routeAcceptance, policies, policiesAcceptance } = group;
  const { isOpen = route === openWith(fingerprint) } = group;
  // A policy that authenticates by the same means replaces the present one while the route is open. Connections that
  // were opened before have one of the two policies at any time.
  const isProtected = policies === "same" || policies === "outdated";
  if (isOpen && isProtected && policiesAcceptance.kind !== "refused") return { fingerprint, state: "open" };
  if (route === undefined) {
    // Policies without a route may belong to a deleted route, which proxies may still have.
    return { fingerprint, state: policies === "none" ? "absent" : "closing", waitsFor: "its routes are not there yet" };
  }
  // The edit that closed the group was taken back before its policies were written: the present ones still protect all
  // connections.
  const isAsLastOpen = known?.lastOpen !== undefined && known.lastOpen === group.version && policies === "same";
  const isRefused = routeAcceptance.kind === "refused" || policiesAcceptance.kind === "refused";
  if (route === CLOSED && isAsLastOpen && !isRefused) return { fingerprint, state: "open" };
  if (route !== CLOSED) {
    return { fingerprint, state: "closing", waitsFor: "it is being closed, because what protects it changes" };
  }
  if (routeAcceptance.kind !== "accepted") {
    const waitsFor = firstRefusalMessage(policiesAcceptance, routeAcceptance) ??
      "the gateway has not accepted its closed routes yet";
    return { fingerprint, state: "closing", waitsFor };
  }
  return nextOfClosed(group, known?.fingerprint === fingerprint ? known : undefined, times, now);
}

/** Computes the next record of a group whose closed routes the gateway has accepted. */
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
    const waitsFor = firstRefusalMessage(policiesAcceptance) ?? pause?.message ??
      "the gateway has not accepted its policies yet";
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

/**
 * Computes the record of a group that only has request validation. It opens when the shared policy is in force on all
 * connections.
 */
export function recordOfChecked(
  { fingerprint, route, acceptance, acceptedSince }: ObservedCheckedGroup,
  { settle, drain }: ProtectionTimes,
  now: number,
  known?: GroupRecord,
): GroupRecord {
  const isThere = acceptance !== undefined && acceptance.kind !== "refused";
  if (route === openWith(fingerprint) && isThere) return { fingerprint, state: "open" };
  if (acceptedSince === undefined) {
    const reason = "the gateway has not accepted the policy yet that has requests checked";
    const waitsFor = (acceptance && firstRefusalMessage(acceptance)) ?? reason;
    const record: GroupRecord = { fingerprint, state: "securing", waitsFor };
    return acceptance?.kind === "refused" ? record : withDeadline(record, known?.unansweredSince, now);
  }
  const untilDrained = acceptedSince + settle + drain - now;
  if (untilDrained <= 0) return { fingerprint, state: "open" };
  const waitsFor = "connections that were opened before requests were checked are being drained";
  return { fingerprint, state: "draining", waitsFor, lookAgain: untilDrained };
}

function firstRefusalMessage(...acceptances: readonly Acceptance[]): string | undefined {
  return acceptances.find((acceptance) => acceptance.kind === "refused")?.message;
}
