import type { RoutePlan } from "../route.ts";
import { patternsOver } from "../hosts.ts";
import { canShareHost, type PlannedLogin } from "../login.ts";
import { claimLogins } from "./login_conflict.ts";

/**
 * The keys of the plans that have each claim (host, method and path). Most claims have only one key; it is stored
 * without a set, which saves memory.
 */
type KeyTable = Map<string, string | Set<string>>;

/**
 * Logins with equal settings, as far as {@linkcode canShareHost} compares these: one of the logins, and the keys of all
 * plans that have one.
 */
interface Session {
  readonly login: PlannedLogin;
  readonly keys: Set<string>;
}

/** Sessions by host, and then by {@linkcode sessionOf} of their login. */
type SessionTable = Map<string, Map<string, Session>>;

/**
 * An index of plans that may conflict. Two plans may conflict if they share a claim (host, method and path), or if a
 * session of one plan's login would be valid for the other's. The cost of a look-up grows with the claims of the plan,
 * not with the number of plans.
 */
export class ClaimIndex {
  readonly #plans = new Map<string, readonly RoutePlan[]>();
  /** The keys of plans by claim. The callback and logout paths of logins are claims, too. */
  readonly #claims: KeyTable = new Map();
  /** Sessions by the hosts of their plans. */
  readonly #sessions: SessionTable = new Map();
  /** Sessions by each wildcard pattern that matches a host of their plans: `*.example.com` for `api.example.com`. */
  readonly #sessionsByPattern: SessionTable = new Map();

  /** Replaces the plans of a key, which identifies an API or static route. */
  set(key: string, plans: readonly RoutePlan[]): void {
    const before = this.#plans.get(key) ?? [];
    if (before.length === plans.length && before.every((plan, index) => plan === plans[index])) return;
    for (const plan of before) this.#change(key, plan, removeKey, removeSession);
    this.#plans.delete(key);
    if (plans.length === 0) return;
    this.#plans.set(key, plans);
    for (const plan of plans) this.#change(key, plan, addKey, addSession);
  }

  /** Returns the keys of plans that may conflict with a plan. The plan's own key is among them if the index has it. */
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
        this.#sessionsByPattern.get(host),
        ...patternsOver(host).map((pattern) => this.#sessions.get(pattern)),
      ];
      for (const { login: other, keys } of tables.flatMap((sessions) => [...sessions?.values() ?? []])) {
        if (logins.every((login) => canShareHost(login, other))) continue;
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
        for (const pattern of patternsOver(host)) changeSession(this.#sessionsByPattern, pattern, login, key);
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

/** Writes those settings of a login as a text that {@linkcode canShareHost} compares. */
function sessionOf({ auth: { jwt }, oauth2 }: PlannedLogin): string {
  return JSON.stringify([oauth2.issuer, oauth2.client_id, oauth2.forward_access_token, jwt]);
}
