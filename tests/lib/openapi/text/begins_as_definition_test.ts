import assert from "node:assert/strict";
import { beginsAsDefinition } from "../../../../lib/openapi/text/begins_as_definition.ts";

Deno.test("beginsAsDefinition() finds the version at the top of YAML and JSON", async (t) => {
  const cases: { given: string; want: boolean }[] = [
    { given: "openapi: 3.1.0\n", want: true },
    { given: "\ufeffopenapi: 3.1.0\n", want: true },
    { given: "---\n# Pets.\ninfo:\n  title: Pets\r\nopenapi: '3.0.3'\r\n", want: true },
    { given: '"swagger" : "2.0"\n', want: true },
    { given: "swagger: 2", want: true },
    { given: "{openapi: 3.1.0, info: {title: Pets}}", want: true },
    { given: '{"openapi":"3.1.0"', want: true },
    { given: ' {\n  "info": {"title": "a \\" }", "x": ["{"]},\n  "swagger" : "2.0"', want: true },
    { given: "", want: false },
    { given: "overlay: 1.0.0\n", want: false },
    { given: "info:\n  openapi: 3.1.0\n", want: false },
    { given: "openapi:\n  file: a.yaml\n", want: false },
    { given: "openapi: 1.0.0\n", want: false },
    { given: "openapi-version: 3.1.0\n", want: false },
    { given: '{"dependencies": {"openapi": "3.1.0"}}', want: false },
    { given: '[{"openapi": "3.1.0"}]', want: false },
    { given: '{"a": "openapi\\": \\"3.1.0', want: false },
    { given: '{"openapi": {"version": "3.1.0"}}', want: false },
  ];
  for (const { given, want } of cases) {
    await t.step(JSON.stringify(given), () => assert.equal(beginsAsDefinition(given), want));
  }
});
