/**
 * When a protected route may lead to its upstreams. Envoy Gateway brings a route and the policy that protects it to Envoy
 * by two ways, and connections that were opened before go on without the policy until they are drained. So a group of
 * protected routes goes through states, of which each is kept in the cluster, where a restart finds it:
 *
 * ```text
 * open ──(what protects it changes)──> close ──(accepted, settled)──> secure ──(policies accepted, drained)──> open
 *                 absent ───────────────────────────────────────────────^
 * ```
 *
 * @module
 */
import { waitAfter } from "../../http/backoff.ts";
import type { Acceptance } from "../status/conditions.ts";
import { GROUP, LABELS } from "../names.ts";
import type { KubernetesObject } from "../object.ts";

/** The annotation of a protected route: `closed`, or `open` and the fingerprint of what protects it. */
export const PROTECTION_ANNOTATION = `${GROUP}/protection`;

/** The value of the annotation on a closed route. */
export const CLOSED = "closed";

/** Whether an object is a route whose requests are checked, by the policy of its namespace. */
export function isChecked({ kind, metadata: { labels } }: KubernetesObject): boolean {
  return kind === "HTTPRoute" && labels?.[LABELS.checked] !== undefined;
}

/** The value of the annotation on an open route. */
export function openWith(fingerprint: string): string {
  return `open ${fingerprint}`;
}

/** A group of protected routes as it is in the cluster, beside what is wanted. */
export interface ObservedGroup {
  /** What protects it, as it is wanted. */
  fingerprint: string;
  /** What the annotation of its route says; empty without one, `undefined` without a route. */
  route: string | undefined;
  routeAcceptance: Acceptance;
  /** Its policies, compared with those that are wanted. */
  policies: "none" | "different" | "same";
  policiesAcceptance: Acceptance;
}

/** Policies that were refused because somebody whom the gateway asks about them didn't answer. */
interface Unanswered {
  readonly message: string;
  /** How often that was so. */
  readonly tries: number;
  /** When they are to be tried again; milliseconds. */
  readonly again: number;
}

/** What is remembered of a group while it is closed; lost by a restart, which costs only time. */
export interface GroupMemory {
  readonly fingerprint: string;
  /** Until its policies are accepted. */
  readonly unanswered?: Unanswered;
  /** Since when nothing of it is open, as far as is known; milliseconds. */
  readonly sealedSince?: number;
  /** Since when its policies are in force for new connections. */
  readonly securedSince?: number;
}

/** How long is waited, in milliseconds. */
export interface ProtectionTimes {
  /** From a status until the proxies surely have what it speaks of. */
  settle: number;
  /** From then until no connection is left that was opened before. */
  drain: number;
}

/** What to do about a group now. */
export interface GroupDecision {
  /** Whether its routes lead to its upstreams. */
  isOpen: boolean;
  /** Whether its policies may be changed: nothing depends on the present ones. */
  mayChangePolicies: boolean;
  /**
   * Whether others that refuse everybody take the place of its policies. Envoy Gateway asks the provider of a login at each
   * change in the cluster, all others wait for that, and it asks no more when there is no change.
   */
  isPutAside: boolean;
  /** Whether its routes may go: nobody gets past them. */
  isSealed: boolean;
  memory: GroupMemory;
  /** What it waits for, as a sentence; `undefined` when for nothing. */
  waitsFor?: string;
  /** When to look again, in milliseconds; `undefined` when something will change by then. */
  lookAgain?: number;
}

/** How long policies are put aside at first and at most, in milliseconds. */
const PAUSES = { first: 5_000, most: 300_000 };

/** What Envoy Gateway says when the provider of a login can't be asked, or gives no useful answer. */
const UNANSWERED = /openid-configuration/;

