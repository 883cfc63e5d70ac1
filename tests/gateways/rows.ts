/** The table of exchanges that both gateways answer alike. See row.ts. */
import { DEFINITION_PATH, type Row } from "./row.ts";

const FINE = { responses: { 200: { description: "Fine." } } };
const A = { service: { name: "a" } };
const B = { service: { name: "b" } };
/** The upstream `a` by its address, which differs from run to run. */
const HOST_OF_A = { host: { hostname: "{a.address}", port: "{a.port}" } };
const HOST_OF_GUARD = { host: { hostname: "{guard.address}", port: "{guard.port}" } };
const TEXT = {
  responses: {
    200: { description: "Fine.", content: { "text/plain": { schema: { type: "string" }, example: "mocked" } } },
  },
};
const MOCKED = { mocking: { enabled: true } };
const OFF = { "x-svc": { disabled: true } };
const ORIGIN = "https://shop.example";
const OTHER = "https://other.example";
const JSON_BODY = { "content-type": "application/json" };

function preflight(method: string, origin = ORIGIN): Record<string, string> {
  return { origin, "access-control-request-method": method };
}

const FORWARDING: readonly Row[] = [
  {
    name: "upstream.service",
    exchanges: [
      { ask: "GET ~", status: 200, upstream: { upstream: "a", request: "GET ~", host: "exchanges.example" } },
      { ask: "GET ~?a=b&c=%20", status: 200, upstream: { request: "GET ~?a=b&c=%20" } },
      { ask: "HEAD ~", status: 200, text: "", upstream: { request: "HEAD ~" } },
      { ask: "PUT ~", body: "hello", status: 200, upstream: { request: "PUT ~", body: "hello" } },
      { ask: "POST ~", body: "", status: 200, upstream: { request: "POST ~", body: "" } },
      { ask: "DELETE ~", status: 405, upstream: null },
      { ask: "GET ~/", status: 404, upstream: null },
      { ask: "GET ~/more", status: 404, upstream: null },
      { ask: "GET ~", headers: { "x-svc-api": "other/api" }, status: 200, upstream: { upstream: "a" } },
      {
        ask: "GET ~",
        headers: { authorization: "Bearer x" },
        status: 200,
        upstream: { has: { authorization: "Bearer x" } },
      },
      { ask: "GET ~", answer: { status: 404 }, status: 404, upstream: { request: "GET ~" } },
      { ask: "GET ~", answer: { status: 503 }, status: 503, upstream: { request: "GET ~" } },
      { ask: "GET ~", answer: { status: 204 }, status: 204, text: "", upstream: { request: "GET ~" } },
      { ask: "GET ~", answer: { status: 304, headers: { etag: '"1"' } }, status: 304, has: { etag: '"1"' } },
      {
        ask: "GET ~",
        answer: { status: 302, headers: { location: "/elsewhere" } },
        status: 302,
        has: { location: "/elsewhere" },
      },
      {
        ask: "GET ~",
        answer: { headers: { "x-mine": "1" } },
        status: 200,
        has: { "x-mine": "1", "x-svc-mocked": null },
      },
    ],
  },
  {
    name: "upstream.host_header: client",
    settings: { upstream: { ...A, host_header: "client" } },
    exchanges: [{ ask: "GET ~", status: 200, upstream: { host: "exchanges.example" } }],
  },
  {
    name: "another upstream",
    settings: { upstream: B },
    exchanges: [{ ask: "GET ~", status: 200, upstream: { upstream: "b", request: "GET ~" } }],
  },
  {
    name: "upstreams with all weight on one",
    settings: { upstreams: [{ ...A, weight: 0 }, { ...B, weight: 100 }] },
    exchanges: [
      { ask: "GET ~", status: 200, upstream: { upstream: "b" } },
      { ask: "PUT ~", status: 200, upstream: { upstream: "b" } },
    ],
  },
  {
    name: "upstreams with weights",
    settings: { upstreams: [{ ...A, weight: 25 }, { ...B, weight: 75 }] },
    exchanges: [
      // Fewer or more than these would come once in a million runs.
      { ask: "GET ~", times: 100, status: 200, shares: { a: [5, 50], b: [50, 95] } },
    ],
  },
  {
    name: "upstream.service with namespace and port",
    settings: { upstream: { service: { name: "b", namespace: "{namespace}", port: 80 } } },
    exchanges: [{ ask: "GET ~", status: 200, upstream: { upstream: "b", request: "GET ~" } }],
  },
  {
    name: "upstream.host",
    settings: { upstream: HOST_OF_A },
    exchanges: [
      { ask: "GET ~?a=1", status: 200, upstream: { upstream: "a", request: "GET ~?a=1" } },
      { ask: "PUT ~", body: "x", status: 200, upstream: { request: "PUT ~", body: "x" } },
    ],
  },
  {
    name: "upstream.host with host_header: client",
    settings: { upstream: { ...HOST_OF_A, host_header: "client" } },
    exchanges: [{ ask: "GET ~", status: 200, upstream: { host: "exchanges.example" } }],
  },
  {
    name: "upstream.rewrite of a prefix",
    settings: { upstream: { ...A, rewrite: { pattern: "^/r[0-9]+/", substitution: "/new/" } } },
    paths: {
      "/{x}": { parameters: [{ name: "x", in: "path", required: true, schema: { type: "string" } }], get: FINE },
    },
    exchanges: [
      { ask: "GET ~/a", status: 200, upstream: { request: "GET /new/a" } },
      { ask: "GET ~/a?x=1", status: 200, upstream: { request: "GET /new/a?x=1" } },
      { ask: "GET ~/a%2Fb", status: 200, upstream: { request: "GET /new/a%2Fb" } },
      { ask: "GET ~/%61", status: 200, upstream: { request: "GET /new/a" } },
    ],
  },
  {
    name: "upstream.rewrite with groups",
    settings: { upstream: { ...A, rewrite: { pattern: "^/r[0-9]+/([a-z]+)/([0-9]+)$", substitution: "/\\2/\\1" } } },
    paths: { "/ab/1": { get: FINE }, "/abc": { get: FINE } },
    exchanges: [
      { ask: "GET ~/ab/1", status: 200, upstream: { request: "GET /1/ab" } },
      { ask: "GET ~/abc", status: 200, upstream: { request: "GET ~/abc" } },
    ],
  },
  {
    name: "percent-encoded letters",
    paths: {
      "/pets": { get: FINE },
      "/{x}/y": { parameters: [{ name: "x", in: "path", required: true, schema: { type: "string" } }], get: FINE },
    },
    exchanges: [
      { ask: "GET ~/%70ets", status: 200, upstream: { request: "GET ~/pets" } },
      { ask: "GET ~/a%2Fb/y", status: 200, upstream: { request: "GET ~/a%2Fb/y" } },
      { ask: "GET ~/a%2fb/y", status: 200, upstream: { request: "GET ~/a%2fb/y" } },
      { ask: "GET ~/x/../pets", status: 200, upstream: { request: "GET ~/pets" } },
      { ask: "GET ~//pets", status: 200, upstream: { request: "GET ~/pets" } },
      { ask: "GET ~/x%2F..%2Fpets", status: 400, upstream: null },
      { ask: "GET ~/..%2Fpets", status: 400, upstream: null },
      { ask: "GET ~/%252e%252e/y", status: 400, upstream: null },
    ],
  },
  {
    name: "qos.retries of a method that may be repeated",
    settings: { qos: { retries: 2 } },
    exchanges: [
      { ask: "GET ~", answer: { status: 503 }, status: 503 },
      { ask: "PUT ~", answer: { status: 400 }, status: 400 },
      { ask: "POST ~", body: "x", answer: { status: 503 }, status: 503, upstream: { body: "x" } },
    ],
  },
  {
    name: "qos.request_timeout",
    settings: { qos: { request_timeout: 0.2 } },
    exchanges: [
      { ask: "GET ~", answer: { delay: 2000 }, status: 504 },
      { ask: "POST ~", body: "x", answer: { delay: 2000 }, status: 504 },
    ],
  },
  {
    name: "qos.request_timeout that is long enough",
    settings: { qos: { request_timeout: 60 } },
    exchanges: [{ ask: "GET ~", answer: { delay: 50 }, status: 200, upstream: {} }],
  },
  {
    name: "qos.request_timeout over all attempts",
    settings: { qos: { request_timeout: 0.3, retries: 3 } },
    exchanges: [{ ask: "GET ~", answer: { delay: 2000 }, status: 504 }],
  },
  {
    name: "qos.idle_timeout",
    settings: { qos: { idle_timeout: 1 } },
    exchanges: [
      {
        ask: "GET ~",
        answer: { events: 7 },
        status: 200,
        text: "data: 1\n\ndata: 2\n\ndata: 3\n\ndata: 4\n\ndata: 5\n\ndata: 6\n\ndata: 7\n\n",
      },
    ],
  },
  {
    name: "qos.idle_timeout before the head",
    settings: { qos: { idle_timeout: 0.2 } },
    exchanges: [{ ask: "GET ~", answer: { delay: 2000 }, status: 504 }],
  },
  {
    name: "websocket",
    settings: { websocket: true },
    paths: { "": { get: FINE } },
    exchanges: [
      { ask: "GET ~", message: "hello", status: 101, text: "echo hello", has: { "sec-websocket-protocol": null } },
      { ask: "GET ~?a=1", message: "", status: 101, text: "echo ", upstream: { upstream: "a", request: "GET ~?a=1" } },
      {
        ask: "GET ~",
        headers: { "sec-websocket-protocol": "chat, other" },
        message: "hello",
        status: 101,
        text: "echo hello",
        has: { "sec-websocket-protocol": "chat" },
      },
      { ask: "GET ~", headers: { cookie: "a=b" }, message: "x", status: 101, upstream: { has: { cookie: "a=b" } } },
      { ask: "GET ~", host: "other.example", message: "hello", status: 404, upstream: null },
      { ask: "GET ~/more", message: "hello", status: 404, upstream: null },
      { ask: "GET ~", status: 200, upstream: { request: "GET ~" } },
    ],
  },
  {
    name: "without websocket",
    exchanges: [
      {
        ask: "GET ~",
        message: "hello",
        status: 200,
        upstream: { request: "GET ~", has: { upgrade: null } },
        but: {
          gateway: "envoy",
          why: "Envoy passes WebSockets on without the key too.",
          status: 101,
          upstream: { request: "GET ~" },
        },
      },
    ],
  },
  {
    name: "websocket behind upstream.rewrite",
    settings: { websocket: true, upstream: { ...B, rewrite: { pattern: "^/r[0-9]+", substitution: "/socket" } } },
    paths: { "": { get: FINE } },
    exchanges: [
      { ask: "GET ~", message: "x", status: 101, text: "echo x", upstream: { upstream: "b", request: "GET /socket" } },
    ],
  },
  {
    name: "websocket that is disabled",
    settings: { websocket: true, disabled: true },
    paths: { "": { get: FINE } },
    exchanges: [{ ask: "GET ~", message: "hello", status: 404, upstream: null }],
  },
  {
    name: "websocket behind auth.custom",
    settings: { websocket: true, auth: { custom: { service: { name: "guard" } } } },
    paths: { "": { get: FINE } },
    exchanges: [
      { ask: "GET ~", message: "hello", status: 403, upstream: null },
      { ask: "GET ~", headers: { authorization: "please" }, message: "hello", status: 101, text: "echo hello" },
    ],
  },
  {
    name: "validation.request",
    settings: { validation: { request: { enabled: true } } },
    paths: {
      "": {
        get: { ...FINE, parameters: [{ name: "n", in: "query", schema: { type: "integer", maximum: 9 } }] },
        post: {
          ...FINE,
          requestBody: {
            required: true,
            content: { "application/json": { schema: { type: "object", required: ["name"] } } },
          },
        },
      },
    },
    exchanges: [
      { ask: "GET ~?n=3", status: 200, upstream: { request: "GET ~?n=3" } },
      { ask: "GET ~?n=x", status: 400, upstream: null },
      { ask: "GET ~?n=10", status: 400, upstream: null },
      { ask: "GET ~", status: 200, upstream: {} },
      { ask: "POST ~", headers: JSON_BODY, body: '{"name":"Tom"}', status: 200, upstream: { body: '{"name":"Tom"}' } },
      { ask: "POST ~", headers: JSON_BODY, body: "{}", status: 400, upstream: null },
      { ask: "POST ~", headers: JSON_BODY, body: "{", status: 400, upstream: null },
    ],
  },
];

