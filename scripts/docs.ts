/**
 * Writes the pages of docs/ that are generated from tables of the program: `deno task docs`. A test fails if a page is
 * out of date.
 *
 * @module
 */
import { EXTENSION_REFERENCE, extensionReference } from "./extension_docs.ts";
import { LIBRARY_PAGE, libraryPage } from "./library_docs.ts";
import { LIMITS_PAGE, limitsPage } from "./limit_docs.ts";
import { MANAGEMENT_REFERENCE, managementReference } from "./management_docs.ts";
import { MIGRATION_PAGE, migrationPage } from "./migration_docs.ts";
import { RULE_REFERENCE, ruleReference } from "./rule_docs.ts";

/** The generated pages, each with its text before formatting. */
export const MADE_PAGES: readonly { file: URL; text: () => string | Promise<string> }[] = [
  { file: EXTENSION_REFERENCE, text: extensionReference },
  { file: RULE_REFERENCE, text: ruleReference },
  { file: MIGRATION_PAGE, text: migrationPage },
  { file: MANAGEMENT_REFERENCE, text: managementReference },
  { file: LIBRARY_PAGE, text: libraryPage },
  { file: LIMITS_PAGE, text: limitsPage },
];

if (import.meta.main) {
  for (const { file, text } of MADE_PAGES) await Deno.writeTextFile(file, await text());
  const args = ["fmt", ...MADE_PAGES.map(({ file }) => file.pathname)];
  await new Deno.Command(Deno.execPath(), { args }).output();
}