/** Decides what to do about a group of protected routes. */
export function decideProtection(
  group: ObservedGroup,
  known: GroupMemory | undefined,
  { settle, drain }: ProtectionTimes,
  now: number,
): GroupDecision {
  const { fingerprint, route, policies } = group;
  const nothing: GroupMemory = { fingerprint };
  const refused = [group.policiesAcceptance, group.routeAcceptance].find((one) => one.kind === "refused");

  if (route === openWith(fingerprint) && policies === "same" && group.policiesAcceptance.kind !== "refused") {
    return { isOpen: true, mayChangePolicies: true, isPutAside: false, isSealed: false, memory: nothing };
  }
  const closed = { isOpen: false, mayChangePolicies: false, isPutAside: false, isSealed: false, memory: nothing };
  if (route === undefined) {
    // Policies that are left from before are another matter: who knows what the proxies still have.
    const isNew = policies === "none";
    return { ...closed, mayChangePolicies: isNew, waitsFor: "its routes are not there yet" };
  }
  if (route !== CLOSED) return { ...closed, waitsFor: "it is being closed, because what protects it changes" };
  if (group.routeAcceptance.kind !== "accepted") {
    return { ...closed, waitsFor: refused?.message ?? "the gateway has not accepted its closed routes yet" };
  }

  const memory: GroupMemory = known?.fingerprint === fingerprint ? known : nothing;
  const sealedSince = memory.sealedSince ?? now;
  const untilSealed = sealedSince + settle - now;
  const { unanswered } = memory;
  const sealing: GroupDecision = {
    ...closed,
    isSealed: untilSealed <= 0,
    memory: { fingerprint, sealedSince, ...(unanswered === undefined ? {} : { unanswered }) },
  };
  if (policies !== "same") {
    if (untilSealed > 0) return { ...sealing, waitsFor: "it is being closed", lookAgain: untilSealed };
    if (unanswered !== undefined && now < unanswered.again) return putAside(sealing, unanswered, now);
    return { ...sealing, mayChangePolicies: true, waitsFor: unanswered?.message ?? "its policies are not there yet" };
  }
  const { policiesAcceptance } = group;
  if (policiesAcceptance.kind === "refused" && UNANSWERED.test(policiesAcceptance.message)) {
    const { message } = policiesAcceptance;
    if (untilSealed > 0) return { ...sealing, waitsFor: message, lookAgain: untilSealed };
    const tries = (unanswered?.tries ?? 0) + 1;
    const pause = waitAfter(tries, PAUSES);
    return putAside(sealing, { message, tries, again: now + pause }, now);
  }
  if (policiesAcceptance.kind !== "accepted") {
    const waitsFor = refused?.message ?? unanswered?.message ?? "the gateway has not accepted its policies yet";
    return { ...sealing, waitsFor };
  }
  const securedSince = memory.securedSince ?? now;
  const untilDrained = securedSince + settle + drain - now;
  const secured: GroupDecision = { ...sealing, memory: { fingerprint, sealedSince, securedSince } };
  if (untilDrained > 0) {
    const waitsFor = "connections that were opened before its policies were in force are being drained";
    return { ...secured, waitsFor, lookAgain: untilDrained };
  }
  return { ...secured, isOpen: true, isSealed: false };
}

function putAside(sealed: GroupDecision, unanswered: Unanswered, now: number): GroupDecision {
  return {
    ...sealed,
    mayChangePolicies: true,
    isPutAside: true,
    memory: { ...sealed.memory, unanswered },
    waitsFor: unanswered.message,
    lookAgain: unanswered.again - now,
  };
}

/** What the annotation of a route says; `undefined` without a route. */
export function protectionOf(route: KubernetesObject | undefined): string | undefined {
  return route === undefined ? undefined : route.metadata.annotations?.[PROTECTION_ANNOTATION] ?? "";
}

/** A route whose requests are checked by a policy that all routes of its namespace share. */
export interface CheckedGroup {
  fingerprint: string;
  /** What the annotation of its route says; empty without one, `undefined` without a route. */
  route: string | undefined;
  /** What is said of the shared policy; `undefined` when it isn't there. */
  acceptance: Acceptance | undefined;
  /** Since when the policy is in use; milliseconds. */
  since: number | undefined;
}

/** Decides on a route whose requests are checked: it opens once the shared policy is in force on all connections. */
export function decideChecked(
  { fingerprint, route, acceptance, since }: CheckedGroup,
  { settle, drain }: ProtectionTimes,
  now: number,
): GroupDecision {
  const decided = { mayChangePolicies: true, isPutAside: false, isSealed: false, memory: { fingerprint } };
  const isThere = acceptance !== undefined && acceptance.kind !== "refused";
  if (route === openWith(fingerprint) && isThere) return { ...decided, isOpen: true };
  if (since === undefined) {
    const reason = "the gateway has not accepted the policy yet that has requests checked";
    return { ...decided, isOpen: false, waitsFor: acceptance?.kind === "refused" ? acceptance.message : reason };
  }
  const wait = since + settle + drain - now;
  if (wait <= 0) return { ...decided, isOpen: true };
  const waitsFor = "connections that were opened before requests were checked are being drained";
  return { ...decided, isOpen: false, waitsFor, lookAgain: wait };
}
