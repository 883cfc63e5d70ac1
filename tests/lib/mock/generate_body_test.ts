import assert from "node:assert/strict";
import { generateBody } from "../../../lib/mock/generate/generate.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";

Deno.test("generateBody() makes the same body each time, and another with another seed", async () => {
  const document = await parseDocument(JSON.stringify({
    openapi: "3.1.0",
    paths: {},
    components: {
      schemas: { User: { type: "object", properties: { name: { type: "string" }, email: { format: "email" } } } },
    },
  }));
  const user = "/components/schemas/User";
  const first = await generateBody(document, user);
  assert.equal(first.kind, "body");
  assert.deepEqual(await generateBody(document, user), first);
  assert.notDeepEqual(await generateBody(document, user, { seed: 1 }), first);
});