const ANSWERED_BY_GW: readonly Row[] = [
  {
    name: "mocking",
    settings: MOCKED,
    paths: { "": { get: TEXT, post: TEXT } },
    exchanges: [
      { ask: "GET ~", status: 200, text: "mocked", has: { "x-svc-mocked": "true" }, upstream: null },
      { ask: "HEAD ~", status: 200, text: "", upstream: null },
      { ask: "POST ~", status: 200, text: "mocked", upstream: null },
      { ask: "GET ~", headers: { accept: "image/png" }, status: 406, upstream: null },
      { ask: "GET ~", headers: { prefer: "code=404" }, status: 200, text: "mocked" },
      { ask: "PUT ~", status: 405, upstream: null },
      { ask: "OPTIONS ~", status: 204, upstream: null },
    ],
  },
  {
    name: "mocking of one operation",
    paths: { "": { get: { ...TEXT, "x-svc": MOCKED }, put: FINE } },
    exchanges: [
      { ask: "GET ~", status: 200, text: "mocked", upstream: null },
      { ask: "PUT ~", status: 200, has: { "x-svc-mocked": null }, upstream: { request: "PUT ~" } },
    ],
  },
  {
    name: "disabled",
    paths: { "": { get: FINE, put: { ...FINE, ...OFF } }, "/off": { ...OFF, get: FINE } },
    exchanges: [
      { ask: "GET ~", status: 200, upstream: {} },
      { ask: "PUT ~", status: 404, upstream: null },
      { ask: "GET ~/off", status: 404, upstream: null },
      { ask: "POST ~/off", status: 404, upstream: null },
      { ask: "GET ~/off/", status: 404, upstream: null },
      { ask: "OPTIONS ~/off", headers: preflight("GET"), status: 404, upstream: null },
    ],
  },
  {
    name: "redirect.path",
    settings: { redirect: { path: "/new", response_code: 301 } },
    exchanges: [
      {
        ask: "GET ~?x=1",
        status: 301,
        has: { location: "/new?x=1" },
        upstream: null,
        but: {
          gateway: "envoy",
          why: "Envoy's Location always has scheme and host.",
          has: { location: "http://exchanges.example/new?x=1" },
        },
      },
    ],
  },
  {
    name: "redirect.scheme",
    settings: { redirect: { scheme: "https" } },
    exchanges: [{ ask: "GET ~?x=1", status: 302, has: { location: "https://exchanges.example~?x=1" }, upstream: null }],
  },
  {
    name: "redirect.host",
    settings: { redirect: { scheme: "https", host: "other.example", port: 8443, path: "/a", response_code: 308 } },
    exchanges: [
      { ask: "GET ~", status: 308, has: { location: "https://other.example:8443/a" }, upstream: null },
      { ask: "POST ~", status: 308, has: { location: "https://other.example:8443/a" }, upstream: null },
    ],
  },
];

