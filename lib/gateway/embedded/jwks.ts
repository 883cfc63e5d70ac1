import type { JSONWebKeySet, JWK } from "jose";
import { readBytes } from "../../http/content_coding.ts";
import type { GatewayPlatform } from "./platform.ts";

/** The age in milliseconds at which cached keys are no longer used: a request waits for newer keys. */
const MOST_AGE = 10 * 60_000;
/**
 * The age in milliseconds at which newer keys are fetched in the background. Meanwhile requests use the cached keys.
 */
const RENEWAL_AGE = 5 * 60_000;
/** The time in which an issuer must answer, in milliseconds. */
const TIMEOUT = 5_000;
const MOST_BYTES = 1024 * 1024;
/** The capacity of the token bucket `#renewals`: the most fetches in a row that tokens with unknown keys may cause. */
const MOST_RENEWALS = 10;
/**
 * The time in milliseconds after which the token bucket `#renewals` allows one more fetch. A new key of an issuer is
 * thus accepted after this time at the latest.
 */
const RENEWAL_INTERVAL = 5_000;
/** The delay between a failed fetch and the next one, in milliseconds. */
const RETRY_INTERVAL = 1_000;
/**
 * The time in milliseconds from which a failed fetch counts as slow. After a slow failure, keys are fetched in the
 * background, and requests use cached keys or fail at once. Otherwise every request would wait for an issuer that is
 * down.
 */
const SLOW_FAILURE = 1_000;

interface Failure {
  readonly error: unknown;
  readonly at: number;
  readonly isSlow: boolean;
}

/** A cache of an issuer's keys (JSON Web Key Set, RFC 7517). While the issuer doesn't answer, old keys stay in use. */
export class KeySet<Keys> {
  readonly #uri: string;
  readonly #platform: Pick<GatewayPlatform, "fetch" | "now">;
  readonly #prepare: (keys: JSONWebKeySet) => Keys;
  #fetched: { keys: Keys; at: number } | undefined;
  #fetching: Promise<Keys> | undefined;
  #failure: Failure | undefined;
  /**
   * A token bucket that limits the fetches because of unknown keys, since any client can send a token with an unknown
   * key.
   */
  #renewals: { left: number; at: number };

  /** @param prepare Converts the key set to the form in which it is cached. */
  constructor(
    uri: string,
    platform: Pick<GatewayPlatform, "fetch" | "now">,
    prepare: (keys: JSONWebKeySet) => Keys,
  ) {
    this.#uri = uri;
    this.#platform = platform;
    this.#prepare = prepare;
    this.#renewals = { left: MOST_RENEWALS, at: platform.now() };
  }

  /** Returns the keys. Fetches them first if they are not cached, or too old. */
  async keys(): Promise<Keys> {
    const fetched = this.#fetched;
    const age = fetched === undefined ? Infinity : this.#platform.now() - fetched.at;
    if (fetched !== undefined && age < MOST_AGE) {
      if (age >= RENEWAL_AGE) this.#fetchUnlessFailing().catch(() => {});
      return fetched.keys;
    }
    try {
      return await this.#fetchUnlessFailing();
    } catch (error) {
      if (this.#fetched !== undefined) return this.#fetched.keys;
      throw error;
    }
  }

  /**
   * Returns newer keys than those tried, for a token with an unknown key: the issuer may have rotated its keys.
   *
   * @param tried The keys that don't have the token's key.
   * @returns `undefined` if there are no newer keys, or unknown keys have caused too many fetches.
   */
  async newer(tried: Keys): Promise<Keys | undefined> {
    if (this.#fetched !== undefined && this.#fetched.keys !== tried) return this.#fetched.keys;
    if (this.#fetching === undefined && !this.#mayRenew()) return undefined;
    const renewed = await this.#fetchUnlessFailing().catch(() => undefined);
    return renewed === tried ? undefined : renewed;
  }

  #mayRenew(): boolean {
    const at = this.#platform.now();
    const left = Math.min(MOST_RENEWALS, this.#renewals.left + (at - this.#renewals.at) / RENEWAL_INTERVAL);
    this.#renewals = { left: left < 1 ? left : left - 1, at };
    return left >= 1;
  }

  async #fetchUnlessFailing(): Promise<Keys> {
    if (this.#failure === undefined) return await this.#fetchOnce();
    const { error, at, isSlow } = this.#failure;
    if (this.#platform.now() - at < RETRY_INTERVAL) throw error;
    if (!isSlow) return await this.#fetchOnce();
    this.#fetchOnce().catch(() => {});
    throw error;
  }

  /** Fetches the keys, or awaits a fetch that is under way. */
  #fetchOnce(): Promise<Keys> {
    this.#fetching ??= this.#fetch().finally(() => this.#fetching = undefined);
    return this.#fetching;
  }

  async #fetch(): Promise<Keys> {
    const { fetch, now } = this.#platform;
    const start = now();
    try {
      const keys = this.#prepare(await fetchKeySet(this.#uri, fetch));
      this.#fetched = { keys, at: now() };
      this.#failure = undefined;
      return keys;
    } catch (error) {
      this.#failure = { error, at: now(), isSlow: now() - start >= SLOW_FAILURE };
      throw error;
    }
  }
}

async function fetchKeySet(uri: string, fetch: GatewayPlatform["fetch"]): Promise<JSONWebKeySet> {
  const response = await fetch(uri, {
    headers: { accept: "application/jwk-set+json, application/json" },
    // A redirect isn't followed: it could name keys of another server than the one in the definition.
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
  return { keys: value.keys.filter(isKey) };
}

function isKeySet(value: unknown): value is { keys: readonly unknown[] } {
  return typeof value === "object" && value !== null && "keys" in value && Array.isArray(value.keys);
}

/** Tells whether an entry of a key set is a key. Other entries are ignored (RFC 7517, section 5). */
function isKey(value: unknown): value is JWK {
  return typeof value === "object" && value !== null && "kty" in value && typeof value.kty === "string";
}
