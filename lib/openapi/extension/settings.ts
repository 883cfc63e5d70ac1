/**
 * The keys of `x-svc`: their types, where each may stand, and what its values have to be like.
 *
 * @module
 */
import { isToken } from "../../http/token.ts";
import type { ShapeOf, Syntax } from "./shape.ts";

/** What `x-svc` says. */
export interface ExtensionSettings {
  /** Host names that the API answers to, `*.` in front for all names below; root only. Default: any. */
  hosts?: string[];
  path?: PathSettings;
  /** Hides the operation: it answers 404. */
  disabled?: boolean;
  /** Passes WebSocket upgrades on to the upstream. */
  websocket?: boolean;
  mocking?: MockingSettings;
  validation?: ValidationSettings;
  upstream?: Upstream;
  /** Several upstreams that share the requests by weight. */
  upstreams?: WeightedUpstream[];
  redirect?: Redirect;
  cors?: CorsSettings;
  qos?: QosSettings;
  rate_limit?: RateLimit;
  cache?: CacheSettings;
  auth?: AuthSettings;
  /** Path at which the definition itself is served, without its extensions; root only. */
  public_api_path?: string;
  analysis?: AnalysisSettings;
}

/** Where the paths of the definition stand at the gateway; root and path level. */
export interface PathSettings {
  /** Put in front of each path: `/api/v1`. */
  prefix?: string;
}

/** Which operations are answered by the gateway itself. */
export interface MockingSettings {
  enabled?: boolean;
  /** Makes bodies from schemas where there are no examples. */
  generate?: boolean;
}

/** What the gateway checks. */
export interface ValidationSettings {
  request?: { enabled?: boolean };
}

/** Where requests go: exactly one of `service` and `host`. */
export interface Upstream {
  service?: UpstreamService;
  host?: UpstreamHost;
  rewrite?: Rewrite;
}

/** An upstream with its share of the requests, in per cent. */
export interface WeightedUpstream extends Upstream {
  weight: number;
}

/** A service of the cluster. */
export interface UpstreamService {
  name: string;
  /** Default: the namespace of the API. */
  namespace?: string;
  /** Default: 80. */
  port?: number;
}

/** A host anywhere. */
export interface UpstreamHost {
  /** A host name or an IP address. */
  hostname: string;
  /** Default: 80. */
  port?: number;
  tls?: boolean;
}

/** How the path changes on its way to the upstream. */
export interface Rewrite {
  /** Regular expression of RE2; each match is replaced. */
  pattern: string;
  /** Its replacement; `\1` is the first group, `\0` the whole match. */
  substitution: string;
}

/** Where the client is sent instead; what isn't given stays as it was requested. */
export interface Redirect {
  scheme?: "https" | "http";
  host?: string;
  port?: number;
  path?: string;
  /** Default: 302. */
  response_code?: 301 | 302 | 303 | 307 | 308;
}

/** Cross-origin requests (Fetch Standard, section 3.3). */
export interface CorsSettings {
  origins?: string[];
  methods?: string[];
  headers?: string[];
  expose_headers?: string[];
  credentials?: boolean;
  /** Seconds that a preflight answer may be kept. */
  max_age?: number;
}

/** Quality of service. */
export interface QosSettings {
  /** Further attempts after a failed one. */
  retries?: number;
  /** Seconds until the upstream must have answered. */
  request_timeout?: number;
  /** Seconds that a connection may be silent. */
  idle_timeout?: number;
}

/** How many requests are let through. */
export interface RateLimit {
  requests_per_unit: number;
  unit: "second" | "minute" | "hour";
}

/** What `Cache-Control` says of the answers. */
export interface CacheSettings {
  enabled?: boolean;
  /** Seconds. */
  max_age?: number;
}

/** Who is let through. */
export interface AuthSettings {
  jwt?: { providers: JwtProvider[] };
  oauth2?: Oauth2Settings;
  custom?: CustomAuth;
}

/** An issuer of tokens (RFC 7519). */
export interface JwtProvider {
  name: string;
  issuer?: string;
  audiences?: string[];
  /** Where the issuer's keys are (RFC 7517). */
  jwks_uri: string;
}

/** A login by OpenID Connect at the gateway. */
export interface Oauth2Settings {
  issuer: string;
  client_id: string;
  /** Name and key of the Secret that holds the client's secret. */
  client_secret_ref: { name: string; key: string };
  redirect_url?: string;
  logout_path?: string;
  scopes?: string[];
  forward_access_token?: boolean;
}

/** A server that is asked about each request: exactly one of `service` and `host`. */
export interface CustomAuth {
  service?: UpstreamService;
  host?: UpstreamHost;
  /** Path that the server is asked at. Default: that of the request. */
  path?: string;
  /** Headers of its answer that the upstream gets, in place of those that a client sends. */
  response_headers?: string[];
}