const CACHING: readonly Row[] = [
  {
    name: "cache",
    settings: { cache: { enabled: true, max_age: 60 } },
    exchanges: [
      { ask: "GET ~", status: 200, has: { "cache-control": "max-age=60" } },
      { ask: "HEAD ~", status: 200, has: { "cache-control": "max-age=60" } },
      { ask: "PUT ~", status: 200, has: { "cache-control": null } },
      {
        ask: "GET ~",
        answer: { headers: { "cache-control": "no-store" } },
        status: 200,
        has: { "cache-control": "no-store" },
        but: {
          gateway: "envoy",
          why: "Envoy appends; no-store stays in force.",
          has: { "cache-control": "no-store, max-age=60" },
        },
      },
      {
        ask: "GET ~",
        answer: { headers: { "cache-control": "max-age=5" } },
        status: 200,
        has: { "cache-control": "max-age=5" },
        but: {
          gateway: "envoy",
          why: "Envoy appends; caches take the first max-age.",
          has: { "cache-control": "max-age=5, max-age=60" },
        },
      },
      {
        ask: "GET ~",
        answer: { status: 404 },
        status: 404,
        has: { "cache-control": null },
        but: {
          gateway: "envoy",
          why: "Envoy's routes add a header to responses with any status.",
          has: { "cache-control": "max-age=60" },
        },
      },
    ],
  },
  {
    name: "cache that isn't enabled",
    settings: { cache: { enabled: false, max_age: 60 } },
    exchanges: [{ ask: "GET ~", status: 200, has: { "cache-control": null } }],
  },
  {
    name: "cache of a mocked operation",
    settings: { ...MOCKED, cache: { enabled: true, max_age: 9 } },
    paths: { "": { get: TEXT } },
    exchanges: [{ ask: "GET ~", status: 200, text: "mocked", has: { "cache-control": "max-age=9" } }],
  },
];

