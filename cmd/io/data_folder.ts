import { homedir } from "node:os";
import { join } from "node:path";
import { reasonOf } from "./read.ts";

/** What means that nothing is kept. */
export const IN_MEMORY = ":memory:";

/** The name of the store in its folder. */
const FILE = "gw.db";

/**
 * The folder where programs keep what a user would miss, as long as nobody names one.
 *
 * @see {@link https://specifications.freedesktop.org/basedir-spec/latest/ XDG Base Directory Specification}
 */
export function defaultFolder(env: (name: string) => string | undefined): string {
  const state = env("XDG_STATE_HOME") || (Deno.build.os === "windows" ? env("LOCALAPPDATA") : undefined);
  return join(state || join(homedir(), ".local", "state"), "gw");
}

/**
 * Makes a folder that is its user's alone.
 *
 * @returns The path of the store in it.
 * @throws {Error} With a message that says why there can't be one.
 */
export async function prepareFolder(folder: string): Promise<string> {
  try {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    if (Deno.build.os !== "windows") await Deno.chmod(folder, 0o700);
    return join(folder, FILE);
  } catch (error) {
    throw new Error(`Cannot keep a store in ${folder}: ${reasonOf(error)}. Name another folder with --data.`, {
      cause: error,
    });
  }
}

/** A path as a person knows it: in their home as `~`. */
export function tilde(path: string): string {
  const home = homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