/** Where the API's figures are; root only. */
export interface AnalysisSettings {
  url?: string;
}

/** What an `x-svc` stands in. */
export type Level = "root" | "path" | "operation";

/** Where a key of `x-svc` may stand, and what its value has to be like. */
export type ExtensionKeys = {
  [Key in keyof ExtensionSettings]-?: { at: readonly Level[]; shape: ShapeOf<NonNullable<ExtensionSettings[Key]>> };
};

const ANYWHERE = ["root", "path", "operation"] as const;

const PATH: Syntax = {
  accepts: (text) => text.startsWith("/"),
  description: "a path that starts with `/`",
  pattern: "^/",
};
const FILLED: Syntax = {
  accepts: (text) => text !== "",
  description: "a string that isn't empty",
  pattern: "[\\s\\S]",
};
const URL_: Syntax = {
  accepts: (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""),
  description: "a URL that starts with `https://` or `http://`",
  pattern: "^[Hh][Tt][Tt][Pp][Ss]?:",
};
const LABEL = "[a-z0-9_](?:[-a-z0-9_]*[a-z0-9_])?";
const HOSTNAME = new RegExp(`^(?:${LABEL}\\.)*${LABEL}\\.?$`, "i");
const HOST: Syntax = {
  accepts: isHostname,
  description: "a host name or an IP address, such as `api.example.com`, without scheme, port or path",
  pattern: "^[-0-9A-Z_a-z.:\\[\\]]+$",
};
const HOST_PATTERN: Syntax = {
  accepts: (text) => text === "*" || isHostname(text.startsWith("*.") ? text.slice(2) : text),
  description: "`*`, or a host name, such as `api.example.com` or `*.example.com`",
  pattern: "^([*]|([*][.])?[-0-9A-Z_a-z.:\\[\\]]+)$",
};
const ORIGIN: Syntax = {
  accepts: (text) => text === "*" || /^[a-z][-a-z0-9+.]*:\/\/[^/\s]+$/i.test(text),
  description: "`*`, or an origin, such as `https://example.com`",
  pattern: "^([*]|[A-Za-z][-0-9A-Za-z+.]*://[^/]+)$",
};
const TOKEN: Syntax = {
  accepts: isToken,
  description: "a name without spaces",
  pattern: "^[^ \\t]+$",
};
/** Headers that a server which decides can't set: those of connections and bodies, and those that gateways write. */
const GATEWAY_HEADERS = new RegExp(
  "^(?:connection|content-.*|date|expect|forwarded|host|keep-alive|proxy-.*|set-cookie2?|te|trailer|transfer-encoding|" +
    "upgrade|via|x-envoy-.*|x-forwarded-.*|x-svc-.*)$",
  "i",
);
const RESPONSE_HEADER: Syntax = {
  accepts: (text) => TOKEN.accepts(text) && !GATEWAY_HEADERS.test(text.replaceAll("_", "-")),
  description: "the name of a header such as `x-user`, and not one of connections, bodies or gateways",
  pattern: "^[-!#$%&'*+.^_`|~0-9A-Za-z]+$",
};
/** Whether RE2 takes it is found at a deployment: earlier versions have accepted what RE2 doesn't know. */
const REGEXP: Syntax = { accepts: () => true, description: "a regular expression of RE2" };

const BOOLEAN = { kind: "boolean" } as const;
const SECONDS = { kind: "number", least: 0 } as const;
const WHOLE_SECONDS = { kind: "number", whole: true, least: 0 } as const;
const PORT = { kind: "number", whole: true, least: 1, most: 65535 } as const;
const NAME = { kind: "text", syntax: FILLED } as const;
const TOKENS = { kind: "list", items: { kind: "text", syntax: TOKEN } } as const;

const SERVICE: ShapeOf<UpstreamService> = {
  kind: "object",
  fields: { name: NAME, namespace: NAME, port: PORT },
  required: ["name"],
};
const UPSTREAM_HOST: ShapeOf<UpstreamHost> = {
  kind: "object",
  fields: { hostname: { kind: "text", syntax: HOST }, port: PORT, tls: BOOLEAN },
  required: ["hostname"],
};
const REWRITE: ShapeOf<Rewrite> = {
  kind: "object",
  fields: { pattern: { kind: "text", syntax: REGEXP }, substitution: { kind: "text" } },
  required: ["pattern", "substitution"],
};
const UPSTREAM = { service: SERVICE, host: UPSTREAM_HOST, rewrite: REWRITE } as const;

