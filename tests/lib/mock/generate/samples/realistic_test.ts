import assert from "node:assert/strict";
import { createBodyGenerator } from "../../../../../lib/mock/generate/generate.ts";
import { createMock } from "../../../../../lib/mock/mock.ts";
import { parseDocument } from "../../../../../lib/openapi/document.ts";
import { child } from "../../../../../lib/schema/json/node.ts";

const string = { type: "string" };
const number = { type: "number" };
const integer = { type: "integer" };

/** Properties with their schemas, and patterns that the generated values must match. */
const LOOKS: { name: string; schema: unknown; looks: RegExp }[] = [
  { name: "email", schema: string, looks: /^[a-z.-]+@example\.com$/ },
  { name: "billingEmailAddress", schema: string, looks: /@example\.com$/ },
  {
    name: "id",
    schema: { type: "string", format: "uuid" },
    looks: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  },
  { name: "created_at", schema: string, looks: /^2025-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ },
  { name: "createdAt", schema: integer, looks: /^17\d{8}$/ },
  { name: "birthday", schema: { type: "string", format: "date" }, looks: /^19\d\d-\d\d-\d\d$/ },
  { name: "avatarUrl", schema: string, looks: /^https:\/\/images\.example\.com\/.*\.png$/ },
  { name: "website", schema: { type: "string", format: "uri" }, looks: /^https:\/\// },
  { name: "ip_address", schema: string, looks: /^192\.0\.2\.\d+$/ },
  { name: "phoneNumber", schema: string, looks: /^\+1202555\d{4}$/ },
  { name: "firstName", schema: string, looks: /^[A-Z][a-z]+$/ },
  { name: "city", schema: string, looks: /^\p{Lu}\p{L}/u },
  { name: "countryCode", schema: { type: "string", minLength: 2, maxLength: 2 }, looks: /^[A-Z]{2}$/ },
  { name: "currency", schema: string, looks: /^[A-Z]{3}$/ },
  { name: "price", schema: number, looks: /^\d+(\.\d{1,2})?$/ },
  { name: "total_price", schema: string, looks: /^\d+\.\d\d$/ },
  { name: "latitude", schema: number, looks: /^-?\d\d?(\.\d+)?$/ },
  { name: "commit_sha", schema: string, looks: /^[0-9a-f]{40}$/ },
  { name: "slug", schema: string, looks: /^[a-z]+-[a-z]+$/ },
  { name: "description", schema: string, looks: /^[A-Z].* .*\.$/ },
  { name: "description", schema: { type: "string", maxLength: 10 }, looks: /^.{1,10}$/ },
  { name: "thumbnail", schema: { type: "string", contentEncoding: "base64" }, looks: /^[A-Za-z0-9+/]+=*$/ },
  { name: "age", schema: { type: "integer", minimum: 0, maximum: 10 }, looks: /^\d$|^10$/ },
  { name: "page", schema: integer, looks: /^1$/ },
];

async function bodyOf(
  properties: Record<string, unknown>,
  seed: number,
  status?: number,
): Promise<Record<string, unknown>> {
  const document = await parseDocument(
    JSON.stringify({ openapi: "3.1.0", paths: {}, "x-main": { type: "object", properties } }),
  );
  const body = (await createBodyGenerator(document)).generate(child(document.root, "x-main"), {
    seed,
    ...(status === undefined ? {} : { status }),
  });
  if (body.kind === "impossible") assert.fail(body.reason);
  return Object.fromEntries(Object.entries(body.value ?? {}));
}

Deno.test("generateBody() gives false for pagination flags, so that clients stop reading pages", async () => {
  const boolean = { type: "boolean" };
  const names = [
    "has_more",
    "hasNextPage",
    "IsTruncated",
    "truncated",
    "more",
    "more_results",
    "next",
    "has_more_rows",
  ];
  const others = ["active", "moreover", "more_info", "is_last", "lastPage", "end_of_results", "firstPage"];
  const body = await bodyOf(Object.fromEntries([...names, ...others].map((name) => [name, boolean])), 0);
  assert.deepEqual([...names, ...others].filter((name) => body[name] === true), others);
  const { has_more } = await bodyOf({ has_more: { type: "boolean", const: true } }, 0);
  assert.equal(has_more, true);
});

Deno.test("generateBody() chooses sample values by property name and format", async (t) => {
  for (const { name, schema, looks } of LOOKS) {
    await t.step(`${name} of ${JSON.stringify(schema)}`, async () => {
      assert.match(String((await bodyOf({ [name]: schema }, 0))[name]), looks);
    });
  }
});

Deno.test("generateBody() prefers scalars to arrays and objects that the schema doesn't describe", async () => {
  const types = ["array", "string", "object", "null"];
  const branches = [{ required: ["id"] }, { required: ["id"], properties: { link: string } }];
  const described: unknown[] = [];
  for (let seed = 0; seed < 20; seed++) {
    const { any, list, one } = await bodyOf({
      any: { type: types },
      list: { type: types, items: string },
      one: { type: "object", properties: { id: integer }, oneOf: branches },
    }, seed);
    assert.ok(typeof (any ?? "") === "string", JSON.stringify(any));
    assert.ok(typeof (Object(one).link ?? "") !== "object", JSON.stringify(one));
    described.push(list);
  }
  assert.ok(
    described.some(Array.isArray) && described.some((list) => typeof list === "string"),
    JSON.stringify(described),
  );
});

Deno.test("generateBody() orders the times of an object: created before updated", async () => {
  const names = ["expires_at", "updated_at", "created_at", "completed_at"];
  for (let seed = 0; seed < 20; seed++) {
    const text = { type: "string", format: "date-time" };
    const body = await bodyOf(Object.fromEntries(names.map((name) => [name, text])), seed);
    const inOrder = ["created_at", "updated_at", "completed_at", "expires_at"].flatMap((name) => body[name] ?? []);
    assert.deepEqual(inOrder, inOrder.toSorted(), `seed ${seed}`);
  }
});

Deno.test("generateBody() gives the properties of an object values of one person and place", async () => {
  const body = await bodyOf({ firstName: string, lastName: string, email: string, city: string, country: string }, 0);
  assert.equal(body["email"], `${body["firstName"]}.${body["lastName"]}@example.com`.toLowerCase());
});

/** Properties of error responses with their schemas, and the expected values. */
const ERRORS: { status: number; name: string; schema: unknown; want: unknown }[] = [
  { status: 404, name: "status", schema: integer, want: 404 },
  { status: 404, name: "statusCode", schema: { type: "integer", format: "int32" }, want: 404 },
  { status: 503, name: "code", schema: integer, want: 503 },
  { status: 422, name: "title", schema: string, want: "Unprocessable Content" },
  { status: 404, name: "detail", schema: string, want: "The resource was not found." },
  { status: 401, name: "message", schema: string, want: "Valid credentials are required." },
  { status: 500, name: "error", schema: string, want: "An internal error occurred." },
  { status: 418, name: "errorMessage", schema: string, want: "The request failed: Client Error." },
  { status: 404, name: "status", schema: string, want: "404" },
  { status: 404, name: "status", schema: { enum: ["failed"] }, want: "failed" },
];

Deno.test("generateBody() describes the error in an error body, with every seed", async (t) => {
  for (const { status, name, schema, want } of ERRORS) {
    await t.step(`${name} of ${JSON.stringify(schema)} is ${want} for ${status}`, async () => {
      for (const seed of [0, 1, 7, 23]) {
        const body = await bodyOf({ [name]: schema, other: { type: "boolean" }, count: integer }, seed, status);
        if (Object.hasOwn(body, name)) assert.deepEqual(body[name], want);
        else assert.notEqual(seed, 0);
      }
    });
  }
});

Deno.test("createMock() describes the error in the response that `Prefer: code` selects", async () => {
  const problem = { type: "object", properties: { status: integer, title: string, detail: string } };
  const document = await parseDocument(JSON.stringify({
    openapi: "3.1.0",
    paths: {
      "/a": {
        get: { responses: { 200: {}, "4XX": { content: { "application/problem+json": { schema: problem } } } } },
      },
    },
  }));
  const request = new Request("http://localhost/a", { headers: { prefer: "code=409" } });
  assert.deepEqual(await (await createMock(document)(request)).json(), {
    status: 409,
    title: "Conflict",
    detail: "The request conflicts with the current state of the resource.",
  });
});
