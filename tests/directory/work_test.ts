/** The bodies of real definitions that need the most steps stay within the limit for one body. */
import assert from "node:assert/strict";
import { generateBody } from "../../lib/mock/generate/generate.ts";
import { parseDocument } from "../../lib/openapi/document.ts";
import { directoryDefinitions } from "../../scripts/directory.ts";

const BODIES: Readonly<Record<string, string>> = {
  "influxdata.com.json": "/paths/~1query~1ast/post/responses/200/content/application~1json/schema",
  "nexmo.com/reports.json": "/components/responses/json_record_response/content/application~1json/schema",
};

for (const { name, path } of await directoryDefinitions()) {
  const pointer = BODIES[name];
  if (pointer === undefined) continue;
  Deno.test(`a body is found for ${name} ${pointer}`, async () => {
    const body = await generateBody(await parseDocument(await Deno.readFile(path)), pointer);
    assert.equal(body.kind, "body", JSON.stringify(body));
  });
}
