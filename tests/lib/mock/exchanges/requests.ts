/** Rows for the parts of a request: media types, methods, paths, bases, origins. */
import { json, ok } from "./answers.ts";
import type { Row } from "./row.ts";
import { DEPLOYED, GATEWAYS } from "./users.ts";

const offers = (...types: string[]): Record<string, unknown> => ({
  "/a": {
    get: {
      responses: { "200": { content: Object.fromEntries(types.map((type) => [type, { example: type }])) } },
    },
  },
});

const ALL = ["text/csv", "application/vnd.a+json", "application/json", "application/xml"];

const ACCEPTS: readonly (readonly [accept: string | undefined, types: readonly string[], want: string | 406])[] = [
  [undefined, ALL, "application/json"],
  ["*/*", ALL, "application/json"],
  [undefined, ["text/csv", "application/vnd.a+json"], "application/vnd.a+json"],
  [undefined, ["text/csv", "text/html"], "text/csv"],
  ["application/xml", ALL, "application/xml"],
  ["application/json;q=0.1, application/xml;q=0.9", ALL, "application/xml"],
  ["application/xml;q=0.5, application/json;q=0.5", ALL, "application/json"],
  ["text/*, */*", ALL, "text/csv"],
  ["application/json;q=0, */*;q=0.1", ALL, "application/vnd.a+json"],
  ["application/json", ["text/csv", "application/problem+json"], "application/problem+json"],
  ["text/xml", ["text/csv", "application/vnd.a+xml"], "application/vnd.a+xml"],
  ["APPLICATION/JSON", ALL, "application/json"],
  ["text/csv;header=present", ["text/csv", "application/json"], "text/csv"],
  ["text/csv;header=present", ["text/csv;header=absent", "application/json"], 406],
  ["image/png", ALL, 406],
  ["*/*;q=0", ALL, 406],
  ["image/png, */*;q=0.1", ALL, "application/json"],
  [";;,,q=", ["application/json"], "application/json"],
];

const NEGOTIATION: readonly Row[] = [
  ...ACCEPTS.map(([accept, types, want]): Row => ({
    name: `Accept: ${accept} among ${types.join(", ")}`,
    paths: offers(...types),
    exchanges: [{
      ask: "GET /a",
      ...accept === undefined ? {} : { headers: { accept } },
      ...want === 406
        ? { status: 406, says: [types.join(", ")], source: "problem", has: { "x-svc-mocked": "true" } }
        : { status: 200, has: { "content-type": want }, source: "example" },
    }],
  })),
  {
    name: "Accept: a 406 says what was asked for",
    paths: offers("a/b", "c/d"),
    exchanges: [{ ask: "GET /a", headers: { accept: "e/f" }, status: 406, says: ["a/b, c/d", "e/f"] }],
  },
  {
    name: "Accept: it doesn't matter for a response without content",
    paths: { "/a": { get: { responses: { "204": {} } } } },
    exchanges: [{ ask: "GET /a", headers: { accept: "e/f" }, status: 204 }],
  },
];

