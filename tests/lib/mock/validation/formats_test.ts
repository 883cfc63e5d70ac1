import assert from "node:assert/strict";
import type { QueryFormats } from "../../../../lib/mock/validation/validate_request.ts";
import { type Definition, violationsOf } from "./support.ts";

/**
 * A definition that declares the form `ids=1&ids=2` for arrays and `size=1&color=red` for objects. The tests send other
 * formats.
 */
const definition = {
  operation: {
    parameters: [
      {
        name: "ids",
        in: "query",
        required: true,
        schema: { const: [1, 2], type: "array", items: { type: "integer" } },
      },
      {
        name: "filter",
        in: "query",
        required: true,
        schema: {
          const: { size: 1, color: "red" },
          type: "object",
          properties: { size: { type: "integer" }, color: { type: "string" } },
        },
      },
    ],
  },
};

const CASES: { formats: QueryFormats; query: string; want?: string[] }[] = [
  { formats: {}, query: "ids=1&ids=2&size=1&color=red" },
  { formats: { queryArray: "repeat", queryObject: "flat" }, query: "ids=1&ids=2&size=1&color=red" },
  { formats: { queryArray: "comma" }, query: "ids=1,2&size=1&color=red" },
  { formats: { queryArray: "space" }, query: "ids=1%202&size=1&color=red" },
  { formats: { queryArray: "pipe" }, query: "ids=1|2&size=1&color=red" },
  { formats: { queryArray: "brackets" }, query: "ids[]=1&ids[]=2&size=1&color=red" },
  { formats: { queryArray: "brackets" }, query: "ids%5B0%5D=1&ids%5B1%5D=2&size=1&color=red" },
  { formats: { queryArray: "indices" }, query: "ids[1]=2&ids[0]=1&size=1&color=red" },
  { formats: { queryArray: "dots" }, query: "ids.0=1&ids.1=2&size=1&color=red" },
  { formats: { queryArray: "indices" }, query: "ids[7]=1&ids[4000000000]=2&size=1&color=red" },
  { formats: { queryObject: "comma" }, query: "ids=1&ids=2&filter=size,1,color,red" },
  { formats: { queryObject: "space" }, query: "ids=1&ids=2&filter=size+1+color+red" },
  { formats: { queryObject: "pipe" }, query: "ids=1&ids=2&filter=size|1|color|red" },
  { formats: { queryObject: "brackets" }, query: "ids=1&ids=2&filter[size]=1&filter[color]=red" },
  { formats: { queryObject: "dots" }, query: "ids=1&ids=2&filter.size=1&filter.color=red" },
  { formats: { queryObject: "json" }, query: 'ids=1&ids=2&filter={"size":1,"color":"red"}' },
  { formats: { queryObject: "json" }, query: "ids=1&ids=2&filter=red", want: ["query/filter: style"] },
  { formats: { queryArray: "comma" }, query: "ids=1&ids=2&size=1&color=red", want: ["query/ids: style"] },
  {
    formats: { queryArray: "brackets", queryObject: "brackets" },
    query: "ids=1&ids=2&size=1&color=red",
    want: ["query/ids: required", "query/filter: required"],
  },
];

for (const { formats, query, want = [] } of CASES) {
  Deno.test(`a client with ${JSON.stringify(formats)} writes ${query}`, async () => {
    assert.deepEqual(await violationsOf(definition, { target: `/?${query}` }, formats), want);
  });
}

/** A definition with one query parameter, which is valid only if it has the value `value`. */
function withParameter(value: unknown, parameter: Record<string, unknown>): Definition {
  const { schema, ...fields } = parameter;
  const parameters = [{ in: "query", required: true, ...fields, schema: { const: value, ...schema as object } }];
  return { operation: { parameters } };
}

const integers = { type: "array", items: { type: "integer" } };
const ids = { name: "ids[]", schema: integers };
const brackets: QueryFormats = { queryArray: "brackets", queryObject: "brackets" };
const person = {
  type: "object",
  properties: { name: { type: "string" }, ids: integers, friends: { type: "array", items: { $ref: "#/x-person" } } },
};
const bob = { name: "Bob", ids: [1, 2], friends: [{ name: "Ann" }, { name: "Ed", ids: [3] }] };
const people = { type: "array", items: { $ref: "#/x-person" } };