const SHARING: readonly Row[] = [
  {
    name: "cors",
    settings: {
      cors: { origins: [ORIGIN], methods: ["GET", "PUT"], headers: ["x-a"], expose_headers: ["x-b"], max_age: 600 },
    },
    exchanges: [
      {
        ask: "GET ~",
        headers: { origin: ORIGIN },
        status: 200,
        has: { "access-control-allow-origin": ORIGIN, "access-control-expose-headers": "x-b" },
        upstream: {},
      },
      { ask: "GET ~", headers: { origin: OTHER }, status: 200, has: { "access-control-allow-origin": null } },
      { ask: "GET ~", status: 200, has: { "access-control-allow-origin": null } },
      {
        ask: "GET ~",
        headers: { origin: OTHER },
        answer: { headers: { "access-control-allow-origin": "*", "access-control-allow-credentials": "true" } },
        status: 200,
        has: { "access-control-allow-origin": null, "access-control-allow-credentials": null },
      },
      {
        ask: "GET ~",
        headers: { origin: ORIGIN },
        answer: { headers: { "access-control-allow-origin": "*" } },
        status: 200,
        has: { "access-control-allow-origin": ORIGIN },
      },
      {
        ask: "OPTIONS ~",
        headers: preflight("PUT"),
        status: 204,
        has: {
          "access-control-allow-origin": ORIGIN,
          "access-control-allow-methods": "GET, PUT",
          "access-control-allow-headers": "x-a",
          "access-control-max-age": "600",
        },
        upstream: null,
        but: { gateway: "envoy", why: "Envoy answers preflights with 200.", status: 200 },
      },
    ],
  },
  {
    name: "cors.credentials",
    settings: { cors: { origins: [ORIGIN], credentials: true } },
    exchanges: [
      {
        ask: "GET ~",
        headers: { origin: ORIGIN, cookie: "a=b" },
        status: 200,
        has: { "access-control-allow-origin": ORIGIN, "access-control-allow-credentials": "true" },
        upstream: { has: { cookie: "a=b" } },
      },
      {
        ask: "GET ~",
        headers: { origin: OTHER },
        status: 200,
        has: { "access-control-allow-origin": null, "access-control-allow-credentials": null },
      },
    ],
  },
  {
    name: "cors for all origins",
    settings: { cors: { origins: ["*"] } },
    exchanges: [
      {
        ask: "GET ~",
        headers: { origin: OTHER },
        status: 200,
        has: { "access-control-allow-origin": "*" },
        but: {
          gateway: "envoy",
          why: "Envoy repeats the origin, which means the same without credentials.",
          has: { "access-control-allow-origin": OTHER },
        },
      },
    ],
  },
  {
    name: "an upstream that does CORS itself",
    exchanges: [
      {
        ask: "OPTIONS ~",
        headers: preflight("PUT"),
        answer: { status: 204, headers: { "access-control-allow-origin": ORIGIN } },
        status: 204,
        has: { "access-control-allow-origin": ORIGIN },
        upstream: { request: "OPTIONS ~", has: { "access-control-request-method": "PUT" } },
      },
      {
        ask: "OPTIONS ~",
        headers: preflight("GET"),
        answer: { status: 200 },
        status: 200,
        upstream: { request: "OPTIONS ~" },
      },
      { ask: "OPTIONS ~", headers: preflight("HEAD"), status: 200, upstream: { request: "OPTIONS ~" } },
      { ask: "OPTIONS ~", headers: preflight("DELETE"), status: 204, upstream: null },
      { ask: "OPTIONS ~", headers: { origin: ORIGIN }, status: 204, upstream: null },
      { ask: "OPTIONS ~", headers: { "access-control-request-method": "PUT" }, status: 204, upstream: null },
      { ask: "OPTIONS ~", status: 204, upstream: null },
      {
        ask: "GET ~",
        headers: { origin: OTHER },
        answer: { headers: { "access-control-allow-origin": "*" } },
        status: 200,
        has: { "access-control-allow-origin": "*" },
      },
    ],
  },
  {
    name: "preflights beside auth",
    settings: { auth: { custom: { service: { name: "guard" } } } },
    exchanges: [
      { ask: "OPTIONS ~", headers: preflight("PUT"), status: 200, upstream: { request: "OPTIONS ~" } },
      { ask: "PUT ~", headers: { origin: ORIGIN }, status: 403, upstream: null },
    ],
  },
  {
    name: "preflights of a path with its own OPTIONS",
    paths: { "": { put: FINE, options: { ...FINE, "x-svc": { upstream: B } } } },
    exchanges: [
      { ask: "OPTIONS ~", headers: preflight("PUT"), status: 200, upstream: { upstream: "b" } },
      { ask: "OPTIONS ~", status: 200, upstream: { upstream: "b" } },
    ],
  },
  {
    name: "preflights of upstreams and mocks",
    paths: { "": { put: { ...FINE, "x-svc": { upstream: B } }, get: FINE, post: { ...TEXT, "x-svc": MOCKED } } },
    exchanges: [
      { ask: "OPTIONS ~", headers: preflight("PUT"), status: 200, upstream: { upstream: "b" } },
      { ask: "OPTIONS ~", headers: preflight("GET"), status: 200, upstream: { upstream: "a" } },
      { ask: "OPTIONS ~", headers: preflight("POST"), status: 204, upstream: null },
    ],
  },
  {
    name: "preflights beside an operation with cors",
    paths: { "": { put: FINE, get: { ...FINE, "x-svc": { cors: { origins: [ORIGIN] } } } } },
    exchanges: [
      { ask: "OPTIONS ~", headers: preflight("PUT"), status: 200, upstream: { request: "OPTIONS ~" } },
      {
        ask: "OPTIONS ~",
        headers: preflight("GET"),
        status: 204,
        has: { "access-control-allow-origin": ORIGIN },
        upstream: null,
        but: { gateway: "envoy", why: "Envoy answers preflights with 200.", status: 200 },
      },
    ],
  },
];

