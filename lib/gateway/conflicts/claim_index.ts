import type { RoutePlan } from "../route.ts";
import { patternsOver } from "../hosts.ts";
import { areToldApart, type PlannedLogin } from "../login.ts";
import { claimLogins } from "./login_conflict.ts";

/**
 * Finds plans that may exclude each other: they have a host, method and path in common, or logins whose users would be
 * mixed up. A look-up costs as much as the plan has claims, however many other plans there are.
 */
export interface ClaimIndex {
  /** Puts plans in the place of those that had their key before. */
  set(key: string, plans: readonly RoutePlan[]): void;
  /** The keys of plans that may exclude a plan; among them the plan's own, if it is in the index. */
  of(plan: RoutePlan): Set<string>;
}

/** Keys by a text; most texts have one key. */
type KeyTable = Map<string, string | Set<string>>;

/** Logins that are all told apart from each other, or all not, from another login. */
interface Session {
  readonly login: PlannedLogin;
  readonly keys: Set<string>;
}

/** The sessions by host, and there by what tells them apart. */
type SessionTable = Map<string, Map<string, Session>>;

/** Makes an empty index. */
export function createClaimIndex(): ClaimIndex {
  const entries = new Map<string, readonly RoutePlan[]>();
  /** By host, method and path, those of logins too. */
  const claims: KeyTable = new Map();
  /** By the hosts of logins, and by the patterns that these hosts are within. */
  const on: SessionTable = new Map();
  const within: SessionTable = new Map();

  return {
    set(key, plans) {
      const before = entries.get(key) ?? [];
      if (before.length === plans.length && before.every((plan, index) => plan === plans[index])) return;
      for (const plan of before) change(key, plan, removeKey, removeSession);
      entries.delete(key);
      if (plans.length === 0) return;
      entries.set(key, plans);
      for (const plan of plans) change(key, plan, addKey, addSession);
    },
    of(plan) {
      const found = new Set<string>();
      const { claims: loginClaims, logins } = claimLogins(plan);
      for (const wanted of [plan.claims, loginClaims]) {
        for (const claim of wanted.keys()) for (const key of keysAt(claims, claim)) found.add(key);
      }
      if (logins.length === 0) return found;
      for (const host of plan.hosts) {
        const near = [on.get(host), within.get(host), ...patternsOver(host).map((pattern) => on.get(pattern))];
        for (const { login: other, keys } of near.flatMap((sessions) => [...sessions?.values() ?? []])) {
          if (logins.every((login) => areToldApart(login, other))) continue;
          for (const key of keys) found.add(key);
        }
      }
      return found;
    },
  };

  function change(
    key: string,
    plan: RoutePlan,
    changeKey: (table: KeyTable, text: string, key: string) => void,
    changeSession: (table: SessionTable, host: string, login: PlannedLogin, key: string) => void,
  ): void {
    const { claims: loginClaims, logins } = claimLogins(plan);
    for (const claim of plan.claims.keys()) changeKey(claims, claim, key);
    for (const claim of loginClaims.keys()) changeKey(claims, claim, key);
    for (const login of logins) {
      for (const host of plan.hosts) {
        changeSession(on, host, login, key);
        for (const pattern of patternsOver(host)) changeSession(within, pattern, login, key);
      }
    }
  }
}

function keysAt(table: KeyTable, text: string): Iterable<string> {
  const keys = table.get(text);
  return typeof keys === "string" ? [keys] : keys ?? [];
}

function addKey(table: KeyTable, text: string, key: string): void {
  const keys = table.get(text);
  if (keys === undefined) table.set(text, key);
  else if (typeof keys !== "string") keys.add(key);
  else if (keys !== key) table.set(text, new Set([keys, key]));
}

function removeKey(table: KeyTable, text: string, key: string): void {
  const keys = table.get(text);
  if (keys === key) table.delete(text);
  else if (keys instanceof Set) {
    keys.delete(key);
    if (keys.size === 0) table.delete(text);
  }
}

function addSession(table: SessionTable, host: string, login: PlannedLogin, key: string): void {
  const sessions = table.get(host) ?? new Map<string, Session>();
  table.set(host, sessions);
  const name = sessionOf(login);
  const session = sessions.get(name);
  if (session === undefined) sessions.set(name, { login, keys: new Set([key]) });
  else session.keys.add(key);
}

function removeSession(table: SessionTable, host: string, login: PlannedLogin, key: string): void {
  const sessions = table.get(host);
  const session = sessions?.get(sessionOf(login));
  if (sessions === undefined || session === undefined) return;
  session.keys.delete(key);
  if (session.keys.size === 0) sessions.delete(sessionOf(login));
  if (sessions.size === 0) table.delete(host);
}

/** The parts of a login that {@linkcode areToldApart} compares. */
function sessionOf({ auth: { jwt }, oauth2 }: PlannedLogin): string {
  return JSON.stringify([oauth2.issuer, oauth2.client_id, oauth2.forward_access_token, jwt]);
}