/** Values within values, names with brackets, and styles that the definition declares. */
const NESTED: { parameter: Record<string, unknown>; value: unknown; formats?: QueryFormats; query: string }[] = [
  { parameter: ids, value: [1, 2], query: "ids[]=1&ids[]=2" },
  { parameter: ids, value: [1, 2], formats: brackets, query: "ids[]=1&ids[]=2" },
  { parameter: ids, value: [1, 2], formats: brackets, query: "ids[0]=1&ids[1]=2" },
  { parameter: ids, value: [1, 2], formats: { queryArray: "comma" }, query: "ids[]=1,2" },
  {
    parameter: { name: "at[gte]", schema: { type: "integer" } },
    value: 3,
    formats: brackets,
    query: "at[gte]=3",
  },

  // The declared style is accepted beside the client's format.
  { parameter: { ...ids, name: "ids", explode: true }, value: [1, 2], formats: brackets, query: "ids=1&ids=2" },
  { parameter: { ...ids, name: "ids", explode: false }, value: [1, 2], formats: brackets, query: "ids=1,2" },
  {
    parameter: { name: "a", style: "deepObject", explode: true, schema: person },
    value: bob,
    formats: { queryArray: "comma", queryObject: "dots" },
    query: "a[name]=Bob&a[ids]=1,2&a[friends][0][name]=Ann&a[friends][1][name]=Ed&a[friends][1][ids][]=3",
  },

  {
    parameter: { name: "a", schema: person },
    value: bob,
    formats: brackets,
    query: "a[name]=Bob&a[ids][]=1&a[ids][]=2&a[friends][][name]=Ann&a[friends][][name]=Ed&a[friends][][ids][]=3",
  },
  {
    parameter: { name: "a", schema: person },
    value: bob,
    formats: { queryArray: "dots", queryObject: "dots" },
    query: "a.name=Bob&a.ids.0=1&a.ids.1=2&a.friends.0.name=Ann&a.friends.1.name=Ed&a.friends.1.ids.0=3",
  },
  {
    parameter: { name: "a", schema: person },
    value: { name: "Bob", ids: [1] },
    formats: { queryArray: "repeat", queryObject: "brackets" },
    query: "a[name]=Bob&a[ids]=1",
  },
  {
    parameter: { name: "a", schema: people },
    value: [{ name: "Ann" }, { name: "Ed", ids: [3] }],
    formats: { queryArray: "indices", queryObject: "dots" },
    query: "a[0].name=Ann&a[1].name=Ed&a[1].ids[0]=3",
  },
  // As in Rack: if a member is repeated, it begins a new item.
  {
    parameter: { name: "a", schema: people },
    value: [{ name: "Ann" }, { name: "Ed", ids: [3] }],
    formats: brackets,
    query: "a[][name]=Ann&a[][name]=Ed&a[][ids][]=3",
  },
  {
    parameter: { name: "a", schema: { type: "object" } },
    value: JSON.parse('{ "__proto__": { "b": "1" } }'),
    formats: brackets,
    query: "a[__proto__][b]=1",
  },
];

for (const { parameter, value, formats = {}, query } of NESTED) {
  Deno.test(`${JSON.stringify(formats)} of ${parameter.name}: ${query} means ${JSON.stringify(value)}`, async () => {
    const definition = { ...withParameter(value, parameter), root: { "x-person": person } };
    assert.deepEqual(await violationsOf(definition, { target: `/?${query}` }, formats), []);
  });
}

Deno.test("a query name that is malformed or nested too deep belongs to no parameter", async () => {
  const definition = withParameter({}, { name: "a", schema: { type: "object" } });
  for (const rest of ["[b]".repeat(17), "[b", "[b]c", "[[b]]", "b]", "[b]."]) {
    const violations = await violationsOf(definition, { target: `/?a${rest}=1` }, brackets);
    assert.deepEqual(violations, ["query/a: required"], rest);
  }
});

Deno.test("value formats apply to `in: querystring`, too", async () => {
  const form = "application/x-www-form-urlencoded";
  const schema = { type: "object", properties: { ids: { const: [1, 2], ...integers } } };
  const parameters = [{ name: "q", in: "querystring", required: true, content: { [form]: { schema } } }];
  const definition = { openapi: "3.2.0", operation: { parameters } };
  assert.deepEqual(await violationsOf(definition, { target: "/?ids=1,2" }, { queryArray: "comma" }), []);
});

Deno.test("a parameter whose name has brackets isn't a property of another parameter", async () => {
  const parameters = [
    { name: "at", in: "query", schema: { type: "object", additionalProperties: false } },
    { name: "at[gte]", in: "query", schema: { type: "integer" } },
  ];
  assert.deepEqual(await violationsOf({ operation: { parameters } }, { target: "/?at[gte]=3" }, brackets), []);
});
