/**
 * An OpenID Connect provider with a host name outside the cluster, and a certificate that pods trust. Its only user is
 * always logged in.
 *
 * @module
 */
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { createServerCertificate } from "./certificates.ts";
import { OUTSIDE } from "./pod.ts";

/** A client that is registered with the provider. */
export interface Client {
  id: string;
  secret: string;
  /** The URIs to which the provider may redirect users after a login. */
  redirectUris: readonly string[];
}

export interface OpenIdProvider extends AsyncDisposable {
  readonly issuer: string;
  /** The certificate of the authority that signed the provider's certificate, as PEM. */
  readonly authority: string;
  /** The registered clients. Tests may add clients. */
  readonly clients: Client[];
  /** The requests to the provider: the path, and the parameters of form or query without secrets. */
  readonly requests: { path: string; parameters: Record<string, string> }[];
  /**
   * Whether the provider answers 404 to everything, like a proxy whose backend is gone. Envoy Gateway doesn't retry
   * then.
   */
  isAway: boolean;
  /** The lifetime of tokens, in seconds. */
  lifetime: number;
  /** Whether the provider issues new tokens for refresh tokens. */
  isRefreshing: boolean;
  /** Makes an access token for a client that is a program. */
  sign(clientId: string): Promise<string>;
}

/** What an authorization code stands for. */
interface Grant {
  client: Client;
  scope: string;
  redirectUri?: string;
  challenge?: string;
}

/**
 * Starts a provider.
 *
 * @param pki The folder of the certificate authority that signs the provider's certificate.
 */
export async function startOpenIdProvider(pki: string): Promise<OpenIdProvider> {
  await createServerCertificate(pki, "openid-provider", [OUTSIDE.name]);
  const [cert, key, authority] = await Promise.all(
    ["openid-provider.crt", "openid-provider.key", "ca.crt"].map((file) => Deno.readTextFile(`${pki}/${file}`)),
  );
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const jwk = { ...await exportJWK(publicKey), kid: "1", alg: "RS256", use: "sig" };
  const codes = new Map<string, Grant>();
  const refreshTokens = new Map<string, Grant>();
  const server = Deno.serve(
    { hostname: OUTSIDE.address, port: 0, cert: cert ?? "", key: key ?? "", onListen: () => {} },
    async (request) => provider.isAway ? new Response(null, { status: 404 }) : await answer(request),
  );
  const issuer = `https://${OUTSIDE.name}:${server.addr.port}`;
  const provider: OpenIdProvider = {
    issuer,
    authority: authority ?? "",
    clients: [],
    requests: [],
    isAway: false,
    lifetime: 3600,
    isRefreshing: true,
    sign,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return provider;

  async function answer(request: Request): Promise<Response> {
    const { pathname: path, searchParams } = new URL(request.url);
    const form = request.method === "POST" ? new URLSearchParams(await request.text()) : searchParams;
    provider.requests.push({ path, parameters: Object.fromEntries(form) });
    switch (path) {
      case "/.well-known/openid-configuration":
        return Response.json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          end_session_endpoint: `${issuer}/logout`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256"],
          code_challenge_methods_supported: ["S256"],
        });
      case "/keys":
        return Response.json({ keys: [jwk] });
      case "/authorize":
        return authorize(form);
      case "/token":
        return await giveTokens(form, request.headers.get("authorization") ?? "");
      case "/logout":
        return Response.redirect(form.get("post_logout_redirect_uri") ?? issuer);
      default:
        return new Response("Welcome.", { status: path === "/" ? 200 : 404 });
    }
  }

  /** The authorization endpoint. The user consents at once (OpenID Connect Core, section 3.1.2). */
  function authorize(query: URLSearchParams): Response {
    const client = provider.clients.find(({ id }) => id === query.get("client_id"));
    const redirectUri = query.get("redirect_uri") ?? "";
    if (client === undefined || !client.redirectUris.includes(redirectUri)) return refuse("invalid_request");
    const scope = query.get("scope") ?? "";
    const challenge = query.get("code_challenge");
    const location = new URL(redirectUri);
    location.searchParams.set("state", query.get("state") ?? "");
    if (query.get("response_type") !== "code" || !scope.split(" ").includes("openid")) {
      location.searchParams.set("error", "invalid_request");
    } else {
      const code = crypto.randomUUID();
      codes.set(code, { client, scope, redirectUri, ...(challenge === null ? {} : { challenge }) });
      location.searchParams.set("code", code);
    }
    return Response.redirect(location);
  }

  /** The token endpoint (OpenID Connect Core, section 3.1.3), with the code verifier of RFC 7636. */
  async function giveTokens(form: URLSearchParams, authorization: string): Promise<Response> {
    const [id, secret] = atob(authorization.replace(/^Basic /, "")).split(":");
    const client = provider.clients.find((client) => client.id === id && client.secret === secret);
    if (client === undefined) return refuse("invalid_client", 401);
    const grant = await takeGrant(form);
    if (grant === undefined || grant.client !== client) return refuse("invalid_grant");
    const refreshToken = crypto.randomUUID();
    refreshTokens.set(refreshToken, grant);
    return Response.json({
      access_token: await sign(client.id, grant.scope),
      id_token: await sign(client.id),
      refresh_token: refreshToken,
      token_type: "Bearer",
      expires_in: provider.lifetime,
    });
  }

  async function takeGrant(form: URLSearchParams): Promise<Grant | undefined> {
    if (form.get("grant_type") === "refresh_token") {
      return provider.isRefreshing ? refreshTokens.get(form.get("refresh_token") ?? "") : undefined;
    }
    const code = form.get("code") ?? "";
    const grant = codes.get(code);
    codes.delete(code);
    if (grant === undefined || form.get("redirect_uri") !== grant.redirectUri) return undefined;
    const verifier = new TextEncoder().encode(form.get("code_verifier") ?? "");
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", verifier));
    const challenge = digest.toBase64({ alphabet: "base64url", omitPadding: true });
    return grant.challenge === undefined || grant.challenge === challenge ? grant : undefined;
  }

  function sign(audience: string, scope?: string): Promise<string> {
    return new SignJWT({ sub: "jane", ...(scope === undefined ? {} : { scope }) })
      .setProtectedHeader({ alg: "RS256", kid: "1" })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(`${provider.lifetime}s`)
      .setJti(crypto.randomUUID())
      .sign(privateKey);
  }
}

/** An error response of the token endpoint (RFC 6749, section 5.2). */
function refuse(error: string, status = 400): Response {
  return Response.json({ error }, { status });
}