const METHODS: readonly Row[] = [
  {
    name: "HEAD: as GET, with its length and without its body",
    paths: { "/a": ok({ example: [1] }) },
    exchanges: [{
      ask: "HEAD /a",
      status: 200,
      text: "",
      has: { "content-type": "application/json", "content-length": "3", "x-svc-mocked": "true" },
    }],
  },
  {
    name: "HEAD: of the definition is answered itself",
    paths: { "/a": { ...ok({ example: 1 }), head: { responses: { "204": {} } } } },
    exchanges: [{ ask: "HEAD /a", status: 204, text: "" }],
  },
  {
    name: "HEAD: a declared length without an example fits its schema",
    paths: {
      "/a": {
        head: {
          responses: {
            "200": { headers: { "Content-Length": { schema: { type: "integer", minimum: 5, maximum: 5 } } } },
          },
        },
      },
    },
    exchanges: [{ ask: "HEAD /a", status: 200, text: "", has: { "content-length": "5" } }],
  },
  {
    name: "HEAD: a problem has no body either",
    paths: { "/a": ok({ example: 1 }) },
    exchanges: [{ ask: "HEAD /a", headers: { accept: "a/b" }, status: 406, text: "" }],
  },
  {
    name: "OPTIONS: the methods of the path",
    paths: { "/a": { ...ok({ example: 1 }), put: { responses: { "204": {} } } } },
    exchanges: [{ ask: "OPTIONS /a", status: 204, has: { allow: "GET, PUT, HEAD, OPTIONS" } }],
  },
  {
    name: "OPTIONS: of the definition is answered itself",
    paths: { "/a": { options: { responses: { "200": json({ example: "own" }) } } } },
    exchanges: [{
      ask: "OPTIONS /a",
      headers: { origin: "https://page", "access-control-request-method": "PUT" },
      status: 200,
      json: "own",
    }],
  },
  { name: "OPTIONS: of nothing is a 404", paths: {}, exchanges: [{ ask: "OPTIONS /a", status: 404 }] },
  {
    name: "methods: another one is a 405 with Allow",
    paths: { "/a": { put: { responses: { "204": {} } }, post: { responses: { "204": {} } } } },
    exchanges: [{
      ask: "DELETE /a",
      status: 405,
      has: { allow: "PUT, POST, OPTIONS", "content-type": "application/problem+json" },
      says: ["PUT, POST"],
    }],
  },
  ...["PUT", "POST", "PATCH", "DELETE"].map((method): Row => ({
    name: `methods: ${method} is answered by its own operation`,
    paths: {
      "/a": { ...ok({ example: 1 }), [method.toLowerCase()]: { responses: { "202": json({ example: method }) } } },
    },
    exchanges: [{ ask: `${method} /a`, status: 202, json: method }],
  })),
];

const path = (name: string): Record<string, unknown> => ({
  name,
  in: "path",
  required: true,
  schema: { type: "string" },
});

