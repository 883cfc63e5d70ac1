/**
 * The contents of the store `data/gw.db`, which commit 27b1f2d wrote, and requests with the answers that its gateway
 * gave. `scripts/upgrade.ts` made the store with the code of that commit. It must make a new one when this file
 * changes.
 *
 * @module
 */

/** A request to a fleet, and the answer of the old gateway. */
export interface Exchange {
  /** The method and path: `GET /todos`. */
  readonly request: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The text of a JSON body. */
  readonly body?: string;
  readonly status: number;
  /** A text that the answer's body must contain. */
  readonly has?: string;
}

/** An API or a static route, with requests to it. */
export interface StoredObject {
  readonly kind: "apis" | "staticroutes";
  readonly namespace: string;
  readonly name: string;
  readonly fleet: string;
  readonly openapi: string;
  readonly exchanges: readonly Exchange[];
}

/** The fleets. Their stored ports are replaced by free ones in the copy that a test opens. */
export const FLEETS = ["default/default", "team-a/edge"] as const;

/** The port of the token issuer in stored definitions. Tests replace it by the port of their own issuer. */
export const ISSUER_PORT = 9;

/** The header that the test's authorization server requires. */
export const PASS = { "x-pass": "please" } as const;

/** Stands for a valid token, which tests insert. */
export const TOKEN = { authorization: "Bearer TOKEN" } as const;

const JWT = `auth: {jwt: {providers: [{name: main, issuer: "https://id.example", audiences: [bank], ` +
  `jwks_uri: "http://127.0.0.1:${ISSUER_PORT}/keys"}]}}`;
const ECHO = "upstream: {service: {name: echo, namespace: default}}";
const MOCKED = "mocking: {enabled: true}";
const TEXT = (example: string): string =>
  `responses: {"200": {description: Fine., content: {text/plain: {schema: {type: string}, example: ${example}}}}}`;
const ID = (name: string): string => `parameters: [{name: ${name}, in: path, required: true, schema: {type: string}}]`;
const PLAIN = `responses: {"200": {description: Fine.}}`;

