import fc from "fast-check";
import { runs } from "../../../runs.ts";
import { bodyProperty } from "../any_schema.ts";

for (const openapi of ["3.0.3", "3.1.0"] as const) {
  Deno.test(`a body of any schema of ${openapi} is valid, or nothing satisfies the schema`, async () => {
    await fc.assert(bodyProperty(openapi), runs(300));
  });
}
