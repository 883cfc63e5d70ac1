import assert from "node:assert/strict";
import { createStateClient } from "./state_client.ts";

function variables(property: string, order: string): string {
  return `
openapi: 3.1.0
info: {title: Variables, version: 1.0.0}
paths:
  /variables:
    get:
      parameters: [{name: order_by, in: query, schema: ${order}}]
      responses: {"200": {description: All., content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Variable"}}}}}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Variable"}}}}
      responses: {"201": {description: Made., content: {application/json: {schema: {$ref: "#/components/schemas/Variable"}}}}}
  /variables/{${property}}:
    parameters: [{name: ${property}, in: path, required: true, schema: {type: string}}]
    get: {responses: {"200": {description: One., content: {application/json: {schema: {$ref: "#/components/schemas/Variable"}}}}}}
components:
  schemas:
    Variable: {type: object, required: [${property}, value], properties: {${property}: {type: string}, value: {type: integer}}}
`;
}

const BY_ID = "{type: array, items: {type: string}, default: [id]}";

const CASES: readonly (readonly [property: string, order: string, query: string, want: string])[] = [
  ["key", BY_ID, "", "bca"],
  ["name", "{type: string, default: id}", "", "bca"],
  ["key", "{type: string, default: -id}", "", "acb"],
  ["key", BY_ID, "?order_by=-id", "acb"],
  ["key", BY_ID, "?order_by=id%20desc,value", "acb"],
  ["key", BY_ID, "?order_by=id,desc", "acb"],
  ["key", BY_ID, "?order_by=value,id", "cba"],
  ["key", BY_ID, "?order_by=key", "abc"],
  ["id", BY_ID, "", "abc"],
  ["variableId", BY_ID, "", "abc"],
];

for (const [property, order, query, want] of CASES) {
  Deno.test(`a list${query} of items with a ${property}, ordered by ${order}, is ${want}`, async () => {
    const client = await createStateClient(variables(property, order));
    for (const [name, value] of [["b", 2], ["c", 1], ["a", 3]]) {
      await client.ask("POST /variables", { [property]: name, value });
    }
    const { body, remarks } = await client.ask(`GET /variables${query}`);
    assert.equal(body.map((item: Record<string, string>) => item[property]).join(""), want);
    assert.deepEqual(remarks, []);
  });
}
