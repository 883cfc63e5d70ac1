import type { RoutePlan } from "../route.ts";
import { patternsOver } from "../hosts.ts";
import { areToldApart, type PlannedLogin } from "../login.ts";
import { claimLogins } from "./login_conflict.ts";

/**
 * The keys of APIs and static routes, by their claims (host, method and path). Most claims have one key only, which is
 * stored without a set to save memory.
 */
type KeyTable = Map<string, string | Set<string>>;

/**
 * A login, which stands for all logins that {@linkcode areToldApart} treats alike, and the keys of the plans that have
 * one of them.
 */
interface Session {
  readonly login: PlannedLogin;
  readonly keys: Set<string>;
}

/** The sessions of each host, by their text of {@linkcode sessionOf}. */
type SessionTable = Map<string, Map<string, Session>>;

/**
 * Finds plans that may conflict: they share a host, method and path, or they have logins whose sessions can't be told
 * apart. A look-up costs as much as the plan has claims, however many other plans there are.
 */
export class ClaimIndex {
  readonly #plans = new Map<string, readonly RoutePlan[]>();
  /** Keys by claim; the callback and logout paths of logins are claims, too. */
  readonly #claims: KeyTable = new Map();
  /** Sessions by the hosts of their logins. */
  readonly #sessions: SessionTable = new Map();
  /** Sessions by the wildcard patterns that match the hosts of their logins. */
  readonly #sessionsBelow: SessionTable = new Map();

  /** Replaces the plans of a key. */
  set(key: string, plans: readonly RoutePlan[]): void {
    const before = this.#plans.get(key) ?? [];
    if (before.length === plans.length && before.every((plan, index) => plan === plans[index])) return;
    for (const plan of before) this.#change(key, plan, removeKey, removeSession);
    this.#plans.delete(key);
    if (plans.length === 0) return;
    this.#plans.set(key, plans);
    for (const plan of plans) this.#change(key, plan, addKey, addSession);
  }

  /** The keys of plans that may conflict with a plan; among them the plan's own key, if it is in the index. */
  rivalsOf(plan: RoutePlan): Set<string> {
    const found = new Set<string>();
    const { claims: loginClaims, logins } = claimLogins(plan);
    for (const claims of [plan.claims, loginClaims]) {
      for (const claim of claims.keys()) for (const key of keysAt(this.#claims, claim)) found.add(key);
    }
    if (logins.length === 0) return found;
    for (const host of plan.hosts) {
      const tables = [
        this.#sessions.get(host),
        this.#sessionsBelow.get(host),
        ...patternsOver(host).map((pattern) => this.#sessions.get(pattern)),
      ];
      for (const { login: other, keys } of tables.flatMap((sessions) => [...sessions?.values() ?? []])) {
        if (logins.every((login) => areToldApart(login, other))) continue;
        for (const key of keys) found.add(key);
      }
    }
    return found;
  }

  #change(
    key: string,
    plan: RoutePlan,
    changeKey: (table: KeyTable, text: string, key: string) => void,
    changeSession: (table: SessionTable, host: string, login: PlannedLogin, key: string) => void,
  ): void {
    const { claims: loginClaims, logins } = claimLogins(plan);
    for (const claim of plan.claims.keys()) changeKey(this.#claims, claim, key);
    for (const claim of loginClaims.keys()) changeKey(this.#claims, claim, key);
    for (const login of logins) {
      for (const host of plan.hosts) {
        changeSession(this.#sessions, host, login, key);
        for (const pattern of patternsOver(host)) changeSession(this.#sessionsBelow, pattern, login, key);
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

/** The parts of a login that {@linkcode areToldApart} compares, as a text. */
function sessionOf({ auth: { jwt }, oauth2 }: PlannedLogin): string {
  return JSON.stringify([oauth2.issuer, oauth2.client_id, oauth2.forward_access_token, jwt]);
}