const DEFINITION: readonly Row[] = [
  {
    name: "public_api_path",
    exchanges: [
      { ask: `GET ${DEFINITION_PATH}`, status: 200, lacks: "x-svc", upstream: null },
      { ask: `HEAD ${DEFINITION_PATH}`, status: 200, text: "", upstream: null },
      { ask: `PUT ${DEFINITION_PATH}`, status: 405, upstream: null },
      { ask: `GET ${DEFINITION_PATH}/more`, status: 404, upstream: null },
    ],
  },
];

const GUARDED: readonly Row[] = [
  {
    name: "auth.custom",
    settings: { auth: { custom: { service: { name: "guard" }, response_headers: ["x-user"] } } },
    exchanges: [
      { ask: "GET ~", headers: { authorization: "please" }, status: 200, upstream: { has: { "x-user": "jane" } } },
      {
        ask: "GET ~",
        headers: { authorization: "please", "x-user": "root" },
        status: 200,
        upstream: { has: { "x-user": "jane" } },
        but: {
          gateway: "envoy",
          why: "Envoy can't tell the server's header from the client's, so that both are removed.",
          upstream: { has: { "x-user": null } },
        },
      },
      {
        ask: "GET ~",
        status: 403,
        text: "no",
        has: { "x-asked": "GET ~", "x-asked-host": "exchanges.example" },
        upstream: null,
      },
      { ask: "PUT ~", body: "x", status: 403, has: { "x-asked": "PUT ~" }, upstream: null },
      {
        ask: "GET ~",
        headers: { authorization: "login" },
        status: 302,
        has: { location: "/login", "set-cookie": "try=1" },
        upstream: null,
      },
      { ask: "DELETE ~", status: 405, upstream: null },
    ],
  },
  {
    name: "auth.custom.service with namespace and port",
    settings: { auth: { custom: { service: { name: "guard", namespace: "{namespace}", port: 80 } } } },
    exchanges: [{ ask: "GET ~", status: 403, has: { "x-asked": "GET ~" }, upstream: null }],
  },
  {
    name: "auth.custom.host",
    settings: { auth: { custom: HOST_OF_GUARD } },
    exchanges: [
      { ask: "GET ~", status: 403, has: { "x-asked-host": "exchanges.example" }, upstream: null },
      { ask: "GET ~", headers: { authorization: "please" }, status: 200, upstream: { request: "GET ~" } },
    ],
  },
  {
    name: "auth.custom.path",
    settings: { auth: { custom: { service: { name: "guard" }, path: "/check" } } },
    exchanges: [
      { ask: "GET ~", status: 403, has: { "x-asked": "GET /check" }, upstream: null },
      { ask: "GET ~", headers: { authorization: "please" }, status: 200, upstream: { request: "GET ~" } },
    ],
  },
  {
    name: "auth.jwt",
    settings: {
      auth: {
        jwt: { providers: [{ name: "main", issuer: "{issuer}", audiences: ["exchanges"], jwks_uri: "{jwks}" }] },
      },
    },
    exchanges: [
      { ask: "GET ~", headers: { authorization: "Bearer {token}" }, status: 200, upstream: { request: "GET ~" } },
      { ask: "GET ~", status: 401, upstream: null },
      { ask: "GET ~", headers: { authorization: "Bearer x.y.z" }, status: 401, upstream: null },
      { ask: "GET ~", headers: { authorization: "Bearer" }, status: 401, upstream: null },
      { ask: "GET ~?access_token={token}", status: 401, upstream: null },
      { ask: "PUT ~", headers: { authorization: "Bearer {token}" }, body: "x", status: 200, upstream: { body: "x" } },
    ],
  },
];

