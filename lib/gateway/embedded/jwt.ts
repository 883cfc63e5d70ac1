/**
 * Verifies the JSON Web Tokens (RFC 7519) that requests have as bearer tokens (RFC 6750), by `x-svc.auth.jwt`.
 *
 * @module
 */
import type * as Jose from "jose";
import { loadOnce } from "../../http/load_once.ts";
import { messageOf } from "../../http/message.ts";
import type { JwtProvider } from "../../openapi/extension/settings.ts";
import { type Guard, problemReply, type Reply } from "./request_context.ts";
import { KeySet } from "./jwks.ts";
import type { GatewayPlatform } from "./platform.ts";

/** Finds the key that has signed a token. */
type Keys = Jose.JWTVerifyGetKey;

/** The seconds by which the clocks of an issuer and the gateway may differ, as in Envoy. */
const CLOCK_SKEW = 60;

interface Issuer {
  readonly provider: JwtProvider;
  readonly keySet: KeySet<Keys>;
}

/**
 * The result of verifying a token. `unknown`: the keys of the issuer are unavailable, for the reason `cause`, which is
 * for the log only.
 */
type Verdict =
  | { kind: "valid" }
  | { kind: "invalid"; reason: string }
  | { kind: "unknown"; reason: string; cause: string };

/**
 * Creates a guard that answers 401 to requests without a valid token, and 503 if the keys of the token's issuer are
 * unavailable.
 *
 * @param providers The issuers; a token of any of them is valid.
 */
export function createJwtGuard(
  providers: readonly JwtProvider[],
  platform: Pick<GatewayPlatform, "fetch" | "now">,
): Guard {
  const load = loadOnce(async () => {
    const jose = await import("jose");
    const issuers = providers.map((provider): Issuer => ({
      provider,
      keySet: new KeySet(provider.jwks_uri, platform, (keys) => lookupIn(jose, keys)),
    }));
    return { jose, issuers };
  });

  return async ({ request }) => {
    const token = bearerToken(request.headers.get("authorization"));
    if (token === undefined) return unauthorized("The request has no bearer token.", "Bearer");
    const { jose, issuers } = await load();
    const verdict = await verifyByAny(jose, token, issuers, platform.now());
    switch (verdict.kind) {
      case "valid":
        return undefined;
      case "invalid": {
        const description = verdict.reason.replace(/[^\x20-\x7e]|["\\]/g, "'");
        const challenge = `Bearer error="invalid_token", error_description="${description}"`;
        return unauthorized(`The bearer token is refused: ${verdict.reason}.`, challenge);
      }
      case "unknown": {
        const detail = `The bearer token can't be verified: ${verdict.reason}.`;
        const problem = { title: "Service Unavailable", status: 503, detail };
        return { ...problemReply(problem, [["retry-after", "5"]]), detail: verdict.cause };
      }
    }
  };
}

/**
 * Creates the lookup of a token's key. A key without `kid` fits a token with one, as in Envoy: `kid` is optional in a key
 * set (RFC 7517, section 4.5). Keys with the token's `kid` come first.
 */
function lookupIn(jose: typeof Jose, { keys }: Jose.JSONWebKeySet): Keys {
  const all = jose.createLocalJWKSet({ keys });
  const unnamed = jose.createLocalJWKSet({ keys: keys.filter(({ kid }) => kid === undefined) });
  return async (header, token) => {
    try {
      return await all(header, token);
    } catch (error) {
      if (!(error instanceof jose.errors.JWKSNoMatchingKey) || header?.kid === undefined) throw error;
      const { kid: _kid, ...others } = header;
      return await unnamed(others, token);
    }
  };
}

async function verifyByAny(
  jose: typeof Jose,
  token: string,
  issuers: readonly Issuer[],
  now: number,
): Promise<Verdict> {
  const claims = claimsOf(jose, token);
  // A malformed token is refused before keys are fetched, so that a client can't cause fetches by it.
  if (claims === undefined) return { kind: "invalid", reason: "it is no signed JSON Web Token" };
  let verdict: Verdict = { kind: "invalid", reason: "its issuer is not one of those accepted here" };
  for (const issuer of issuers) {
    if (issuer.provider.issuer !== undefined && issuer.provider.issuer !== claims.iss) continue;
    verdict = await verify(jose, token, issuer, now);
    if (verdict.kind === "valid") return verdict;
  }
  return verdict;
}

/** Returns the claims of a token without verifying it; `undefined` for a malformed token. */
function claimsOf(jose: typeof Jose, token: string): Jose.JWTPayload | undefined {
  try {
    const { alg } = jose.decodeProtectedHeader(token);
    return token.split(".").length === 3 && typeof alg === "string" ? jose.decodeJwt(token) : undefined;
  } catch {
    return undefined;
  }
}

async function verify(jose: typeof Jose, token: string, { provider, keySet }: Issuer, now: number): Promise<Verdict> {
  let keys: Keys;
  try {
    keys = await keySet.keys();
  } catch (error) {
    return { kind: "unknown", reason: `the keys of ${provider.name} can't be fetched`, cause: messageOf(error) };
  }
  const verdict = await verifyWith(jose, token, keys, provider, now);
  if (verdict !== "no-such-key") return verdict;
  const newer = await keySet.newer(keys);
  const again = newer === undefined ? verdict : await verifyWith(jose, token, newer, provider, now);
  return again === "no-such-key" ? { kind: "invalid", reason: `${provider.name} has no such key` } : again;
}

async function verifyWith(
  jose: typeof Jose,
  token: string,
  keys: Keys,
  { issuer, audiences = [] }: JwtProvider,
  now: number,
): Promise<Verdict | "no-such-key"> {
  const options: Jose.JWTVerifyOptions = {
    currentDate: new Date(now),
    clockTolerance: CLOCK_SKEW,
    ...(issuer === undefined ? {} : { issuer }),
    ...(audiences.length === 0 ? {} : { audience: audiences }),
  };
  try {
    await jose.jwtVerify(token, keys, options);
    return { kind: "valid" };
  } catch (error) {
    if (error instanceof jose.errors.JWKSNoMatchingKey) return "no-such-key";
    if (!(error instanceof jose.errors.JWKSMultipleMatchingKeys)) return { kind: "invalid", reason: messageOf(error) };
    // A token without `kid` may be signed by any key that fits its algorithm, so each of these keys is tried.
    let reason = messageOf(error);
    for await (const key of error) {
      try {
        await jose.jwtVerify(token, key, options);
        return { kind: "valid" };
      } catch (other) {
        reason = messageOf(other);
      }
    }
    return { kind: "invalid", reason };
  }
}

function bearerToken(authorization: string | null): string | undefined {
  return /^bearer +([^\s]+) *$/i.exec(authorization ?? "")?.[1];
}

function unauthorized(detail: string, challenge: string): Reply {
  return problemReply({ title: "Unauthorized", status: 401, detail }, [["www-authenticate", challenge]]);
}
