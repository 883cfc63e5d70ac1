import assert from "node:assert/strict";
import { parseDocument, validateDocument } from "../../mod.ts";
import { OTHER_RULES, VALIDATION_RULES } from "../../lib/openapi/rules.ts";
import { MADE_PAGES } from "../../scripts/docs.ts";
import { EXTENSION_REFERENCE } from "../../scripts/extension_docs.ts";
import { RULE_REFERENCE } from "../../scripts/rule_docs.ts";

/** Normalizes a text, so that differences in formatting don't count. */
function words(text: string): string {
  return text.replaceAll(/-{3,}/g, "---").replaceAll(/\s+/g, " ");
}

for (const { file, text } of MADE_PAGES) {
  const path = `docs/${file.pathname.split("/").at(-1)}`;
  Deno.test(`${path} says what the program does: else run \`deno task docs\``, async () => {
    assert.equal(words(await Deno.readTextFile(file)), words(await text()));
  });
}

Deno.test("the definition in docs/x-svc.md is right", async () => {
  const [, example = ""] = /```yaml\n(.*?)```/s.exec(await Deno.readTextFile(EXTENSION_REFERENCE)) ?? [];
  assert.deepEqual(await validateDocument(await parseDocument(example)), []);
});

Deno.test("VALIDATION_RULES and OTHER_RULES have each code once, and docs/validate.md a row for it", async () => {
  const told = new Set<string>();
  for (const folder of ["lib", "cmd"]) {
    for await (const text of sourcesIn(new URL(`../../${folder}/`, import.meta.url))) {
      for (const [, code = ""] of text.matchAll(TOLD)) told.add(code);
    }
  }
  const listed = [VALIDATION_RULES, OTHER_RULES].flatMap((rules) => Object.keys(rules));
  assert.equal(new Set(listed).size, listed.length);
  assert.deepEqual(listed.filter((code) => !told.has(code)), []);
  const table = await Deno.readTextFile(RULE_REFERENCE);
  for (const code of listed) assert.equal(table.match(new RegExp(`^\\| \`${code}\` `, "gm"))?.length, 1, code);
});

/**
 * Matches strings in the sources that may be codes of diagnostics. The reverse, that the table has each code, is
 * checked by the compiler.
 */
const TOLD = /"([a-z]+(?:-[a-z0-9]+)*)"/g;

/** The texts of the source files in a folder, except the table of codes itself. */
async function* sourcesIn(folder: URL): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* sourcesIn(new URL(`${name}/`, folder));
    else if (name.endsWith(".ts") && name !== "rules.ts") yield await Deno.readTextFile(new URL(name, folder));
  }
}
