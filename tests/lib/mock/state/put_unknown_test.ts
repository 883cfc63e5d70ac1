import assert from "node:assert/strict";
import { createStateClient } from "./state_client.ts";

interface Rules {
  /** Whether the server chooses the ids. */
  readonly hasCreate?: boolean;
  readonly hasDelete?: boolean;
  /** The responses of PUT: their statuses, and whether each shows the rule. */
  readonly replaced: Readonly<Record<string, boolean>>;
}

const RULE = {
  description: "The rule.",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Rule" } } },
};
const BODY = { required: true, content: { "application/json": { schema: { $ref: "#/components/schemas/NewRule" } } } };
const RULES = {
  description: "All.",
  content: { "application/json": { schema: { type: "array", items: { $ref: "#/components/schemas/Rule" } } } },
};

function rules({ hasCreate = false, hasDelete = true, replaced }: Rules): Record<string, unknown> {
  const responses = Object.entries(replaced).map(([status, isShown]) => [
    status,
    isShown ? RULE : { description: "Replaced" },
  ]);
  return {
    openapi: "3.1.0",
    info: { title: "Rules", version: "1" },
    paths: {
      "/rules": {
        get: { responses: { "200": RULES } },
        ...(hasCreate ? { post: { requestBody: BODY, responses: { "201": RULE } } } : {}),
      },
      "/rules/{id}": {
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string", format: "uuid" } }],
        get: { responses: { "200": RULE } },
        put: { requestBody: BODY, responses: Object.fromEntries(responses) },
        ...(hasDelete ? { delete: { responses: { "204": { description: "Deleted" } } } } : {}),
      },
    },
    components: {
      schemas: {
        NewRule: {
          type: "object",
          required: ["name"],
          properties: { name: { type: "string" }, note: { type: ["string", "null"] } },
        },
        Rule: {
          type: "object",
          required: ["id", "name"],
          properties: {
            id: { type: "string", format: "uuid" },
            name: { type: "string" },
            note: { type: ["string", "null"] },
          },
        },
      },
    },
  };
}

const UNKNOWN = "805db06a-19d6-473b-a778-507cdbeef77a";

const CASES: readonly {
  readonly what: string;
  readonly given: Rules;
  readonly want: number;
  readonly changed?: number;
}[] = [
  { what: "beside a POST", given: { hasCreate: true, replaced: { 204: false } }, want: 404 },
  {
    what: "beside a POST, without DELETE",
    given: { hasCreate: true, hasDelete: false, replaced: { 204: false } },
    want: 404,
  },
  { what: "beside a POST, with the item", given: { hasCreate: true, replaced: { 200: true } }, want: 404 },
  {
    what: "beside a POST, 201 declared",
    given: { hasCreate: true, replaced: { 201: false, 204: false } },
    want: 201,
    changed: 204,
  },
  { what: "where clients choose the ids", given: { replaced: { 204: false } }, want: 204 },
  { what: "where clients choose the ids, 200 declared", given: { replaced: { 200: true } }, want: 200 },
  {
    what: "where clients choose the ids, 201 declared",
    given: { replaced: { 201: false, 204: false } },
    want: 201,
    changed: 204,
  },
  {
    what: "where clients choose the ids, 201 without a body",
    given: { replaced: { 200: true, 201: false } },
    want: 201,
    changed: 200,
  },
  { what: "where clients choose the ids, all of 2XX", given: { replaced: { "2XX": true } }, want: 201, changed: 200 },
  {
    what: "where clients choose the ids, 201 with the item",
    given: { replaced: { 201: true, 204: false } },
    want: 201,
    changed: 204,
  },
  {
    what: "where clients choose the ids, 201 alone with the item",
    given: { replaced: { 200: false, 201: true } },
    want: 201,
    changed: 200,
  },
];

for (const { what, given, want, changed } of CASES) {
  Deno.test(`PUT of an unknown id ${what} is answered with ${want}`, async () => {
    const client = await createStateClient(rules(given));
    const made = await client.ask(`PUT /rules/${UNKNOWN}`, { name: "new" });
    assert.equal(made.status, want);
    if (made.body !== undefined && want !== 404) assert.deepEqual(made.body, { id: UNKNOWN, name: "new", note: null });
    const read = await client.ask(`GET /rules/${UNKNOWN}`);
    assert.equal(read.status, want === 404 ? 404 : 200);
    if (want === 404) return;
    assert.deepEqual(read.body, { id: UNKNOWN, name: "new", note: null });
    const again = await client.ask(`PUT /rules/${UNKNOWN}`, { name: "newer", note: "b" });
    assert.equal(again.status, changed ?? want);
    assert.deepEqual((await client.ask(`GET /rules/${UNKNOWN}`)).body, { id: UNKNOWN, name: "newer", note: "b" });
  });
}
