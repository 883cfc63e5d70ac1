import assert from "node:assert/strict";
import { inferResources } from "../../../../../lib/mock/infer/infer_resources.ts";
import { initialValuesOf } from "../../../../../lib/mock/state/store/initial_values.ts";
import { parseDocument } from "../../../../../lib/openapi/document.ts";

Deno.test("initialValuesOf() gives the defaults of the list's filters", async () => {
  const document = await parseDocument(`
openapi: 3.1.0
info: {title: Issues, version: 1.0.0}
paths:
  /issues:
    get:
      parameters:
        - {name: state, in: query, schema: {type: string, default: open}}
        - {name: archived, in: query, schema: {type: boolean, default: false}}
        - {name: kind, in: query, schema: {type: string, default: all}}
        - {name: priority, in: query, schema: {type: integer}}
      responses:
        "200": {description: Issues., content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Issue"}}}}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Issue"}}}}
      responses:
        "201": {description: The issue., content: {application/json: {schema: {$ref: "#/components/schemas/Issue"}}}}
  /issues/{id}:
    get:
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses:
        "200": {description: The issue., content: {application/json: {schema: {$ref: "#/components/schemas/Issue"}}}}
components:
  schemas:
    Issue:
      type: object
      properties: {id: {type: integer}, state: {type: string}, archived: {type: boolean}, kind: {type: string}, priority: {type: integer}}
`);
  const [issues] = inferResources([document]).all;
  const create = issues?.bindings.find(({ kind }) => kind === "create");
  const read = issues?.bindings.find(({ kind }) => kind === "read");
  assert.deepEqual(create && initialValuesOf(create), { state: "open", archived: false });
  assert.deepEqual(read && initialValuesOf(read), {});
});
