/**
 * The version and the commit of the packages.
 *
 * @module
 */
import config from "../../deno.json" with { type: "json" };

const ROOT = `${import.meta.dirname}/../..`;

export const VERSION = config.version;

/**
 * The commit of the source tree, in seven digits. It ends with `-dirty` if files differ from the commit. `undefined`
 * outside a Git repository, as in an unpacked archive.
 */
export async function findCommit(): Promise<string | undefined> {
  try {
    const { success, stdout } = await new Deno.Command("git", {
      // Ignores tags: the version comes from deno.json.
      args: ["describe", "--always", "--dirty", "--abbrev=7", "--exclude=*"],
      cwd: ROOT,
      stdout: "piped",
      stderr: "null",
    }).output();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