/** The keys of `x-svc`. */
export const EXTENSION_KEYS: ExtensionKeys = {
  hosts: { at: ["root"], shape: { kind: "list", items: { kind: "text", syntax: HOST_PATTERN }, filled: true } },
  path: { at: ["root", "path"], shape: { kind: "object", fields: { prefix: { kind: "text", syntax: PATH } } } },
  disabled: { at: ANYWHERE, shape: BOOLEAN },
  websocket: { at: ANYWHERE, shape: BOOLEAN },
  mocking: { at: ANYWHERE, shape: { kind: "object", fields: { enabled: BOOLEAN, generate: BOOLEAN } } },
  validation: {
    at: ANYWHERE,
    shape: { kind: "object", fields: { request: { kind: "object", fields: { enabled: BOOLEAN } } } },
  },
  upstream: { at: ANYWHERE, shape: { kind: "object", fields: UPSTREAM, exactlyOne: ["service", "host"] } },
  upstreams: {
    at: ANYWHERE,
    shape: {
      kind: "list",
      filled: true,
      items: {
        kind: "object",
        fields: { ...UPSTREAM, weight: { kind: "number", whole: true, least: 0, most: 100 } },
        required: ["weight"],
        exactlyOne: ["service", "host"],
      },
    },
  },
  redirect: {
    at: ANYWHERE,
    shape: {
      kind: "object",
      fields: {
        scheme: { kind: "text", among: ["https", "http"] },
        host: { kind: "text", syntax: HOST },
        port: PORT,
        path: { kind: "text", syntax: PATH },
        response_code: { kind: "number", among: [301, 302, 303, 307, 308] },
      },
      someOf: ["scheme", "host", "port", "path"],
    },
  },
  cors: {
    at: ANYWHERE,
    shape: {
      kind: "object",
      fields: {
        origins: { kind: "list", items: { kind: "text", syntax: ORIGIN } },
        methods: TOKENS,
        headers: TOKENS,
        expose_headers: TOKENS,
        credentials: BOOLEAN,
        max_age: WHOLE_SECONDS,
      },
    },
  },
  qos: {
    at: ANYWHERE,
    shape: {
      kind: "object",
      fields: {
        retries: { kind: "number", whole: true, least: 0 },
        request_timeout: SECONDS,
        idle_timeout: SECONDS,
      },
    },
  },
  rate_limit: {
    at: ANYWHERE,
    shape: {
      kind: "object",
      fields: {
        requests_per_unit: { kind: "number", whole: true, least: 1 },
        unit: { kind: "text", among: ["second", "minute", "hour"] },
      },
      required: ["requests_per_unit", "unit"],
    },
  },
  cache: { at: ANYWHERE, shape: { kind: "object", fields: { enabled: BOOLEAN, max_age: WHOLE_SECONDS } } },
  auth: {
    at: ANYWHERE,
    shape: {
      kind: "object",
      fields: {
        jwt: {
          kind: "object",
          fields: {
            providers: {
              kind: "list",
              filled: true,
              items: {
                kind: "object",
                fields: {
                  name: NAME,
                  issuer: NAME,
                  audiences: { kind: "list", items: NAME },
                  jwks_uri: { kind: "text", syntax: URL_ },
                },
                required: ["name", "jwks_uri"],
              },
            },
          },
          required: ["providers"],
        },
        oauth2: {
          kind: "object",
          fields: {
            issuer: { kind: "text", syntax: URL_ },
            client_id: NAME,
            client_secret_ref: { kind: "object", fields: { name: NAME, key: NAME }, required: ["name", "key"] },
            redirect_url: NAME,
            logout_path: { kind: "text", syntax: PATH },
            scopes: { kind: "list", items: NAME },
            forward_access_token: BOOLEAN,
          },
          required: ["issuer", "client_id", "client_secret_ref"],
        },
        custom: {
          kind: "object",
          fields: {
            service: SERVICE,
            host: UPSTREAM_HOST,
            path: { kind: "text", syntax: PATH },
            response_headers: { kind: "list", items: { kind: "text", syntax: RESPONSE_HEADER } },
          },
          exactlyOne: ["service", "host"],
        },
      },
      someOf: ["jwt", "oauth2", "custom"],
    },
  },
  public_api_path: { at: ["root"], shape: { kind: "text", syntax: PATH } },
  analysis: { at: ["root"], shape: { kind: "object", fields: { url: { kind: "text", syntax: URL_ } } } },
};

/** Host names, IPv4 addresses (which look like host names), and IPv6 addresses with or without brackets. */
function isHostname(text: string): boolean {
  if (text.includes(":")) return URL.canParse(`http://${text.startsWith("[") ? text : `[${text}]`}/`);
  return text.length <= 253 && HOSTNAME.test(text);
}
