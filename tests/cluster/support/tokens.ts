/**
 * An issuer of JSON Web Tokens, which serves its keys (JWKS).
 *
 * @module
 */
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { startUpstream } from "./upstream.ts";

export interface Issuer extends AsyncDisposable {
  readonly issuer: string;
  readonly jwksUri: string;
  /** Makes a token that is valid for an hour. */
  sign(audience: string): Promise<string>;
}

export async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const key = { ...await exportJWK(publicKey), kid: "test", alg: "RS256", use: "sig" };
  const server = startUpstream("issuer", () => Response.json({ keys: [key] }));
  const issuer = "https://issuer.test";
  return {
    issuer,
    jwksUri: `http://${server.address}:${server.port}/jwks.json`,
    sign: (audience) =>
      new SignJWT({ sub: "jane" })
        .setProtectedHeader({ alg: "RS256", kid: "test" })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime("1h")
        .sign(privateKey),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
