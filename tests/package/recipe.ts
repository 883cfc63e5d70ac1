/**
 * Pages of docs/ whose blocks need an installed package or another language's tools.
 *
 * @module
 */
import { readPage, type Step } from "../tour/page.ts";
import { readRepositoryFile } from "../tour/pages.ts";

/**
 * The steps of the blocks that a test runs: those below `<!-- run by: TEST -->`.
 *
 * @param page Path of the page: `docs/go.md`.
 * @param test Path of the test.
 */
export function stepsOf(page: string, test: string): Step[] {
  const text = readRepositoryFile(page).replaceAll("\n<!-- run by: ", "\n<!-- not run: it is run by ");
  return readPage(text.replaceAll(`<!-- not run: it is run by ${test} -->`, "")).steps;
}

/**
 * Skips a test that can't run here, and says why; with `CI=true` it must run.
 *
 * @param need What it needs: `Go 1.24 or later`.
 * @returns Whether it is skipped.
 */
export function isSkipped(name: string, isPossible: boolean, need: string): boolean {
  if (isPossible) return false;
  if (Deno.env.get("CI") === "true") throw new Error(`${name} needs ${need}.`);
  // deno-lint-ignore no-console
  console.log(`Skipped: ${name} needs ${need}.`);
  return true;
}
