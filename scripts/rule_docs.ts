/**
 * Generates docs/validate.md from the table of rules, for `deno task docs`.
 *
 * @module
 */
import { type DiagnosticRule, OTHER_RULES, VALIDATION_RULES } from "../lib/openapi/rules.ts";

export const RULE_REFERENCE = new URL("../docs/validate.md", import.meta.url);

const HEAD = `# gw validate

\`gw validate pets.yaml orders.yaml\` prints every problem of each definition, each definition on its own. A problem has a
place, a severity, a code and a sentence:

\`\`\`yaml
# pets.yaml
openapi: 3.1.0
info: { title: Pets, version: 1.0.0 }
paths:
  /pets:
    get:
      operationID: listPets
      responses: { "200": { description: All pets. } }
\`\`\`

\`\`\`
$ gw validate pets.yaml
pets.yaml:7:7 error unknown-field: The Operation Object has no field \`operationID\`. Did you mean \`operationId\`?
  5 |   /pets:
  6 |     get:
> 7 |       operationID: listPets
    |       ^^^^^^^^^^^
  8 |       responses: { "200": { description: All pets. } }
…
1 error in pets.yaml.
\`\`\`

A deployment refuses errors: breaches of the OpenAPI schema of the version, unknown keys (with the key that was probably
meant), references that lead nowhere, paths that can't be told apart, undeclared path parameters, duplicate keys and
operationIds, missing security schemes, unknown \`x-svc\` keys.

A deployment allows warnings, and shows some of them: examples that their schema refuses; parameters, bodies and headers
that nothing satisfies; operations that \`gw mock\` answers with 501; fields that a \`$ref\` hides; names in \`required\`,
\`encoding\` and discriminators that no property has; links to missing operations, and more.

\`--format json\` prints an array, \`--format github\` prints annotations for GitHub Actions. Exit code 0: nothing wrong, or
warnings alone; 1: errors, or warnings with \`--strict\`; 2: a bad command line; 3: a file can't be read.

\`--severity CODE=off|warning|error\` sets a rule, and may be given several times; the last one for a code counts:

\`\`\`
$ gw validate pets.yaml --severity unknown-field=warning --severity ignored-sibling=off
pets.yaml:7:7 warning unknown-field: …
…
1 warning in pets.yaml.
$ GW_VALIDATE_SEVERITY=unknown-field=off,ignored-sibling=off gw validate pets.yaml
…
\`\`\`

The option changes the output and the exit code of \`gw validate\`; a deployment doesn't read it. With \`--strict\` the exit
code is 1 for warnings too. A code that isn't in the tables below ends the command with exit code 2.

The library takes the same: \`validateDocument(document, { severities: { "bad-example": "off" } })\`.

## Rules

Where both severities stand, the definition is broken in one case and valid but probably wrong in the other; \`--severity\` sets both.

`;

const OTHERS = `
## Codes of other commands

\`gw mock\`, \`gw deploy\`, \`gw render\` and \`gw serve\` print these codes too. \`--severity\` accepts them, without effect.

`;

/** The text of docs/validate.md before formatting. */
export function ruleReference(): string {
  return `${HEAD}${tableOf(VALIDATION_RULES)}${OTHERS}${tableOf(OTHER_RULES)}`;
}

function tableOf(rules: Readonly<Record<string, DiagnosticRule>>): string {
  const rows = Object.entries(rules).map(([code, { severity, finds, remedy }]) => {
    const usual = severity === "either" ? "error, warning" : severity;
    return `| \`${code}\` | ${usual} | ${escape(finds)} | ${escape(remedy)} |`;
  });
  return ["| code | default | finds | example, or remedy |", "| --- | --- | --- | --- |", ...rows, ""].join(
    "\n",
  );
}

function escape(text: string): string {
  return text.replaceAll("|", "\\|");
}
