import type { JSONWebKeySet } from "jose";
import { readBytes } from "../../http/content_coding.ts";
import type { GatewayPlatform } from "./platform.ts";

/** The keys of an issuer (RFC 7517), made ready for use. */
export interface KeySet<Keys> {
  /** Gives the keys; fetches them when they are old, or none were fetched yet. */
  keys(): Promise<Keys>;
  /**
   * Gives newer keys than those that a token's key wasn't among: the issuer may have changed its keys.
   *
   * @param tried The keys that were tried.
   * @returns `undefined` when there are none, or they were fetched too often of late: clients choose what keys they name.
   */
  newer(tried: Keys): Promise<Keys | undefined>;
}

/** How long keys are used without looking for others, in milliseconds. */
const MOST_AGE = 10 * 60_000;
/** The age at which others are looked for in advance, while requests go on with those that there are: milliseconds. */
const RENEWAL_AGE = 5 * 60_000;
/** How long an issuer may take to answer, in milliseconds. */
const TIMEOUT = 5_000;
const MOST_BYTES = 1024 * 1024;
/** How many fetches in a row tokens with unknown keys may cause. */
const MOST_RENEWALS = 10;
/** Milliseconds after which one more such fetch is allowed: new keys are known after that time at the latest. */
const RENEWAL_INTERVAL = 5_000;
/** How long after a failure an issuer isn't asked again, in milliseconds. */
const RETRY_INTERVAL = 1_000;
/** After a failure that took longer than this, no request waits for the issuer until it has answered: milliseconds. */
const SLOW = 1_000;

interface Failure {
  readonly error: unknown;
  readonly at: number;
  readonly isSlow: boolean;
}

/**
 * Makes a cache of the keys of an issuer. While the issuer doesn't answer, old keys stay in use.
 *
 * @param prepare Makes the keys ready for use.
 */
export function createKeySet<Keys>(
  uri: string,
  { fetch, now }: Pick<GatewayPlatform, "fetch" | "now">,
  prepare: (keys: JSONWebKeySet) => Keys,
): KeySet<Keys> {
  let fetched: { keys: Keys; at: number } | undefined;
  let fetching: Promise<Keys> | undefined;
  let failure: Failure | undefined;
  let renewals = { left: MOST_RENEWALS, at: now() };
  return { keys, newer };

  async function keys(): Promise<Keys> {
    const age = fetched === undefined ? Infinity : now() - fetched.at;
    if (fetched !== undefined && age < MOST_AGE) {
      if (age >= RENEWAL_AGE) fetchUnlessFailing().catch(() => {});
      return fetched.keys;
    }
    try {
      return await fetchUnlessFailing();
    } catch (error) {
      if (fetched !== undefined) return fetched.keys;
      throw error;
    }
  }

  async function newer(tried: Keys): Promise<Keys | undefined> {
    if (fetched !== undefined && fetched.keys !== tried) return fetched.keys;
    if (fetching === undefined && !mayRenew()) return undefined;
    const renewed = await fetchUnlessFailing().catch(() => undefined);
    return renewed === tried ? undefined : renewed;
  }

  /** Takes a token from a bucket that refills over time. */
  function mayRenew(): boolean {
    const at = now();
    const left = Math.min(MOST_RENEWALS, renewals.left + (at - renewals.at) / RENEWAL_INTERVAL);
    renewals = { left: left < 1 ? left : left - 1, at };
    return left >= 1;
  }

  async function fetchUnlessFailing(): Promise<Keys> {
    if (failure === undefined) return await fetchOnce();
    const { error, at, isSlow } = failure;
    if (now() - at < RETRY_INTERVAL) throw error;
    if (!isSlow) return await fetchOnce();
    fetchOnce().catch(() => {});
    throw error;
  }

  /** However many ask at once, the issuer is asked once. */
  function fetchOnce(): Promise<Keys> {
    fetching ??= fetchKeys().finally(() => fetching = undefined);
    return fetching;
  }

  async function fetchKeys(): Promise<Keys> {
    const start = now();
    try {
      const keys = prepare(await fetchKeySet(uri, fetch));
      fetched = { keys, at: now() };
      failure = undefined;
      return keys;
    } catch (error) {
      failure = { error, at: now(), isSlow: now() - start >= SLOW };
      throw error;
    }
  }
}

async function fetchKeySet(uri: string, fetch: GatewayPlatform["fetch"]): Promise<JSONWebKeySet> {
  const response = await fetch(uri, {
    headers: { accept: "application/jwk-set+json, application/json" },
    // The definition says whose keys count: no server may name another.
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${uri} answers ${response.status}`);
  }
  const bytes = response.body === null ? new Uint8Array() : await readBytes(response.body, MOST_BYTES);
  const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (!isKeySet(value)) throw new Error(`${uri} has no \`keys\``);
  return value;
}

function isKeySet(value: unknown): value is JSONWebKeySet {
  return typeof value === "object" && value !== null && "keys" in value && Array.isArray(value.keys);
}
