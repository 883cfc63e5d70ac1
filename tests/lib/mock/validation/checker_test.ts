import assert from "node:assert/strict";
import { createChecker } from "../../../../lib/mock/validation/checker.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { listOperations } from "../../../../lib/openapi/operation.ts";
import { createDocumentValidator } from "../../../../lib/schema/document_validator.ts";

Deno.test("createChecker() loads the validator again after a failure, and only then", async () => {
  const schema = { type: "object" };
  const requestBody = { content: { "application/json": { schema } } };
  const paths = { "/a": { post: { requestBody, responses: { 204: { description: "Done." } } } } };
  const document = await parseDocument(
    JSON.stringify({ openapi: "3.1.1", info: { title: "Test", version: "1" }, paths }),
  );
  const [operation] = listOperations(document);
  assert.ok(operation);
  let loads = 0;
  const check = createChecker({ maxBody: 1000 }, async (document) => {
    if (++loads === 1) throw new Error("The network is down.");
    return await createDocumentValidator(document);
  });
  const ask = async (): Promise<number> => {
    const request = new Request("http://localhost/a", {
      method: "POST",
      body: "[]",
      headers: { "content-type": "application/json" },
    });
    return (await check(operation, request, { path: "/a", query: "", pathParameters: {} }, {})).violations.length;
  };
  await assert.rejects(ask, /The network is down/);
  assert.deepEqual([await ask(), await ask(), loads], [1, 1, 2]);
});
