/**
 * Pages of docs/ whose blocks need an installed package, or tools of another language.
 *
 * @module
 */
import { readPage, type Step } from "../tour/page.ts";
import { readRepositoryFile } from "../tour/pages.ts";

/**
 * The steps of the blocks below `<!-- run by: TEST -->`.
 *
 * @param page The path of the page: `docs/go.md`.
 * @param test The path of the test.
 */
export function stepsOf(page: string, test: string): Step[] {
  const text = readRepositoryFile(page).replaceAll("\n<!-- run by: ", "\n<!-- not run: it is run by ");
  return readPage(text.replaceAll(`<!-- not run: it is run by ${test} -->`, "")).steps;
}

/**
 * Tells whether a test must be skipped, and prints the reason. With `CI=true`, a test that can't run fails instead.
 *
 * @param need What the test needs: `Go 1.24 or later`.
 * @returns Whether the test is skipped.
 */
export function isSkipped(name: string, isPossible: boolean, need: string): boolean {
  if (isPossible) return false;
  if (Deno.env.get("CI") === "true") throw new Error(`${name} needs ${need}.`);
  // deno-lint-ignore no-console
  console.log(`Skipped: ${name} needs ${need}.`);
  return true;
}
