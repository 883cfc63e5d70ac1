import type { JSONWebKeySet } from "jose";
import type { GatewayWorld } from "./world.ts";
import { readLimited } from "./read_limited.ts";

/** The keys of an issuer (RFC 7517). */
export interface KeySet {
  /** Gives the keys; fetches them when they are old, or none were fetched yet. */
  keys(): Promise<JSONWebKeySet>;
  /**
   * Fetches the keys again, as somebody signs with a key that isn't among them: the issuer may have changed its keys.
   *
   * @returns `undefined` when that was done too often of late: clients choose what keys they name.
   */
  renewed(): Promise<JSONWebKeySet | undefined>;
}

/** How long keys are used without looking for others, in milliseconds. */
const MOST_AGE = 10 * 60_000;
/** How long an issuer may take to answer, in milliseconds. */
const TIMEOUT = 5_000;
const MOST_BYTES = 1024 * 1024;
/** How often keys are fetched again in a minute for names of keys that nobody knows. */
const MOST_RENEWALS = 10;
const MINUTE = 60_000;

/** Makes what keeps the keys of an issuer. */
export function createKeySet(uri: string, { fetch, now }: Pick<GatewayWorld, "fetch" | "now">): KeySet {
  let fetched: { keys: JSONWebKeySet; at: number } | undefined;
  let fetching: Promise<JSONWebKeySet> | undefined;
  let renewals = { since: -Infinity, count: 0 };
  return { keys, renewed };

  async function keys(): Promise<JSONWebKeySet> {
    if (fetched !== undefined && now() - fetched.at < MOST_AGE) return fetched.keys;
    try {
      return await fetchOnce();
    } catch (error) {
      // Old keys are better than none while an issuer is down.
      if (fetched !== undefined) return fetched.keys;
      throw error;
    }
  }

  async function renewed(): Promise<JSONWebKeySet | undefined> {
    if (now() - renewals.since >= MINUTE) renewals = { since: now(), count: 0 };
    if (fetching === undefined && renewals.count >= MOST_RENEWALS) return undefined;
    renewals.count++;
    return await fetchOnce().catch(() => undefined);
  }

  /** However many ask at once, the issuer is asked once. */
  function fetchOnce(): Promise<JSONWebKeySet> {
    fetching ??= fetchKeys().finally(() => fetching = undefined);
    return fetching;
  }

  async function fetchKeys(): Promise<JSONWebKeySet> {
    const response = await fetch(uri, {
      headers: { accept: "application/jwk-set+json, application/json" },
      signal: AbortSignal.timeout(TIMEOUT),
    });
    const bytes = await readLimited(response, MOST_BYTES);
    if (!response.ok) throw new Error(`${uri} answers ${response.status}`);
    if (bytes === undefined) throw new Error(`${uri} has more than ${MOST_BYTES} bytes`);
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (!isKeySet(value)) throw new Error(`${uri} has no \`keys\``);
    fetched = { keys: value, at: now() };
    return value;
  }
}

function isKeySet(value: unknown): value is JSONWebKeySet {
  return typeof value === "object" && value !== null && "keys" in value && Array.isArray(value.keys);
}