const PARAMETER = (name: string, schema: object = { type: "string" }): object => ({
  name,
  in: "path",
  required: true,
  schema,
});
const TODO = {
  type: "object",
  required: ["title"],
  properties: { id: { type: "integer", readOnly: true }, title: { type: "string" } },
};
const content = (schema: object, more: object = {}): object => ({ "application/json": { schema, ...more } });
const answers = (status: string, schema: object, more: object = {}): object => ({
  responses: { [status]: { description: "Fine.", content: content(schema, more) } },
});

const MATCHING: readonly Row[] = [
  {
    name: "a literal path beside a template",
    paths: {
      "/{x}": { parameters: [PARAMETER("x")], get: FINE },
      "/own": { get: { ...FINE, "x-svc": { upstream: B } } },
    },
    exchanges: [
      { ask: "GET ~/own", status: 200, upstream: { upstream: "b" } },
      { ask: "GET ~/any", status: 200, upstream: { upstream: "a" } },
      { ask: "GET ~/OWN", status: 200, upstream: { upstream: "a", request: "GET ~/OWN" } },
      { ask: "PUT ~/own", status: 405, upstream: null },
      { ask: "GET ~/own/", status: 404, upstream: null },
      { ask: "GET ~/", status: 404, upstream: null },
    ],
  },
  {
    name: "a template within a segment",
    paths: { "/report.{format}": { parameters: [PARAMETER("format")], get: FINE } },
    exchanges: [
      { ask: "GET ~/report.pdf", status: 200, upstream: { request: "GET ~/report.pdf" } },
      { ask: "GET ~/report", status: 404, upstream: null },
      { ask: "GET ~/report.a/b", status: 404, upstream: null },
    ],
  },
  {
    name: "path.prefix",
    settings: { path: { prefix: "/pre" } },
    exchanges: [
      { ask: "GET /pre~?a=1", status: 200, upstream: { upstream: "a" } },
      { ask: "GET ~", status: 404, upstream: null },
      { ask: "PATCH /pre~", status: 405, upstream: null },
    ],
  },
  {
    name: "methods",
    paths: { "": { patch: FINE, delete: FINE, options: FINE } },
    exchanges: [
      { ask: "PATCH ~", body: "x", status: 200, upstream: { request: "PATCH ~", body: "x" } },
      { ask: "DELETE ~", status: 200, upstream: { request: "DELETE ~" } },
      { ask: "OPTIONS ~", status: 200, upstream: { request: "OPTIONS ~" } },
      { ask: "GET ~", status: 405, upstream: null },
      { ask: "HEAD ~", status: 405, upstream: null },
    ],
  },
];

