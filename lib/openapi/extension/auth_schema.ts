import { BOOLEAN, NAME, PATH, type SettingSchema, URL } from "./setting_schema.ts";
import { EXACTLY_ONE_TARGET, SERVICE, UPSTREAM_HOST } from "./upstream_schema.ts";

/** An issuer of JSON Web Tokens (RFC 7519) that are accepted. */
export const JWT_PROVIDER = {
  type: "object",
  additionalProperties: false,
  properties: {
    name: { ...NAME, deployable: { maxLength: 253 }, description: "Name of the issuer, for messages." },
    issuer: { ...NAME, description: "Value of the claim iss. Default: any." },
    audiences: {
      type: "array",
      items: NAME,
      description: "Audiences, one of which the claim aud must name. Default: any.",
    },
    jwks_uri: { ...URL, description: "URL of the issuer's keys (RFC 7517)." },
  },
  required: ["name", "jwks_uri"],
} as const satisfies SettingSchema;

/** Login of users at the gateway with OpenID Connect. */
export const OAUTH2 = {
  type: "object",
  description: "Users log in by OpenID Connect. Programs (JSON in Accept, a bearer token, scripts of pages) get 401 " +
    "instead of the provider's page; with jwt beside it, those with a token need no login.",
  additionalProperties: false,
  properties: {
    issuer: {
      ...URL,
      description: "URL of the OpenID provider; in a cluster https with the name of a host, whose certificate the " +
        "gateway's system trusts.",
    },
    client_id: {
      ...NAME,
      description: "The gateway's name at the provider. Logins on one host have the same issuer and client_id.",
    },
    client_secret_ref: {
      type: "object",
      description: "The Secret that holds the client's secret.",
      additionalProperties: false,
      properties: {
        name: { ...NAME, description: "Name of the Secret, in the namespace of the object." },
        key: { ...NAME, description: "Key in the Secret; in a cluster client-secret." },
      },
      required: ["name", "key"],
    },
    redirect_url: {
      ...NAME,
      description: "URL to which the provider sends users back. Default: /oauth2/callback below the prefix, on the " +
        "host of the request.",
    },
    logout_path: { ...PATH, description: "Path that ends a login. Default: /oauth2/logout below the prefix." },
    scopes: { type: "array", items: NAME, description: "Scopes to request beside openid." },
    forward_access_token: {
      ...BOOLEAN,
      description: "Whether the upstream gets the access token in the header Authorization. In its cookies Envoy " +
        "passes it on in any case.",
    },
  },
  required: ["issuer", "client_id", "client_secret_ref"],
} as const satisfies SettingSchema;

/** An authorization server that the gateway asks about each request. */
export const CUSTOM_AUTH = {
  type: "object",
  description: "A server that authorizes each request: exactly one of service and host.",
  additionalProperties: false,
  properties: {
    service: SERVICE,
    host: UPSTREAM_HOST,
    path: { ...PATH, description: "Path of the request to this server. Default: the path of the client's request." },
    response_headers: {
      type: "array",
      items: { type: "string", format: "response-header", pattern: "^[-!#$%&'*+.^_`|~0-9A-Za-z]+$" },
      description: "Headers of the server's answer that the upstream gets, such as x-user; those that a client sends " +
        "are removed. Default: none.",
    },
  },
  oneOf: EXACTLY_ONE_TARGET,
} as const satisfies SettingSchema;

export const AUTH = {
  type: "object",
  description: "Which requests are let through: at least one of jwt, oauth2 and custom.",
  additionalProperties: false,
  properties: {
    jwt: {
      type: "object",
      description: "Requests need a token in their Authorization header (RFC 7519). Clocks may differ by 60 s.",
      additionalProperties: false,
      properties: {
        providers: {
          type: "array",
          minItems: 1,
          items: JWT_PROVIDER,
          description: "Issuers of tokens; one of them is enough.",
        },
      },
      required: ["providers"],
    },
    oauth2: OAUTH2,
    custom: CUSTOM_AUTH,
  },
  anyOf: [{ required: ["jwt"] }, { required: ["oauth2"] }, { required: ["custom"] }],
} as const satisfies SettingSchema;
