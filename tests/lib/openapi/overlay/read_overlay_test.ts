import assert from "node:assert/strict";
import { locateDiagnostics } from "../../../../lib/openapi/diagnostic.ts";
import { parseOverlay } from "../../../../lib/openapi/overlay/parse_overlay.ts";

/** The diagnostics of an overlay, each with line and column. */
async function problemsOf(text: string): Promise<string[]> {
  const { diagnostics } = await parseOverlay(text);
  return locateDiagnostics(diagnostics).map(({ line, column, severity, code, message }) =>
    `${line}:${column} ${severity} ${code}: ${message}`
  );
}

const HEAD = "overlay: 1.1.0\ninfo: {title: Test, version: 1.0.0}\n";

const CASES: { name: string; text: string; problems: string[] }[] = [
  {
    name: "every field, and extensions",
    text: `overlay: 1.1.0
info: {title: Test, version: 1.0.0, description: All., x-a: 1}
extends: pets.yaml
x-b: 1
actions:
  - {target: $, description: D., update: {a: 1}, x-c: 1}
  - {target: $, copy: $.a}
  - {target: $.b, remove: true}
  - {target: $.b, remove: false, update: null}
`,
    problems: [],
  },
  {
    name: "a definition",
    text: "openapi: 3.1.0",
    problems: [
      "1:1 error bad-overlay: This is an OpenAPI definition, not an overlay: the field `overlay`, such as " +
      "`overlay: 1.1.0`, is missing.",
    ],
  },
  {
    name: "no object",
    text: "[]",
    problems: [
      "1:1 error bad-overlay: This is not an overlay: the field `overlay`, such as `overlay: 1.1.0`, is missing.",
    ],
  },
  {
    name: "another version",
    text: "overlay: 2.0.0",
    problems: ["1:10 error bad-overlay: Overlay 2.0.0 is not supported; 1.0 and 1.1 are."],
  },
  {
    name: "a version that is a number",
    text: HEAD.replace("1.1.0", "1.0") + "actions: [{target: $, remove: true}]",
    problems: [],
  },
  {
    name: "no info, no actions",
    text: "overlay: 1.0.0",
    problems: [
      "1:1 error bad-overlay: The overlay has no list of `actions`.",
      "1:1 warning bad-overlay: The overlay has no `info` with a title and a version.",
    ],
  },
  {
    name: "fields that are unknown or of another type",
    text: `overlay: 1.1.0
info: {title: Test, author: me}
extends: 1
action: []
actions:
  - {target: $, udpate: {}}
  - {target: 1, update: {}}
  - {update: {}}
  - 1
  - {target: $, remove: "yes"}
  - {target: $, update: {}, copy: $}
`,
    problems: [
      "2:7 warning bad-overlay: The `info` has no `version`.",
      "2:21 warning unknown-field: The Info Object of an overlay has no field `author`, which is ignored.",
      "3:10 warning bad-overlay: `extends` is ignored: it is not a URI reference.",
      "4:1 warning unknown-field: The Overlay Object of an overlay has no field `action`, which is ignored. Did you mean " +
      "`actions`?",
      "6:5 warning bad-overlay: This action changes nothing: it has no `update`, `copy` or `remove`.",
      "6:17 warning unknown-field: The Action Object of an overlay has no field `udpate`, which is ignored. Did you mean " +
      "`update`?",
      "7:14 error bad-overlay: This action needs a `target`: a JSONPath query such as `$.paths['/pets'].get`.",
      "8:5 error bad-overlay: This action needs a `target`: a JSONPath query such as `$.paths['/pets'].get`.",
      "9:5 error bad-overlay: This action is not an object.",
      "10:26 error bad-overlay: `remove` is either true or false.",
      "11:35 error bad-overlay: An action has `update` or `copy`, not both.",
    ],
  },
  {
    name: "a broken query",
    text: HEAD + "actions:\n  - target: $.paths[\n    remove: true\n",
    problems: [
      "4:13 error bad-overlay: `$.paths[` is not a JSONPath query (RFC 9535): unclosed bracketed selection, at character 9.",
    ],
  },
  {
    name: "copy in 1.0",
    text: HEAD.replace("1.1.0", "1.0.0") + "actions: [{target: $, copy: $.a}]",
    problems: ["3:29 warning bad-overlay: `copy` is of Overlay 1.1: write `overlay: 1.1.0`."],
  },
  {
    name: "broken YAML",
    text: "overlay: [",
    problems: [
      "1:11 error syntax: Flow sequence in block collection must be sufficiently indented and end with a ].",
    ],
  },
];

for (const { name, text, problems } of CASES) {
  Deno.test(`parseOverlay() reports ${name}`, async () => {
    assert.deepEqual(await problemsOf(text), problems);
  });
}
