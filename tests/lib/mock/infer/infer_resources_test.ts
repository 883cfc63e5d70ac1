import assert from "node:assert/strict";
import { inferResources } from "../../../../lib/mock/infer/infer_resources.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { listOperations } from "../../../../lib/openapi/operation.ts";

Deno.test("inferResources() binds the operations of a collection and of its items", async () => {
  const pet = { type: "object", properties: { id: { type: "string" }, name: { type: "string" } }, required: ["id"] };
  const one = { description: "Pet", content: { "application/json": { schema: pet } } };
  const many = { description: "Pets", content: { "application/json": { schema: { type: "array", items: pet } } } };
  const body = { content: { "application/json": { schema: pet } } };
  const document = await parseDocument({
    openapi: "3.1.0",
    info: { title: "Pets", version: "1" },
    paths: {
      "/pets": {
        get: { responses: { 200: many } },
        post: { requestBody: body, responses: { 201: one } },
      },
      "/pets/{petId}": {
        parameters: [{ name: "petId", in: "path", required: true, schema: { type: "string" } }],
        get: { responses: { 200: one } },
        put: { requestBody: body, responses: { 200: one } },
        patch: { requestBody: body, responses: { 200: one } },
        delete: { responses: { 204: { description: "Gone" } } },
      },
    },
  });
  const resources = inferResources([document]);
  assert.deepEqual(resources.all.map(({ name, id }) => [name, id]), [["pets", ["id"]]]);
  assert.deepEqual(
    listOperations(document).map((operation) => resources.bindingOf(operation)?.kind),
    ["list", "create", "read", "replace", "delete", "update"],
  );
});
