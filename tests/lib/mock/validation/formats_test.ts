import assert from "node:assert/strict";
import type { QueryFormats } from "../../../../lib/mock/validation/validate_request.ts";
import { violationsOf } from "./support.ts";

/** The definition has `ids=1&ids=2` and `size=1&color=red`; the client writes as it pleases. */
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
