import assert from "node:assert/strict";
import type { RequestValidatorOptions } from "../../../../lib/mock/validation/validate_request.ts";
import { type Definition, validationOf } from "./support.ts";

const LIMIT = { name: "limit", in: "query", schema: { type: "integer" } };
const CURSOR = { name: "cursor", in: "query", schema: { type: "string" } };
const IDS = { name: "ids", in: "query", schema: { type: "array", items: { type: "string" } } };
const FILTER = { name: "filter", in: "query", style: "deepObject", schema: { type: "object" } };
const SORT = {
  name: "sort",
  in: "query",
  schema: { type: "object", properties: { sortBy: {}, sortOrder: {} }, additionalProperties: false },
};
const ANYTHING = { name: "rest", in: "query", schema: { type: "object", additionalProperties: { type: "string" } } };
const WHOLE = { name: "q", in: "querystring", content: { "text/plain": { schema: { type: "string" } } } };

async function messagesOf(definition: Definition, target: string, options: RequestValidatorOptions): Promise<string[]> {
  const { violations, error } = await validationOf(definition, { target }, options);
  // Only a violation refuses the request.
  assert.equal(error === undefined, options.undeclared !== "error" || violations.length === 0);
  return violations.map(({ message }) => message);
}

interface Case {
  parameters: unknown[];
  query: string;
  warn: string[];
  /** With `strictQueries`. Default: as in `warn`. */
  strict?: string[];
}

const LIMT = ["Request query parameter limt is not declared, but limit is."];

const CASES: Case[] = [
  { parameters: [LIMIT, CURSOR], query: "limit=1&cursor=a", warn: [] },
  { parameters: [LIMIT, CURSOR], query: "limt=10", warn: LIMT },
  { parameters: [LIMIT, CURSOR], query: "lim%74=10&limt=11", warn: LIMT },
  {
    parameters: [LIMIT, CURSOR],
    query: "Limit=10",
    warn: ["Request query parameter Limit is not declared, but limit is."],
  },
  {
    parameters: [LIMIT, CURSOR],
    query: "_=1700000000&utm_source=x",
    warn: [],
    strict: [
      "Request query parameter _ is not declared.",
      "Request query parameter utm_source is not declared.",
    ],
  },
  { parameters: [], query: "limt=10", warn: [], strict: ["Request query parameter limt is not declared."] },
  { parameters: [IDS, FILTER], query: "ids=1&filter[name]=Tom&filter[a][b]=1", warn: [] },
  {
    parameters: [IDS, FILTER],
    query: "filtre[name]=Tom",
    warn: ["Request query parameter filtre[name] is not declared, but filter is."],
  },
  { parameters: [LIMIT], query: "limit[]=1", warn: ["Request query parameter limit[] is not declared, but limit is."] },
  { parameters: [SORT], query: "sortBy=name&sortOrder=asc", warn: [] },
  {
    parameters: [SORT],
    query: "sortby=name",
    warn: ["Request query parameter sortby is not declared, but sortBy is."],
  },
  { parameters: [LIMIT, ANYTHING], query: "limt=1&x=2", warn: [] },
  { parameters: [WHOLE], query: "limt", warn: [] },
  { parameters: [LIMIT], query: "__code=404", warn: [] },
  { parameters: [LIMIT], query: "key=1", warn: [] },
];

for (const { parameters, query, warn, strict = warn } of CASES) {
  const names = parameters.map((parameter) => Object(parameter).name).join(", ");
  Deno.test(`?${query} of an operation that declares ${names || "nothing"}`, async () => {
    const definition: Definition = {
      openapi: "3.2.0",
      operation: { parameters },
      root: { components: { securitySchemes: { key: { type: "apiKey", in: "query", name: "key" } } } },
    };
    const options = { ownQueries: new Set(["__code"]) };
    const target = `/?${query}`;
    assert.deepEqual(await messagesOf(definition, target, { ...options, undeclared: "warn" }), warn);
    assert.deepEqual(await messagesOf(definition, target, { ...options, undeclared: "error" }), strict);
    assert.deepEqual(await messagesOf(definition, target, options), []);
  });
}

Deno.test("a query in the path key is declared", async () => {
  const definition = { path: "/?beta=true", operation: { parameters: [LIMIT] } };
  assert.deepEqual(await messagesOf(definition, "/?beta=true", { undeclared: "error" }), []);
});

Deno.test("at most ten undeclared names of a request are reported", async () => {
  const query = Array.from({ length: 5_000 }, (_, index) => `limit${index}=1`).join("&");
  const definition = { operation: { parameters: [LIMIT] } };
  const found = await messagesOf(definition, `/?${query}`, { undeclared: "error" });
  assert.equal(found.length, 10);
});