const MOCKS: readonly Row[] = [
  {
    name: "mocking.match",
    settings: MOCKED,
    paths: {
      "": {
        get: answers("200", { type: "string" }, {
          examples: {
            none: { value: "none" },
            beta: { value: "beta", "x-svc": { mocking: { match: { "header.x-a": "b" } } } },
          },
        }),
      },
    },
    exchanges: [
      { ask: "GET ~", status: 200, text: '"none"', upstream: null },
      { ask: "GET ~", headers: { "x-a": "b" }, status: 200, text: '"beta"', upstream: null },
      { ask: "GET ~", headers: { "x-a": "c" }, status: 200, text: '"none"', upstream: null },
    ],
  },
  {
    name: "mocking without an example",
    settings: MOCKED,
    paths: { "": { get: answers("200", { type: "object", properties: { a: { const: 1 } } }) } },
    exchanges: [{ ask: "GET ~", status: 200, text: "", has: { "x-svc-mocked": "true" }, upstream: null }],
  },
  {
    name: "mocking.generate",
    settings: { mocking: { enabled: true, generate: true } },
    paths: { "": { get: answers("200", { type: "object", required: ["a"], properties: { a: { const: 1 } } }) } },
    exchanges: [{ ask: "GET ~", status: 200, text: '{"a":1}', has: { "x-svc-mocked": "true" }, upstream: null }],
  },
  {
    name: "mocking.sequence",
    settings: { mocking: { enabled: true, sequence: [503, "ok"] } },
    paths: { "": { get: TEXT } },
    exchanges: [
      { ask: "GET ~", status: 503, upstream: null },
      { ask: "GET ~", status: 200, text: "mocked", upstream: null },
      { ask: "GET ~", status: 200, text: "mocked", upstream: null },
    ],
  },
  {
    name: "mocking.faults",
    settings: { mocking: { enabled: true, faults: ["503 x1"] } },
    paths: { "": { get: TEXT } },
    exchanges: [
      { ask: "GET ~", status: 503, upstream: null },
      { ask: "GET ~", status: 200, text: "mocked", upstream: null },
    ],
  },
  {
    name: "mocking.delay",
    settings: { mocking: { enabled: true, delay: 1 } },
    paths: { "": { get: TEXT } },
    exchanges: [{ ask: "GET ~", status: 200, text: "mocked", upstream: null }],
  },
  {
    name: "mocking.stateful",
    settings: { mocking: { enabled: true, stateful: true } },
    paths: {
      "/todos": {
        get: answers("200", { type: "array", items: TODO }, { example: [{ id: 1, title: "first" }] }),
        post: { requestBody: { content: content(TODO) }, ...answers("201", TODO) },
      },
      "/todos/{id}": {
        parameters: [PARAMETER("id", { type: "integer" })],
        get: answers("200", TODO),
        delete: { responses: { 204: { description: "Gone." } } },
      },
    },
    exchanges: [
      { ask: "GET ~/todos/1", status: 200, text: '{"id":1,"title":"first"}', upstream: null },
      { ask: "POST ~/todos", headers: JSON_BODY, body: "{", status: 400, upstream: null },
      {
        ask: "POST ~/todos",
        headers: JSON_BODY,
        body: '{"title":"new"}',
        status: 201,
        has: { "x-svc-mocked": "true" },
        upstream: null,
      },
      { ask: "DELETE ~/todos/1", status: 204, text: "", upstream: null },
      { ask: "GET ~/todos/1", status: 404, upstream: null },
      { ask: "DELETE ~/todos/1", status: 404, upstream: null },
    ],
  },
  {
    name: "redirects of each status",
    paths: {
      "/303": { post: { ...FINE, "x-svc": { redirect: { scheme: "https", path: "/seen", response_code: 303 } } } },
      "/307": { post: { ...FINE, "x-svc": { redirect: { scheme: "https", path: "/seen", response_code: 307 } } } },
    },
    exchanges: [
      { ask: "POST ~/303", status: 303, has: { location: "https://exchanges.example/seen" }, upstream: null },
      { ask: "POST ~/307", status: 307, has: { location: "https://exchanges.example/seen" }, upstream: null },
      { ask: "GET ~/307", status: 405, upstream: null },
    ],
  },
];

