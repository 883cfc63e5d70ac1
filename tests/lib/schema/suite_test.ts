import assert from "node:assert/strict";
import { loadPatternReader } from "../../../lib/regexp/pattern.ts";
import { createDocumentValidator } from "../../../lib/schema/document_validator.ts";
import { loadFormats } from "../../../lib/schema/format.ts";
import { createSchemaReader } from "../../../lib/schema/schema_reader.ts";
import { createValidator } from "../../../lib/schema/validator.ts";
import { type ReadCase, readCases, suiteFiles } from "./suite.ts";

/** Cases in which gw's validator has another result than the suite expects, by file, case and value. */
const DIFFERENT = [
  /^optional\/format\/email\.json: .*(quoted string|address-literal)/,
  /^optional\/format\/idn-hostname\.json: /,
  /^optional\/format\/iri\.json: .*invalid IRI based on IPv6/,
  /^optional\/float-overflow\.json: /,
  /^optional\/unknownKeyword\.json: /,
];

for (const file of suiteFiles()) {
  Deno.test(`JSON Schema Test Suite, validator: ${file}`, async () => {
    for (const one of await readCases(file)) await validate(one);
  });
}

/** Validates each value of a case, with and without memoised results, and collects violations. */
async function validate({ name, document, node, tests }: ReadCase): Promise<void> {
  const schema = createSchemaReader(document, "response").read(node);
  const [formats, readPattern] = [await loadFormats(), await loadPatternReader()];
  const validator = createValidator(formats, readPattern);
  const memoising = createValidator(formats, readPattern, undefined, 0);
  const check = (await createDocumentValidator(document)).checkOf(node, "response");
  for (const { description, data, valid } of tests) {
    const test = `${name}: ${description}`;
    if (DIFFERENT.some((pattern) => pattern.test(test))) continue;
    assert.equal(validator.isValid(data, schema), valid, test);
    assert.equal(memoising.isValid(data, schema), valid, test);
    const violations = check(data);
    assert.equal(violations.length === 0, valid, test);
    // If the validator refuses a value but no violation is found, one with the keyword `schema` stands in. That would
    // be a bug of the reporter.
    assert.ok(violations.every(({ keyword }) => keyword !== "schema"), test);
  }
}