const PATHS: readonly Row[] = [
  {
    name: "paths: an unknown one is a 404 that names it",
    paths: { "/pets": ok({ example: 1 }), "/pets/{id}": { parameters: [path("id")], ...ok({ example: 2 }) } },
    exchanges: [{
      ask: "GET /petz/3",
      status: 404,
      says: ["/petz/3", "/pets/{id}"],
      has: { "content-type": "application/problem+json" },
      but: [{ users: DEPLOYED, why: "A gateway doesn't tell strangers what is deployed.", says: ["/petz/3"] }],
    }],
  },
  {
    name: "paths: a concrete one goes before a template, segment by segment",
    paths: {
      "/a/{x}/c": { parameters: [path("x")], ...ok({ example: "template" }) },
      "/a/b/{y}": { parameters: [path("y")], ...ok({ example: "concrete" }) },
    },
    exchanges: [
      { ask: "GET /a/b/c", status: 200, json: "concrete" },
      { ask: "GET /a/x/c", status: 200, json: "template" },
    ],
  },
  {
    name: "paths: a template may be a part of a segment",
    paths: { "/report.{format}": { parameters: [path("format")], ...ok({ example: 1 }) } },
    exchanges: [{ ask: "GET /report.csv", status: 200 }, { ask: "GET /report", status: 404 }],
  },
  {
    name: "paths: percent-encoding is decoded once",
    paths: {
      "/a/{id}": {
        get: {
          parameters: [path("id")],
          responses: {
            "200": json({
              examples: {
                none: { value: "none" },
                slash: { value: "slash", "x-svc": { mocking: { match: { "path.id": "b/c" } } } },
                coded: { value: "coded", "x-svc": { mocking: { match: { "path.id": "b%2Fc" } } } },
              },
            }),
          },
        },
      },
    },
    exchanges: [
      { ask: "GET /a/b%2Fc", status: 200, json: "slash" },
      { ask: "GET /a/b%252Fc", status: 200, json: "coded" },
    ],
  },
  {
    name: "paths: bad percent-encoding is a path like any other",
    paths: { "/p/{x}": { parameters: [path("x")], ...ok({ example: 1 }) } },
    exchanges: [{ ask: "GET /p/%zz", status: 200 }, { ask: "GET /p/%", status: 200 }, {
      ask: "GET /p/%00",
      status: 200,
      but: [{
        users: DEPLOYED,
        status: 400,
        why: "A gateway refuses what a server behind it may read as another path.",
      }],
    }],
  },
  {
    name: "paths: a query in the key of a path is a condition",
    paths: { "/a": ok({ example: "plain" }), "/a?kind=cat": ok({ example: "cat" }) },
    exchanges: [
      { ask: "GET /a", status: 200, json: "plain" },
      { ask: "GET /a?kind=cat", status: 200, json: "cat" },
    ],
  },
  {
    name: "paths: queries that no operation declares don't matter",
    paths: { "/a": ok({ example: 1 }) },
    exchanges: [{ ask: "GET /a?x=%&&=&__code=", status: 200, json: 1 }],
  },
  {
    name: "base paths: those of servers, beside the bare path",
    paths: { "/a": ok({ example: 1 }) },
    root: {
      servers: [{
        url: "https://{host}/{v}/",
        variables: { host: { default: "h" }, v: { default: "v1", enum: ["v1", "v2"] } },
      }],
    },
    exchanges: [
      { ask: "GET /a", status: 200 },
      {
        ask: "GET /v2/a",
        status: 200,
        but: [{ users: GATEWAYS, why: "A gateway serves an API at x-svc.path.prefix.", status: 404 }],
      },
    ],
  },
  {
    name: "base paths: the prefix of x-svc.path",
    paths: { "/a": ok({ example: 1 }) },
    settings: { path: { prefix: "/v1" }, mocking: { enabled: true } },
    exchanges: [{
      ask: "GET /v1/a",
      status: 200,
      but: [{
        users: ["createMock"],
        why: "A mock server has no prefix: servers and --base-url name one.",
        status: 404,
      }],
    }],
  },
  {
    name: "hosts: one that isn't well-formed is a 400",
    paths: { "/a": ok({ example: 1 }) },
    exchanges: [{ ask: "GET /a", headers: { host: "a/b" }, status: 400 }],
  },
];

