/**
 * The JSON Schema of `x-svc`. The types of the settings, docs/x-svc.md and the fields of custom resources are made from
 * this schema, so each setting is described once.
 *
 * Strings have a `pattern` that every valid string matches, in the common syntax of ECMAScript and RE2: the API server
 * of Kubernetes knows patterns only. Their `format` is the exact rule, checked by `EXTENSION_FORMATS`.
 *
 * @module
 */
import type { ExtensionFormat } from "./formats.ts";

/** A schema of a setting, in the keywords of JSON Schema 2020-12 that custom resources can express too. */
export interface SettingSchema {
  readonly type: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  /** Exactly one of some properties is required. */
  readonly oneOf?: readonly RequiredProperties[];
  /** At least one of some properties is required. */
  readonly anyOf?: readonly RequiredProperties[];
  readonly items?: SettingSchema;
  readonly minItems?: number;
  readonly enum?: readonly (string | number)[];
  readonly format?: ExtensionFormat | "double";
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A schema of objects that have some properties. */
export interface RequiredProperties {
  readonly required: readonly [string];
}

/** The type of the values that a schema allows. */
export type ValueOf<S> = S extends { enum: readonly (infer Value)[] } ? Value
  : S extends { type: "boolean" } ? boolean
  : S extends { type: "string" } ? string
  : S extends { type: "number" | "integer" } ? number
  : S extends { type: "array"; items: infer Item } ? ValueOf<Item>[]
  : S extends { properties: infer Properties; required: readonly (infer Name)[] }
    ? Fields<Pick<Properties, Name & keyof Properties>> & Partial<Fields<Omit<Properties, Name & keyof Properties>>>
  : S extends { properties: infer Properties } ? Partial<Fields<Properties>>
  : never;

type Fields<Properties> = { -readonly [Name in keyof Properties]: ValueOf<Properties[Name]> };

const BOOLEAN = { type: "boolean" } as const;
const PORT = { type: "integer", minimum: 1, maximum: 65535 } as const;
const SECONDS = { type: "number", format: "double", minimum: 0 } as const;
const WHOLE_SECONDS = { type: "integer", minimum: 0 } as const;
const NAME = { type: "string", minLength: 1 } as const;
const PATH = { type: "string", format: "path", pattern: "^/" } as const;
const URL = { type: "string", format: "http-url", pattern: "^[Hh][Tt][Tt][Pp][Ss]?:" } as const;
const HOST = { type: "string", format: "host", pattern: "^[-0-9A-Z_a-z.:\\[\\]]+$" } as const;
const TOKENS = { type: "array", items: { type: "string", format: "token", pattern: "^[^ \\t]+$" } } as const;

/** A Service of the cluster. */
export const SERVICE = {
  type: "object",
  description: "A Service of the cluster.",
  additionalProperties: false,
  properties: {
    name: { ...NAME, description: "Name of the Service." },
    namespace: {
      ...NAME,
      description: "Namespace of the Service. Default: that of the object. In another namespace a ReferenceGrant " +
        "there has to permit it.",
    },
    port: { ...PORT, description: "Port of the Service. Default: 80." },
  },
  required: ["name"],
} as const satisfies SettingSchema;

/** A host outside the cluster. */
export const UPSTREAM_HOST = {
  type: "object",
  description: "Any host.",
  additionalProperties: false,
  properties: {
    hostname: { ...HOST, description: "Host name or IP address, without scheme, port or path." },
    port: { ...PORT, description: "Port of the host. Default: 80." },
    tls: { ...BOOLEAN, description: "Whether requests to the host use TLS." },
  },
  required: ["hostname"],
} as const satisfies SettingSchema;

/** How the path changes on its way to the upstream. */
export const REWRITE = {
  type: "object",
  description: "How the path changes on its way to the upstream.",
  additionalProperties: false,
  properties: {
    // Whether RE2 takes the pattern is checked at a deployment: earlier versions accepted what RE2 doesn't know.
    pattern: {
      type: "string",
      format: "re2",
      description: "Regular expression of RE2, of at most 1,000 characters; each match in the path is replaced.",
    },
    substitution: {
      type: "string",
      description: "The replacement; \\1 is the text of the first group, \\0 the whole match.",
    },
  },
  required: ["pattern", "substitution"],
} as const satisfies SettingSchema;

const EXACTLY_ONE_TARGET = [{ required: ["service"] }, { required: ["host"] }] as const;

/** Where requests go. */
export const UPSTREAM = {
  type: "object",
  description: "Where requests go: exactly one of service and host.",
  additionalProperties: false,
  properties: { service: SERVICE, host: UPSTREAM_HOST, rewrite: REWRITE },
  oneOf: EXACTLY_ONE_TARGET,
} as const satisfies SettingSchema;

/** An upstream with its share of the requests. */
export const WEIGHTED_UPSTREAM = {
  type: "object",
  additionalProperties: false,
  properties: {
    ...UPSTREAM.properties,
    weight: { type: "integer", minimum: 0, maximum: 100, description: "Share of the requests, in per cent." },
  },
  required: ["weight"],
  oneOf: EXACTLY_ONE_TARGET,
} as const satisfies SettingSchema;

const REDIRECT = {
  type: "object",
  description: "Where clients are redirected; parts that aren't given stay as requested.",
  additionalProperties: false,
  properties: {
    scheme: { type: "string", enum: ["https", "http"], description: "https or http." },
    host: { ...HOST, description: "Host name or IP address." },
    port: { ...PORT, description: "Port. Default: that of the request, or that of scheme where this is given." },
    path: { ...PATH, description: "Path, instead of the requested one." },
    response_code: {
      type: "integer",
      enum: [301, 302, 303, 307, 308],
      description: "Status of the answer: 301, 302, 303, 307 or 308. Default: 302.",
    },
  },
  anyOf: [{ required: ["scheme"] }, { required: ["host"] }, { required: ["port"] }, { required: ["path"] }],
} as const satisfies SettingSchema;

const CORS = {
  type: "object",
  description: "Which pages of other origins may send requests (Fetch Standard, section 3.3).",
  additionalProperties: false,
  properties: {
    origins: {
      type: "array",
      items: { type: "string", format: "origin", pattern: "^([*]|[A-Za-z][-0-9A-Za-z+.]*://[^/]+)$" },
      description: "Origins of these pages: https://example.com, or * for all.",
    },
    methods: { ...TOKENS, description: "Methods that they may use." },
    headers: { ...TOKENS, description: "Request headers that they may send." },
    expose_headers: { ...TOKENS, description: "Response headers that they may read." },
    credentials: { ...BOOLEAN, description: "Whether they may send cookies and credentials; not for the origin *." },
    max_age: { ...WHOLE_SECONDS, description: "Seconds that the answer to a preflight may be cached." },
  },
} as const satisfies SettingSchema;

const RATE_LIMIT = {
  type: "object",
  description: "How many requests are let through; the others are answered 429.",
  additionalProperties: false,
  properties: {
    requests_per_unit: { type: "integer", minimum: 1, description: "Requests in each unit of time." },
    unit: {
      type: "string",
      enum: ["second", "minute", "hour"],
      description: "The unit of time: second, minute or hour.",
    },
  },
  required: ["requests_per_unit", "unit"],
} as const satisfies SettingSchema;

/** An issuer of tokens (RFC 7519). */
export const JWT_PROVIDER = {
  type: "object",
  additionalProperties: false,
  properties: {
    name: { ...NAME, description: "Name of the issuer, for messages." },
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

/** A login by OpenID Connect at the gateway. */
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

/** A server that authorizes each request. */
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

/** The schema of `x-svc`. An unknown key is refused: it may be a misspelt one. */
export const EXTENSION_SCHEMA = {
  type: "object",
  additionalProperties: false,
  properties: {
    hosts: {
      type: "array",
      minItems: 1,
      items: { type: "string", format: "host-pattern", pattern: "^([*]|([*][.])?[-0-9A-Z_a-z.:\\[\\]]+)$" },
      description: "Host names of the API; one that starts with *. stands for all names below. Default: any.",
    },
    path: {
      type: "object",
      description: "Where the paths stand at the gateway.",
      additionalProperties: false,
      properties: { prefix: { ...PATH, description: "Prefix of each path, such as /api/v1." } },
    },
    disabled: {
      ...BOOLEAN,
      description: "Answers 404: at the root for all paths of the definition, at a path for every method, at an " +
        "operation for its method (and HEAD with GET). An inner disabled: false makes an exception.",
    },
    websocket: { ...BOOLEAN, description: "Passes WebSocket upgrades on to the upstream." },
    mocking: {
      type: "object",
      description: "Which operations gw answers itself.",
      additionalProperties: false,
      properties: {
        enabled: { ...BOOLEAN, description: "Whether gw answers, instead of an upstream." },
        generate: { ...BOOLEAN, description: "Generates bodies from schemas where there are no examples." },
      },
    },
    validation: {
      type: "object",
      description: "Which messages the gateway validates.",
      additionalProperties: false,
      properties: {
        request: {
          type: "object",
          description: "Validation of requests against the definition.",
          additionalProperties: false,
          properties: { enabled: { ...BOOLEAN, description: "Whether invalid requests are answered 400." } },
        },
      },
    },
    upstream: UPSTREAM,
    upstreams: {
      type: "array",
      minItems: 1,
      items: WEIGHTED_UPSTREAM,
      description: "Several upstreams that share the requests; their weights total 100.",
    },
    redirect: REDIRECT,
    cors: CORS,
    qos: {
      type: "object",
      description: "Quality of service.",
      additionalProperties: false,
      properties: {
        retries: { type: "integer", minimum: 0, description: "Further attempts after a failed one." },
        request_timeout: { ...SECONDS, description: "Seconds until the upstream must have answered." },
        idle_timeout: { ...SECONDS, description: "Seconds that a connection may be silent." },
      },
    },
    rate_limit: RATE_LIMIT,
    cache: {
      type: "object",
      description: "Cache-Control of the answers. Those with no-store, private or a cookie stay as their upstream " +
        "gives them.",
      additionalProperties: false,
      properties: {
        enabled: { ...BOOLEAN, description: "Whether answers may be cached." },
        max_age: { ...WHOLE_SECONDS, description: "Seconds that they may be cached." },
      },
    },
    auth: {
      type: "object",
      description: "Which requests are let through: at least one of jwt, oauth2 and custom.",
      additionalProperties: false,
      properties: {
        jwt: {
          type: "object",
          description: "Requests need a token in their Authorization header (RFC 7519).",
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
    },
    public_api_path: {
      ...PATH,
      description: "Path at which the definition itself is served, without extensions and disabled operations.",
    },
    analysis: {
      type: "object",
      description: "Where figures are shown.",
      additionalProperties: false,
      properties: { url: { ...URL, description: "URL of the figures." } },
    },
  },
} as const satisfies SettingSchema;