/** The APIs and static routes in the store. */
export const STORED: readonly StoredObject[] = [
  {
    ...api("todo"),
    openapi: `
openapi: 3.0.3
info: {title: Todo, version: 1.0}
x-svc: {path: {prefix: /v1}, public_api_path: /v1/openapi.yaml, ${MOCKED}}
paths:
  /todos:
    get: {${TEXT("all of them")}}
    post: {x-svc: {mocking: {enabled: true, generate: true}}, responses: {"201": {description: Made., content: {application/json: {schema: {type: object, required: [id], properties: {id: {type: integer}}}}}}}}
  /todos/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {${TEXT("one of them")}}
    delete: {x-svc: {disabled: true}, responses: {"204": {description: Gone.}}}
`,
    exchanges: [
      { request: "GET /v1/todos", status: 200, has: "all of them" },
      { request: "POST /v1/todos", status: 201, has: '"id"' },
      { request: "GET /v1/todos/3", status: 200, has: "one of them" },
      { request: "DELETE /v1/todos/3", status: 404 },
      { request: "GET /v1/openapi.yaml", status: 200, has: "Todo" },
    ],
  },
  {
    ...api("orders"),
    openapi: `
openapi: 3.1.0
info: {title: Orders, version: "2"}
x-svc:
  upstream: {service: {name: echo}, rewrite: {pattern: "^/orders/(\\\\d+)$", substitution: "/v2/$1"}}
  cors: {origins: ["https://shop.example"], credentials: true}
  qos: {retries: 1, request_timeout: 10}
  rate_limit: {requests_per_unit: 1000, unit: hour}
  cache: {enabled: true, max_age: 60}
paths:
  /orders:
    post:
      x-svc: {validation: {request: {enabled: true}}}
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [item]}}}}
      responses: {"201": {description: Made.}}
  /orders/{id}:
    ${ID("id")}
    get: {${PLAIN}}
`,
    exchanges: [
      { request: "GET /orders/7", status: 200, has: "GET /v2/7" },
      { request: "GET /orders/7", headers: { origin: "https://shop.example" }, status: 200, has: "GET /v2/7" },
      { request: "POST /orders", body: '{"item":"tea"}', status: 200, has: "POST /orders" },
      { request: "POST /orders", body: "{}", status: 400 },
    ],
  },
  {
    ...api("accounts"),
    openapi: `
openapi: 3.1.0
info: {title: Accounts, version: "1"}
x-svc: {${ECHO}, ${JWT}}
paths: {/accounts: {get: {${PLAIN}}}}
`,
    exchanges: [
      { request: "GET /accounts", status: 401 },
      { request: "GET /accounts", headers: { authorization: "Bearer none" }, status: 401 },
      { request: "GET /accounts", headers: TOKEN, status: 200, has: "GET /accounts" },
    ],
  },
  {
    ...api("guarded"),
    openapi: `
openapi: 3.1.0
info: {title: Guarded, version: "1"}
x-svc: {${ECHO}, auth: {custom: {service: {name: guard}, path: /check}}}
paths: {/guarded: {get: {${PLAIN}}}}
`,
    exchanges: [
      { request: "GET /guarded", status: 403, has: "guard at /check" },
      { request: "GET /guarded", headers: PASS, status: 200, has: "GET /guarded" },
    ],
  },
  {
    // CORS with credentials for any origin: later versions of gw refuse to deploy this.
    ...api("any-origin"),
    openapi: `
openapi: 3.1.0
info: {title: Any origin, version: "1"}
x-svc: {${ECHO}, cors: {origins: ["*"], credentials: true}}
paths: {/any-origin: {get: {${PLAIN}}}}
`,
    exchanges: [
      { request: "GET /any-origin", status: 200, has: "GET /any-origin" },
      { request: "GET /any-origin", headers: { origin: "https://x.example" }, status: 200, has: "GET /any-origin" },
    ],
  },
  {
    // A pattern with look-ahead, which RE2 lacks: later versions of gw refuse to deploy this.
    ...api("look-ahead"),
    openapi: `
openapi: 3.1.0
info: {title: Look-ahead, version: "1"}
x-svc: {upstream: {service: {name: echo}, rewrite: {pattern: "^/files/(?!private)(.*)$", substitution: "/public/$1"}}}
paths: {"/files/{name}": {${ID("name")}, get: {${PLAIN}}}}
`,
    exchanges: [
      { request: "GET /files/a", status: 200, has: "GET /public/a" },
      { request: "GET /files/private", status: 200, has: "GET /files/private" },
    ],
  },
  {
    ...api("hidden"),
    openapi: `
openapi: 3.1.0
info: {title: Hidden, version: "1"}
x-svc: {${MOCKED}, hosts: ["*.hidden.example"]}
paths:
  /hidden/path: {x-svc: {disabled: true}, get: {${TEXT("a secret")}}}
  /hidden/operation:
    get: {${TEXT("in the open")}}
    post: {x-svc: {disabled: true}, ${TEXT("a secret")}}
  /hidden/{any}: {${ID("any")}, get: {${TEXT("the rest")}}}
`,
    exchanges: [
      { request: "GET /hidden/path", host: "a.hidden.example", status: 404 },
      { request: "GET /hidden/operation", host: "a.hidden.example", status: 200, has: "in the open" },
      { request: "POST /hidden/operation", host: "a.hidden.example", status: 404 },
      { request: "GET /hidden/other", host: "a.hidden.example", status: 200, has: "the rest" },
    ],
  },
  {
    ...api("moved"),
    openapi: `
swagger: "2.0"
info: {title: Moved, version: "1"}
basePath: /ignored
paths: {/moved: {get: {x-svc: {redirect: {path: /v1/todos, response_code: 301}}, responses: {"301": {description: Moved.}}}}}
`,
    exchanges: [{ request: "GET /moved", status: 301 }],
  },
  // New deployments refuse these paths: a query, a fragment, and a segment `..`.
  {
    ...api("odd-paths"),
    openapi: `
openapi: 3.1.0
info: {title: Odd paths, version: "1"}
x-svc: {${ECHO}, public_api_path: "/odd/../doc"}
paths:
  /odd/guarded: {x-svc: {auth: {custom: {service: {name: guard}, path: "/check?from=gw"}}}, get: {${PLAIN}}}
  /odd/moved: {x-svc: {redirect: {path: "/new?x=1#f"}}, get: {${PLAIN}}}
  /odd/plain: {get: {${PLAIN}}}
`,
    exchanges: [
      { request: "GET /odd/guarded", status: 403, has: "guard at /check" },
      { request: "GET /odd/guarded", headers: PASS, status: 200, has: "GET /odd/guarded" },
      { request: "GET /odd/moved", status: 302 },
      { request: "GET /odd/plain", status: 200, has: "GET /odd/plain" },
    ],
  },
  // New deployments refuse these numbers, which the kinds of Kubernetes can't have.
  {
    ...api("numbers"),
    openapi: `
openapi: 3.1.0
info: {title: Numbers, version: "1"}
x-svc:
  upstream: {service: {name: echo}}
  qos: {retries: 3000000000, request_timeout: 1.0e9, idle_timeout: 1.0e9}
  rate_limit: {requests_per_unit: 4294967296, unit: hour}
  cors: {origins: ["https://shop.example"], max_age: 1.0e12}
  cache: {enabled: true, max_age: 1.0e21}
paths: {/numbers: {get: {${PLAIN}}}}
`,
    exchanges: [{ request: "GET /numbers", status: 200, has: "GET /numbers" }],
  },
  {
    ...api("split"),
    openapi: `
openapi: 3.2.0
info: {title: Split, version: "1"}
x-svc: {upstreams: [{service: {name: echo}, weight: 50}, {service: {name: echo, namespace: default, port: 80}, weight: 50}]}
paths: {/split: {get: {${PLAIN}}, query: {${PLAIN}}}}
`,
    exchanges: [{ request: "GET /split", status: 200, has: "GET /split" }],
  },
  {
    ...api("own", "team-a", "team-a/edge"),
    openapi: `
openapi: 3.1.0
info: {title: Own, version: "1"}
x-svc: {${MOCKED}}
paths: {/own: {get: {${TEXT("of team-a")}}}}
`,
    exchanges: [{ request: "GET /own", status: 200, has: "of team-a" }],
  },
  {
    // An API in another namespace than its fleet, which doesn't restrict namespaces.
    ...api("guest", "team-b", "team-a/edge"),
    openapi: `
openapi: 3.1.0
info: {title: Guest, version: "1"}
x-svc: {${MOCKED}}
paths: {/guest: {get: {${TEXT("of team-b")}}}}
`,
    exchanges: [{ request: "GET /guest", status: 200, has: "of team-b" }],
  },
  {
    ...api("web"),
    kind: "staticroutes",
    openapi: `
openapi: 3.1.0
info: {title: Web, version: "1"}
x-svc: {hosts: [www.example.com], ${ECHO}}
paths: {}
`,
    exchanges: [
      { request: "GET /any/where", host: "www.example.com", status: 200, has: "GET /any/where" },
      { request: "GET /any/where", host: "other.example.com", status: 404 },
    ],
  },
  {
    ...api("vault", "team-b", "team-a/edge"),
    kind: "staticroutes",
    openapi: `
openapi: 3.1.0
info: {title: Vault, version: "1"}
x-svc: {hosts: [vault.example.com], ${ECHO}, ${JWT}}
paths: {}
`,
    exchanges: [
      { request: "GET /gold", host: "vault.example.com", status: 401 },
      { request: "GET /gold", host: "vault.example.com", headers: TOKEN, status: 200, has: "GET /gold" },
    ],
  },
];

function api(
  name: string,
  namespace = "default",
  fleet = "default/default",
): Pick<StoredObject, "kind" | "namespace" | "name" | "fleet"> {
  return { kind: "apis", namespace, name, fleet };
}