const ORIGINS: readonly Row[] = [
  {
    name: "origins: a page of another one",
    paths: {
      "/a": {
        get: { responses: { "200": { headers: { "X-Total": { schema: { type: "integer" }, example: 1 } } } } },
      },
    },
    exchanges: [{
      ask: "GET /a",
      headers: { origin: "https://page" },
      status: 200,
      has: {
        "access-control-allow-origin": "https://page",
        "access-control-allow-credentials": "true",
        "access-control-expose-headers": "x-svc-mocked, x-total",
        "vary": "origin",
      },
      but: [{
        users: DEPLOYED,
        why: "A gateway adds the CORS headers of x-svc.cors only.",
        has: { "access-control-allow-origin": null, vary: null },
      }],
    }],
  },
  {
    name: "origins: a problem may be read as well",
    paths: {},
    exchanges: [{
      ask: "GET /a",
      headers: { origin: "https://page" },
      status: 404,
      has: { "access-control-allow-origin": "https://page" },
      but: [{ users: DEPLOYED, why: "A gateway adds the CORS headers of x-svc.cors only.", has: {} }],
    }],
  },
  {
    name: "origins: CORS headers that the definition gives a value stay",
    paths: {
      "/a": {
        get: {
          responses: {
            "200": {
              headers: { "Access-Control-Allow-Origin": { schema: { type: "string" }, example: "https://only" } },
            },
          },
        },
      },
    },
    exchanges: [{
      ask: "GET /a",
      headers: { origin: "https://page" },
      status: 200,
      has: { "access-control-allow-origin": "https://only", "access-control-allow-credentials": null },
    }],
  },
  {
    name: "origins: CORS headers are never generated",
    paths: {
      "/a": {
        get: {
          responses: { "200": { headers: { "Access-Control-Allow-Origin": { schema: { type: "string" } } } } },
        },
      },
    },
    exchanges: [{
      ask: "GET /a",
      headers: { origin: "https://page" },
      status: 200,
      has: { "access-control-allow-origin": "https://page" },
      but: [{
        users: DEPLOYED,
        why: "A gateway adds the CORS headers of x-svc.cors only.",
        has: { "access-control-allow-origin": null },
      }],
    }],
  },
  {
    name: "origins: a preflight",
    paths: { "/a": { put: { responses: { "204": {} } } } },
    exchanges: [{
      ask: "OPTIONS /a",
      headers: {
        origin: "https://page",
        "access-control-request-method": "PUT",
        "access-control-request-headers": "x-a, x-b",
      },
      status: 204,
      has: {
        "access-control-allow-origin": "https://page",
        "access-control-allow-methods": "PUT, OPTIONS",
        "access-control-allow-headers": "x-a, x-b",
        "access-control-allow-credentials": "true",
      },
      but: [{
        users: DEPLOYED,
        why: "A gateway answers preflights of routes with x-svc.cors only.",
        has: { allow: "PUT, OPTIONS", "access-control-allow-origin": null },
      }],
    }],
  },
  {
    name: "origins: without CORS a preflight is an OPTIONS",
    paths: { "/a": { put: { responses: { "204": {} } } } },
    options: { cors: false },
    exchanges: [{
      ask: "OPTIONS /a",
      headers: { origin: "https://page", "access-control-request-method": "PUT" },
      status: 204,
      has: { "access-control-allow-origin": null, vary: null, allow: "PUT, OPTIONS" },
    }],
  },
];

const IGNORED: readonly Row[] = [
  {
    name: "sessions: a server without any ignores the header",
    paths: { "/a": ok({ example: 1 }) },
    exchanges: [{ ask: "GET /a", headers: { "x-gw-session": "no name" }, status: 200, json: 1 }],
  },
  {
    name: "sessions: a server without any has no base paths of sessions",
    paths: { "/a": ok({ example: 1 }) },
    exchanges: [{ ask: "GET /_gw/s/a/a", status: 404 }],
  },
  {
    name: "own endpoints: none without being asked for",
    paths: { "/a": ok({ example: 1 }) },
    exchanges: [{ ask: "GET /", status: 404 }, { ask: "GET /_gw/health", status: 404 }],
  },
  {
    name: "checks: an invalid request is answered, as checks are off by default",
    paths: {
      "/a": {
        get: {
          parameters: [{ name: "n", in: "query", required: true, schema: { type: "integer" } }],
          responses: { "200": json({ example: 1 }), "400": json({ example: "bad" }) },
        },
      },
    },
    exchanges: [{ ask: "GET /a?n=x", status: 200, json: 1 }, { ask: "GET /a", status: 200, json: 1 }],
  },
  {
    name: "checks: with `error`, an invalid request is refused",
    paths: {
      "/a": {
        get: {
          parameters: [{ name: "n", in: "query", required: true, schema: { type: "integer" } }],
          responses: { "200": json({ example: 1 }) },
        },
      },
    },
    options: { validate: "error" },
    exchanges: [{
      ask: "GET /a?n=x",
      status: 422,
      has: { "content-type": "application/problem+json" },
      but: [{
        users: GATEWAYS,
        why: "A gateway never checks mocked operations: mocking and validation exclude each other.",
        status: 200,
        has: {},
      }],
    }, { ask: "GET /a?n=1", status: 200, json: 1 }],
  },
];

export const REQUESTS: readonly Row[] = [...NEGOTIATION, ...METHODS, ...PATHS, ...ORIGINS, ...IGNORED];
