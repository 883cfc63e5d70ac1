/**
 * Makes a standalone executable from the bundle of the program.
 *
 * @module
 */
import { C_LIBRARIES } from "../cmd/io/socket.ts";

/**
 * Deno permissions of the executable: files (definitions, the store of `gw serve`), network, environment variables, and
 * the C library, which is called to reset connections (`cmd/io/socket.ts`).
 */
const PERMISSIONS = [
  ...["--allow-read", "--allow-write", "--allow-net", "--allow-env", "--no-prompt"],
  `--allow-ffi=${C_LIBRARIES.join(",")}`,
];

/**
 * Flags for compiling and running the bundle. It contains all its packages, so it needs neither npm nor a
 * configuration.
 */
export const RUN_FLAGS: readonly string[] = [
  // From the project's deno.json, the bundle needs only this unstable feature.
  ...["--no-check", "--no-config", "--no-lock", "--no-npm", "--unstable-no-legacy-abort"],
  ...PERMISSIONS,
];

/** Options for another platform, or another version of Deno. */
export interface CompileOptions {
  /** The platform, in Deno's notation. Default: that of this machine. */
  target?: string;
  /** The path of the Deno that compiles. Default: the running one. */
  deno?: string;
  /** The path of the runtime to embed. Default: Deno downloads it. */
  denort?: string;
  /** The cache folder for the Deno that compiles. Default: its usual one. */
  cache?: string;
}

/** `made`: the executable was made. `unreachable`: the runtime to embed couldn't be downloaded. */
export type Compiled = { kind: "made" } | { kind: "unreachable"; url: string; reason: string };

/**
 * Makes an executable from a bundle.
 *
 * @param main The bundle's main file.
 * @param output The path of the executable.
 * @throws {Error} If compiling fails for another reason than a download.
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
  const [message = ""] = new TextDecoder().decode(stderr).split(/\s*Stack backtrace:/);
  const [, url] = /error sending request for url \((\S+)\)/.exec(message) ?? [];
  if (url === undefined) throw new Error(`Cannot compile ${output}: ${message}`);
  // Deno numbers the causes of an error. The last one is the most specific.
  const reason = [...message.matchAll(/^ +\d+: (.+)$/gm)].at(-1)?.[1] ?? "it doesn't answer";
  return { kind: "unreachable", url, reason };
}
