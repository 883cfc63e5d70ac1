import assert from "node:assert/strict";
import { createStateClient } from "./state_client.ts";

/** A list of two things, of which a page shows one, with these integers beside it. */
function things(names: readonly string[]): string {
  const numbers = names.map((name) => `${name}: {type: integer}`).join("\n                  ");
  return `
openapi: 3.1.0
info: {title: Things, version: 1.0.0}
paths:
  /things:
    get:
      parameters:
        - {name: limit, in: query, schema: {type: integer}}
        - {name: color, in: query, schema: {type: string}}
      responses:
        "200":
          description: A page.
          headers: {X-Total-Entries: {schema: {type: integer}}}
          content:
            application/json:
              schema:
                type: object
                required: [things, ${names.join(", ")}]
                properties:
                  things: {type: array, items: {$ref: "#/components/schemas/Thing"}}
                  ${numbers}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}
      responses: {"201": {description: Made., content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}}
  /things/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {responses: {"200": {description: One., content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}}}
components:
  schemas:
    Thing: {type: object, required: [id], properties: {id: {type: integer, readOnly: true}, color: {type: string}}}
`;
}

const COUNTED: readonly { readonly names: readonly string[]; readonly want: readonly number[] }[] = [
  ...[
    ..."total_entries totalEntries total_rows count_total filter_count count_of_entries rowCount total_things".split(
      " ",
    ),
    ..."thingsCount count total_available_results entries_total".split(" "),
  ].map((name) => ({ names: [name], want: [2] })),
  { names: ["total_entries", "count"], want: [2, 1] },
  { names: ["total_count", "filter_count"], want: [2, 2] },
  { names: ["total_rows", "count_on_this_page"], want: [2, 1] },
  { names: ["total_page_count"], want: [2] },
];

for (const { names, want } of COUNTED) {
  Deno.test(`the numbers ${names.join(" and ")} beside a list count its items`, async () => {
    const client = await createStateClient(things(names));
    for (const color of ["blue", "red", "blue"]) await client.ask("POST /things", { color });
    const { body, headers } = await client.ask("GET /things?limit=1&color=blue");
    assert.deepEqual(names.map((name) => body[name]), want);
    assert.equal(headers.get("x-total-entries"), "2");
  });
}

Deno.test("a total or count of something else isn't the number of items", async () => {
  const names = ["total_rows", "total_price", "error_count", "likes_count", "account", "subtotal"];
  const client = await createStateClient(things(names));
  const before = (await client.ask("GET /things")).body;
  await client.ask("POST /things", {});
  const { things: list, ...after } = (await client.ask("GET /things")).body;
  assert.deepEqual(after, { ...after, total_rows: list.length });
  for (const name of names.slice(1)) assert.equal(after[name], before[name], name);
});