const CHECKED: readonly Row[] = [
  {
    name: "validation.request of parameters",
    settings: { validation: { request: { enabled: true } } },
    paths: {
      "/{id}": {
        parameters: [PARAMETER("id", { type: "integer" })],
        get: {
          ...FINE,
          parameters: [
            { name: "x-count", in: "header", schema: { type: "integer" } },
            { name: "q", in: "query", required: true, schema: { type: "array", items: { type: "integer" } } },
          ],
        },
      },
    },
    exchanges: [
      { ask: "GET ~/1?q=1&q=2", status: 200, upstream: { request: "GET ~/1?q=1&q=2" } },
      { ask: "GET ~/x?q=1", status: 400, upstream: null },
      { ask: "GET ~/1", status: 400, upstream: null },
      { ask: "GET ~/1?q=a", status: 400, upstream: null },
      { ask: "GET ~/1?q=1", headers: { "x-count": "many" }, status: 400, upstream: null },
      { ask: "GET ~/1?q=1", headers: { "x-count": "7" }, status: 200, upstream: { has: { "x-count": "7" } } },
    ],
  },
  {
    name: "auth.custom before a mocked operation",
    settings: { ...MOCKED, auth: { custom: { service: { name: "guard" } } } },
    paths: { "": { get: TEXT } },
    exchanges: [
      { ask: "GET ~", status: 403, upstream: null },
      { ask: "GET ~", headers: { authorization: "please" }, status: 200, text: "mocked", upstream: null },
    ],
  },
];

const LIMITED: readonly Row[] = [
  {
    name: "rate_limit",
    settings: { rate_limit: { requests_per_unit: 2, unit: "hour" } },
    paths: { "": { get: FINE } },
    exchanges: [
      { ask: "GET ~", status: 200 },
      { ask: "GET ~", status: 200 },
      { ask: "GET ~", status: 429, upstream: null },
      {
        ask: "HEAD ~",
        status: 429,
        upstream: null,
        but: { gateway: "envoy", why: "Envoy counts HEAD apart from GET.", status: 200, upstream: {} },
      },
    ],
  },
];

const HOSTS: readonly Row[] = [
  {
    name: "hosts",
    exchanges: [
      { ask: "GET ~", host: "exchanges.example:8080", status: 200, upstream: { host: "exchanges.example:8080" } },
      { ask: "GET ~", host: "EXCHANGES.example", status: 200, upstream: {} },
      { ask: "GET ~", host: "other.example", status: 404, upstream: null },
      { ask: "GET ~", host: "a.exchanges.example", status: 404, upstream: null },
    ],
  },
];

export const ROWS: readonly Row[] = [
  ...FORWARDING,
  ...ANSWERED_BY_GW,
  ...CACHING,
  ...SHARING,
  ...DEFINITION,
  ...GUARDED,
  ...MATCHING,
  ...MOCKS,
  ...CHECKED,
  ...LIMITED,
  ...HOSTS,
];
