/** Rows for rules: those of the definition (`x-svc.mocking`), and those of `--rule`. */
import { json, ok } from "./answers.ts";
import type { Row } from "./row.ts";
import { PETS, STATEFUL } from "./state.ts";
import { GATEWAYS, WITH_SETTINGS } from "./users.ts";

const mocking = (settings: Record<string, unknown>): Record<string, unknown> => ({
  "x-svc": { mocking: { enabled: true, generate: true, ...settings } },
});

const given = { users: WITH_SETTINGS, why: "A deployment has the rules of its definition only." };

const PARTS = {
  deprecated: true,
  responses: {
    "200": {
      headers: { "X-Total": { required: true, schema: { const: "7" } } },
      ...json({ examples: { one: { value: [1] }, none: { value: [] } } }),
    },
    "404": json({ example: "no" }),
  },
};

const DECLARED: readonly Row[] = [
  {
    name: "declared rules: a sequence, anew in each session",
    paths: { "/a": { get: { ...PARTS, ...mocking({ sequence: [503, "ok", "example none"] }) } } },
    exchanges: ["a", "b"].flatMap((session) => {
      const headers = { "x-gw-session": session };
      return [
        { ask: "GET /a", headers, status: 503, source: "rule", has: { "x-svc-mocked": "true" } },
        { ask: "GET /a", headers, status: 200, json: [1], source: "examples.one" },
        { ask: "GET /a", headers, status: 200, json: [], source: "rule" },
        { ask: "GET /a", headers, status: 200, json: [1], source: "examples.one" },
      ];
    }),
  },
  {
    name: "declared rules: a session has a well-formed name",
    paths: { "/a": { get: { ...PARTS, ...mocking({ sequence: [503] }) } } },
    exchanges: [{ ask: "GET /a", headers: { "x-gw-session": "no name" }, status: 400 }],
  },
  {
    name: "declared rules: a delay",
    paths: { "/a": { get: { ...PARTS, ...mocking({ delay: 20 }) } } },
    exchanges: [{ ask: "GET /a", status: 200, json: [1], delay: 20 }],
  },
  {
    name: "declared rules: an operation without any isn't delayed",
    paths: { "/a": { get: { ...PARTS, ...mocking({ delay: 20 }) } }, "/b": ok({ example: 1 }) },
    exchanges: [{ ask: "GET /b", status: 200, delay: 0, fault: undefined }],
  },
  ...["reset", "empty", "time-out"].map((fault): Row => ({
    name: `declared rules: ${fault}`,
    paths: { "/a": { get: { ...PARTS, ...mocking({ sequence: [fault] }) } } },
    // Where a connection can't be broken, the client gets the 503.
    exchanges: [{ ask: "GET /a", status: 503, fault, source: "rule", has: { "x-svc-mocked": "true" } }],
  })),
  {
    name: "declared rules: a truncated answer",
    paths: { "/a": { get: { ...PARTS, ...mocking({ sequence: ["truncated"] }) } } },
    exchanges: [{ ask: "GET /a", status: 200, fault: "truncated" }],
  },
  {
    name: "declared rules: a share of all requests",
    paths: { "/a": { get: { ...PARTS, ...mocking({ faults: ["503 100%"] }) } } },
    exchanges: [{ ask: "GET /a", status: 503 }, { ask: "GET /a", status: 503 }],
  },
  ...["503 x1", "x1 503", "100% 503 x1", "503,ok"].map((fault): Row => ({
    name: `declared rules: the words of a rule, ${fault}`,
    paths: { "/a": { get: { ...PARTS, ...mocking({ faults: [fault] }) } } },
    exchanges: [{ ask: "GET /a", status: 503 }, { ask: "GET /a", status: 200 }],
  })),
  {
    name: "declared rules: a condition, and an example",
    paths: {
      "/a": {
        get: {
          responses: { "200": json({ examples: { one: { value: 1 }, two: { value: 2 } } }) },
          ...mocking({ faults: ["503 if query.a=b", "example two"] }),
        },
      },
    },
    exchanges: [{ ask: "GET /a?a=b", status: 503 }, { ask: "GET /a", status: 200, json: 2 }],
  },
  {
    name: "declared rules: a declared error of the operation",
    paths: { "/a": { get: { ...PARTS, ...mocking({ sequence: [404] }) } } },
    exchanges: [{ ask: "GET /a", status: 404, json: "no", has: { deprecation: "true", "x-svc-mocked": "true" } }],
  },
  {
    name: "declared rules: an undeclared error is a problem",
    paths: { "/a": { get: { ...PARTS, ...mocking({ sequence: [418] }) } } },
    exchanges: [{
      ask: "GET /a",
      status: 418,
      has: { "content-type": "application/problem+json", "x-svc-mocked": "true" },
    }],
  },
  {
    name: "declared rules: before a preference and the state",
    ...PETS,
    settings: { mocking: { ...STATEFUL.mocking, sequence: [503, "ok"] } },
    exchanges: [
      { ask: "GET /pets/none", headers: { prefer: "example=tom" }, status: 503 },
      {
        ask: "GET /pets/none",
        headers: { prefer: "example=tom" },
        status: 200,
        but: [{ users: GATEWAYS, why: "A gateway ignores preferences.", status: 404 }],
      },
      { ask: "DELETE /pets/1", status: 503 },
      { ask: "GET /pets/1", status: 200 },
    ],
  },
  {
    name: "declared rules: before the refusal of an unreadable body",
    ...PETS,
    settings: { mocking: { ...STATEFUL.mocking, sequence: [503, "ok"] } },
    exchanges: [
      { ask: "POST /pets", send: "{", status: 503 },
      { ask: "POST /pets", send: "{", status: 400 },
    ],
  },
];

