import { join } from "node:path";
import { ReferencePolicy } from "../../../lib/openapi/reference_policy.ts";
import { reasonOf } from "./read.ts";

/** The value of `--data` for a store in memory. */
export const IN_MEMORY = ":memory:";

/** Looks up an environment variable. */
type Env = (name: string) => string | undefined;

const FILE = "gw.db";

/**
 * The default folder for data that gw keeps between runs.
 *
 * @see {@link https://specifications.freedesktop.org/basedir-spec/latest/ XDG Base Directory Specification}
 */
export function defaultFolder(env: Env): string {
  const state = env("XDG_STATE_HOME") || (Deno.build.os === "windows" ? env("LOCALAPPDATA") : undefined);
  return join(state || join(ReferencePolicy.homeFolder(env) ?? ".", ".local", "state"), "gw");
}

/**
 * Creates a folder that only its user can read.
 *
 * @returns The path of the store's file in the folder.
 * @throws {Error} If the folder can't be created, with a message for the user.
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

/** Shortens a path for messages: `~` stands for the home folder. */
export function tilde(path: string, env: Env): string {
  const home = ReferencePolicy.homeFolder(env);
  return home !== undefined && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
