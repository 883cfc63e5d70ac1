/**
 * The pages of the documentation: README.md and docs/.
 *
 * @module
 */
import { fileURLToPath } from "node:url";

const ROOT = import.meta.resolve("../../");

/** The paths of all pages, such as `docs/paths.md`. */
export function listPages(): string[] {
  const docs = [...Deno.readDirSync(fileURLToPath(`${ROOT}docs/`))].filter(({ name }) => name.endsWith(".md"));
  return ["README.md", ...docs.map(({ name }) => `docs/${name}`).sort()];
}

/** The text of a page, or of another file of the repository. */
export function readRepositoryFile(path: string): string {
  return Deno.readTextFileSync(new URL(path, ROOT));
}
