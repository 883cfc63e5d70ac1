/** Rows for the bodies of requests: whole, malformed, missing, coded. */
import { json } from "./answers.ts";
import { MOCKED, type Row } from "./row.ts";
import { PETS, STATEFUL } from "./state.ts";

const MATCHING = {
  "/a": {
    post: {
      requestBody: { content: { "application/json": { schema: {} } } },
      responses: {
        "200": json({
          examples: {
            none: { value: "none" },
            cat: { value: "cat", "x-svc": { mocking: { match: { "body./kind": "cat" } } } },
          },
        }),
      },
    },
  },
};

const DEEP = "[".repeat(1000) + "]".repeat(1000);

/** Bodies that can't be read, with the status of a write. */
const UNREADABLE: readonly { name: string; send: string; headers?: Record<string, string>; status: number }[] = [
  { name: "malformed JSON", send: '{"name": ', status: 400 },
  { name: "text that isn't JSON", send: "name=Kit", status: 400 },
  { name: "deep JSON", send: DEEP, status: 400 },
  {
    name: "malformed JSON of a vendor's type",
    send: "{",
    headers: { "content-type": "application/vnd.a+json" },
    status: 400,
  },
  { name: "not in its coding", send: '{"name": "Kit"}', headers: { "content-encoding": "gzip" }, status: 400 },
  { name: "an unknown coding", send: '{"name": "Kit"}', headers: { "content-encoding": "zip" }, status: 415 },
  { name: "more than 16 MiB", send: `"${"x".repeat(17 << 20)}"`, status: 413 },
];

export const BODIES: readonly Row[] = [
  ...UNREADABLE.map(({ name, send, headers = {}, status }): Row => ({
    name: `unreadable body: a write changes nothing: ${name}`,
    ...PETS,
    settings: STATEFUL,
    exchanges: [
      { ask: "POST /pets", send: { name: "Rex", tag: "dog" }, status: 201, keeps: true },
      { ask: "PUT /pets/{id}", send, headers, status },
      { ask: "PATCH /pets/{id}", send, headers, status },
      { ask: "POST /pets", send, headers, status },
      { ask: "GET /pets/{id}", status: 200, says: ['"name":"Rex","tag":"dog"'] },
    ],
  })),
  ...UNREADABLE.slice(0, -1).map(({ name, send, headers = {} }): Row => ({
    name: `unreadable body: no condition is met: ${name}`,
    paths: MATCHING,
    exchanges: [{ ask: "POST /a", send, headers, status: 200, json: "none" }],
  })),
  {
    name: "missing body: no condition is met",
    paths: MATCHING,
    exchanges: [
      { ask: "POST /a", status: 200, json: "none" },
      { ask: "POST /a", send: "", status: 200, json: "none" },
      { ask: "POST /a", send: { kind: "cat" }, status: 200, json: "cat" },
    ],
  },
  {
    name: "missing body: a create makes an item of the schema",
    ...PETS,
    settings: STATEFUL,
    exchanges: [{ ask: "POST /pets", status: 201 }],
  },
  {
    name: "body: an operation that needs none answers without reading it",
    paths: { "/a": { post: { responses: { "200": json({ example: 1 }) } } } },
    exchanges: [{ ask: "POST /a", send: '{"name": ', status: 200, json: 1 }],
  },
  {
    name: "body: its type may have parameters",
    paths: MATCHING,
    settings: MOCKED,
    exchanges: [{
      ask: "POST /a",
      send: { kind: "cat" },
      headers: { "content-type": "application/json; charset=utf-8" },
      status: 200,
      json: "cat",
    }],
  },
];
