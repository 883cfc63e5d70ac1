/**
 * What `kubectl explain` says of the settings of `x-svc`, where custom resources have them as fields.
 *
 * @module
 */

const SERVICE: Readonly<Record<string, string>> = {
  "service": "A Service of the cluster.",
  "service.name": "Name of the Service.",
  "service.namespace": "Namespace of the Service. Default: that of the object. In another namespace a ReferenceGrant " +
    "there has to permit it.",
  "service.port": "Port of the Service. Default: 80.",
};

const HOST: Readonly<Record<string, string>> = {
  "host": "A host anywhere.",
  "host.hostname": "Host name or IP address, without scheme, port or path.",
  "host.port": "Port of the host. Default: 80.",
  "host.tls": "Whether the host is spoken to by TLS.",
};

const UPSTREAM: Readonly<Record<string, string>> = {
  ...SERVICE,
  ...HOST,
  "rewrite": "How the path changes on its way to the upstream.",
  "rewrite.pattern": "Regular expression of RE2, of at most 1,000 characters; what it finds in the path is replaced.",
  "rewrite.substitution":
    "What comes in its place; \\1 is what the first group has found, \\0 what the whole pattern has found.",
};

/** What each setting means, by where it stands in `x-svc`; `[]` are the items of a list. */
export const EXTENSION_DOCUMENTATION: Readonly<Record<string, string>> = {
  "hosts": "Host names that are answered to; one that starts with *. stands for all names below. Default: any.",
  "path": "Where the paths stand at the gateway.",
  "path.prefix": "What stands in front of each path, such as /api/v1.",
  "disabled":
    "Answers 404: at the root for all paths of the definition, at a path for every method, at an operation for its method (and HEAD with GET). An inner disabled: false makes an exception.",
  "websocket": "Passes WebSocket upgrades on to the upstream.",
  "mocking": "Which operations gw answers itself.",
  "mocking.enabled": "Whether gw answers, instead of an upstream.",
  "mocking.generate": "Makes bodies from schemas where there are no examples.",
  "validation": "What the gateway checks.",
  "validation.request": "Whether requests have to be as the definition wants them.",
  "validation.request.enabled": "Whether other requests are answered 400.",
  "upstream": "Where requests go: exactly one of service and host.",
  ...under("upstream", UPSTREAM),
  "upstreams": "Several upstreams that share the requests; their weights total 100.",
  ...under("upstreams[]", UPSTREAM),
  "upstreams[].weight": "Its share of the requests, in per cent.",
  "redirect": "Where the client is sent instead; what isn't given stays as it was requested.",
  "redirect.scheme": "https or http.",
  "redirect.host": "Host name or IP address.",
  "redirect.port": "Port. Default: that of the request, or that of scheme where this is given.",
  "redirect.path": "Path, instead of the requested one.",
  "redirect.response_code": "Status of the answer: 301, 302, 303, 307 or 308. Default: 302.",
  "cors": "Which pages of other origins may ask (Fetch Standard, section 3.3).",
  "cors.origins": "Origins whose pages may ask: https://example.com, or * for all.",
  "cors.methods": "Methods that they may use.",
  "cors.headers": "Request headers that they may send.",
  "cors.expose_headers": "Response headers that they may read.",
  "cors.credentials": "Whether they may send cookies and credentials; not for the origin *.",
  "cors.max_age": "Seconds that the answer to a preflight may be kept.",
  "qos": "Quality of service.",
  "qos.retries": "Further attempts after a failed one.",
  "qos.request_timeout": "Seconds until the upstream must have answered.",
  "qos.idle_timeout": "Seconds that a connection may be silent.",
  "rate_limit": "How many requests are let through; the others are answered 429.",
  "rate_limit.requests_per_unit": "Requests in each unit of time.",
  "rate_limit.unit": "The unit of time: second, minute or hour.",
  "cache":
    "What Cache-Control says of the answers. Those with no-store, private or a cookie stay as their upstream gives them.",
  "cache.enabled": "Whether answers may be kept.",
  "cache.max_age": "Seconds that they may be kept.",
  "auth": "Who is let through: one of jwt, oauth2 and custom at least.",
  "auth.jwt": "Requests need a token in their Authorization header (RFC 7519).",
  "auth.jwt.providers": "Issuers of tokens; one of them is enough.",
  "auth.jwt.providers[].name": "Name of the issuer, for messages.",
  "auth.jwt.providers[].issuer": "What the claim iss has to be. Default: anything.",
  "auth.jwt.providers[].audiences": "Of these the claim aud needs one. Default: anything.",
  "auth.jwt.providers[].jwks_uri": "URL of the issuer's keys (RFC 7517).",
  "auth.oauth2":
    "Users log in by OpenID Connect. Programs (JSON in Accept, a bearer token, scripts of pages) get 401 instead of the provider's page; with jwt beside it, those with a token need no login.",
  "auth.oauth2.issuer":
    "URL of the OpenID provider; in a cluster https with the name of a host, whose certificate the gateway's system trusts.",
  "auth.oauth2.client_id": "The gateway's name at the provider. Logins on one host have the same issuer and client_id.",
  "auth.oauth2.client_secret_ref": "The Secret that holds the client's secret.",
  "auth.oauth2.client_secret_ref.name": "Name of the Secret, in the namespace of the object.",
  "auth.oauth2.client_secret_ref.key": "Key in the Secret; in a cluster client-secret.",
  "auth.oauth2.redirect_url":
    "URL to which the provider sends users back. Default: /oauth2/callback below the prefix, on the host of the request.",
  "auth.oauth2.logout_path": "Path that ends a login. Default: /oauth2/logout below the prefix.",
  "auth.oauth2.scopes": "Scopes that are asked for beside openid.",
  "auth.oauth2.forward_access_token":
    "Whether the upstream gets the access token in the header Authorization. In its cookies Envoy passes it on in any case.",
  "auth.custom": "A server that is asked about each request: exactly one of service and host.",
  ...under("auth.custom", { ...SERVICE, ...HOST }),
  "auth.custom.path": "Path that it is asked at, instead of the path of the request. Default: that path.",
  "auth.custom.response_headers":
    "Headers of its answer that the upstream gets, such as x-user; those that a client sends are removed. Default: none.",
  "public_api_path": "Path at which the definition itself is served, without extensions and disabled operations.",
  "analysis": "Where figures are shown.",
  "analysis.url": "URL of the figures.",
};

function under(path: string, documentation: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(documentation).map(([field, text]) => [`${path}.${field}`, text]));
}