const HAS = { "x-total": "7", deprecation: "true", "x-svc-mocked": "true" };

const GIVEN: readonly Row[] = [
  ...([
    ["example one", 200, [1]],
    ["200", 200, [1]],
    ["body [2]", 200, [2]],
    ["200 body [2]", 200, [2]],
    ["delay 5", 200, [1]],
  ] as const).map(([words, status, body]): Row => ({
    name: `--rule: the declared headers and Deprecation stay: ${words}`,
    paths: { "/a": { get: PARTS } },
    rules: [`GET /a: ${words}`],
    only: given,
    exchanges: [{ ask: "GET /a", status, json: body, has: { ...HAS, "content-type": "application/json" } }],
  })),
  {
    name: "--rule: a body has the headers of the status that it is for",
    paths: { "/a": { get: PARTS } },
    rules: ["GET /a: 404 body {}"],
    only: given,
    exchanges: [{ ask: "GET /a", status: 404, json: {}, has: { "x-total": null, deprecation: "true" } }],
  },
  {
    name: "--rule: a body of an undeclared status has the headers that every answer has",
    paths: { "/a": { get: PARTS } },
    rules: ["GET /a: 418 force body {}"],
    only: given,
    exchanges: [{
      ask: "GET /a",
      status: 418,
      json: {},
      has: { "x-total": null, deprecation: "true", "x-svc-mocked": "true", "content-type": "application/json" },
    }],
  },
  {
    name: "--rule: an undeclared status has the headers that every answer has",
    paths: { "/a": { get: PARTS } },
    rules: ["GET /a: 418"],
    only: given,
    exchanges: [{ ask: "GET /a", status: 418, has: { deprecation: "true", "x-svc-mocked": "true" } }],
  },
  {
    name: "--rule: a body without content has the declared headers",
    paths: { "/a": { get: { responses: { "200": { headers: { "X-Total": { schema: { const: "7" } } } } } } } },
    rules: ["GET /a: body [2]"],
    only: given,
    exchanges: [{ ask: "GET /a", status: 200, json: [2], has: { "x-total": "7", "content-type": "application/json" } }],
  },
  {
    name: "--rule: a header that depends on the body is that of the rule's body",
    paths: {
      "/a": {
        get: {
          responses: {
            "201": {
              headers: { Location: { schema: { type: "string" } } },
              ...json({ example: { id: 1 }, schema: {} }),
            },
          },
        },
      },
    },
    rules: ['GET /a: x1 body {"id": 2}'],
    only: given,
    exchanges: [
      { ask: "GET /a", status: 201, json: { id: 2 }, has: { location: "/a/2" } },
      { ask: "GET /a", status: 201, json: { id: 1 }, has: { location: "/a/1" } },
    ],
  },
  {
    name: "--rule: as often as it says",
    paths: { "/a": { get: PARTS } },
    rules: ["GET /a: 503 x2"],
    only: given,
    exchanges: [
      { ask: "GET /a", status: 503 },
      { ask: "GET /a", status: 503 },
      { ask: "GET /a", status: 200 },
    ],
  },
  {
    name: "--rule: if the body says so",
    paths: {
      "/a": {
        post: {
          requestBody: { content: { "application/json": { schema: {} } } },
          responses: { "200": json({ example: 1 }) },
        },
      },
    },
    rules: ["POST /a: 503 if body./kind=cat"],
    only: given,
    exchanges: [
      { ask: "POST /a", send: { kind: "cat" }, status: 503 },
      { ask: "POST /a", send: { kind: "dog" }, status: 200 },
      { ask: "POST /a", send: "{", status: 200 },
      { ask: "POST /a", status: 200 },
    ],
  },
  {
    name: "--rule: if the query says so",
    paths: { "/a": { get: PARTS } },
    rules: ["GET /a: 503 if query.kind=cat"],
    only: given,
    exchanges: [{ ask: "GET /a?kind=cat", status: 503 }, { ask: "GET /a", status: 200 }],
  },
  {
    name: "--rule: before those of the definition",
    paths: { "/a": { get: { ...PARTS, ...mocking({ sequence: [503] }) } } },
    rules: ["GET /a: 404 x1"],
    only: given,
    exchanges: [{ ask: "GET /a", status: 404 }, { ask: "GET /a", status: 503 }],
  },
  {
    name: "--rule: the fault of a broken connection",
    paths: { "/a": { get: PARTS } },
    rules: ["GET /a: reset"],
    only: given,
    exchanges: [{ ask: "GET /a", status: 503, fault: "reset", source: "rule" }],
  },
  {
    name: "--rule: the media type that the client accepts",
    paths: {
      "/a": {
        get: {
          responses: {
            "200": { content: { "application/json": { example: { a: 1 } }, "application/xml": { example: { a: 1 } } } },
          },
        },
      },
    },
    rules: ['GET /a: body {"a": 2}'],
    only: given,
    exchanges: [
      { ask: "GET /a", status: 200, json: { a: 2 } },
      { ask: "GET /a", headers: { accept: "application/xml" }, status: 200, says: ["<a>2</a>"] },
    ],
  },
];

export const RULES: readonly Row[] = [...DECLARED, ...GIVEN];
