import { join } from "node:path";
import { reasonOf } from "./read.ts";

/** What means that nothing is kept. */
export const IN_MEMORY = ":memory:";

/** Looks up an environment variable. */
type Env = (name: string) => string | undefined;

/** The name of the store in its folder. */
const FILE = "gw.db";

/**
 * The folder where programs keep what a user would miss, as long as nobody names one.
 *
 * @see {@link https://specifications.freedesktop.org/basedir-spec/latest/ XDG Base Directory Specification}
 */
export function defaultFolder(env: Env): string {
  const state = env("XDG_STATE_HOME") || (Deno.build.os === "windows" ? env("LOCALAPPDATA") : undefined);
  return join(state || join(homeOf(env) ?? ".", ".local", "state"), "gw");
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
export function tilde(path: string, env: Env): string {
  const home = homeOf(env);
  return home !== undefined && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

function homeOf(env: Env): string | undefined {
  return env("HOME") || env("USERPROFILE") || undefined;
}
