/**
 * Makes a standalone executable out of the bundled program.
 *
 * @module
 */
import { C_LIBRARIES } from "../cmd/io/socket.ts";

/**
 * Permissions of the executable: read definitions anywhere, listen and fetch, read its GW_… variables, write the store
 * of `gw serve` where it is told to, and call the C library to break connections (`cmd/io/socket.ts`).
 */
const PERMISSIONS = [
  ...["--allow-read", "--allow-write", "--allow-net", "--allow-env", "--no-prompt"],
  `--allow-ffi=${C_LIBRARIES.join(",")}`,
];

/** Flags for the bundle, compiled or run: it is complete, so that neither packages nor a configuration go with it. */
export const RUN_FLAGS: readonly string[] = [
  // The bundle needs only the unstable feature from the configuration.
  ...["--no-check", "--no-config", "--no-lock", "--no-npm", "--unstable-no-legacy-abort"],
  ...PERMISSIONS,
];

/** Options for another platform, or for another Deno than the running one. */
export interface CompileOptions {
  /** The platform as Deno names it. */
  target?: string;
  /** The Deno that compiles. Default: the running one. */
  deno?: string;
  /** The runtime to embed. Default: a downloaded one. */
  denort?: string;
  /** The cache folder of the Deno that compiles. Default: its usual one. */
  cache?: string;
}

/** `made`: the executable was made. `unreachable`: the runtime to embed can't be downloaded. */
export type Compiled = { kind: "made" } | { kind: "unreachable"; url: string; reason: string };

/**
 * Makes an executable out of a bundle.
 *
 * @param main The bundle's main file.
 * @param output Path of the executable.
 * @throws {Error} If compiling fails otherwise than by a download.
 */
export async function compile(main: string, output: string, options: CompileOptions = {}): Promise<Compiled> {
  const { target, deno = Deno.execPath(), denort, cache } = options;
  const { success, stderr } = await new Deno.Command(deno, {
    args: [
      "compile",
      ...RUN_FLAGS,
      ...(target === undefined ? [] : ["--target", target]),
      ...["--output", output, main],
    ],
    env: {
      NO_COLOR: "1",
      ...(denort === undefined ? {} : { DENORT_BIN: denort }),
      ...(cache === undefined ? {} : { DENO_DIR: cache }),
    },
    stdout: "null",
    stderr: "piped",
  }).output();
  if (success) return { kind: "made" };
  const [told = ""] = new TextDecoder().decode(stderr).split(/\s*Stack backtrace:/);
  const [, url] = /error sending request for url \((\S+)\)/.exec(told) ?? [];
  if (url === undefined) throw new Error(`Cannot compile ${output}: ${told}`);
  // The last of the numbered causes is the most specific.
  const reason = [...told.matchAll(/^ +\d+: (.+)$/gm)].at(-1)?.[1] ?? "it doesn't answer";
  return { kind: "unreachable", url, reason };
}
