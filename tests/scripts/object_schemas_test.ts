import assert from "node:assert/strict";
import { fileOf, objectSchemas, VERSIONS } from "../../scripts/object_schemas.ts";

for (const version of VERSIONS) {
  Deno.test(`the committed schemas of OpenAPI ${version} are those that deno task schemas makes`, async () => {
    assert.equal(await Deno.readTextFile(fileOf(version)), await objectSchemas(version));
  });
}
