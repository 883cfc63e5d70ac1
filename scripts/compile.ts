/**
 * Makes the standalone executables, dist/gw-linux-x64 and so on: `deno task compile [linux-x64 …]`, all without a name.
 * `deno compile` downloads the runtime of each platform.
 *
 * @module
 */

// The command prints.
// deno-lint-ignore-file no-console

import { bundle } from "./bundle.ts";

/** The platforms that are released, and Deno's names for them. */
const TARGETS: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-gnu",
  "linux-arm64": "aarch64-unknown-linux-gnu",
  "macos-x64": "x86_64-apple-darwin",
  "macos-arm64": "aarch64-apple-darwin",
  "windows-x64": "x86_64-pc-windows-msvc",
};

/**
 * What the executable may do: read definitions wherever they are, listen and fetch, read its GW_… variables, and write
 * the store of `gw serve` where it is told to.
 */
const PERMISSIONS = ["--allow-read", "--allow-write", "--allow-net", "--allow-env", "--no-prompt"];

/** How an executable is made otherwise than by the running Deno for its own platform. */
export interface CompileOptions {
  /** Deno's name of the platform. */
  target?: string;
  /** The Deno that compiles. */
  deno?: string;
  /** The runtime to embed, instead of a downloaded one. */
  denort?: string;
}

/**
 * Makes an executable out of a bundle.
 *
 * @param main The bundle's main file.
 * @param output Path of the executable.
 * @throws {Error} If compiling fails.
 */
export async function compile(main: string, output: string, options: CompileOptions = {}): Promise<void> {
  const { target, deno = Deno.execPath(), denort } = options;
  const { success, stderr } = await new Deno.Command(deno, {
    // The bundle is complete: neither packages nor a configuration go with it.
    args: [
      "compile",
      // Of the configuration only the unstable feature that it names is missed.
      ...["--no-check", "--no-config", "--no-lock", "--no-npm", "--unstable-no-legacy-abort"],
      ...PERMISSIONS,
      ...(target === undefined ? [] : ["--target", target]),
      ...["--output", output, main],
    ],
    env: denort === undefined ? {} : { DENORT_BIN: denort },
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`Cannot compile ${output}: ${new TextDecoder().decode(stderr)}`);
}

async function main(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => !Object.hasOwn(TARGETS, name));
  if (unknown.length > 0) throw new Error(`No platform ${unknown}; there are ${Object.keys(TARGETS).join(", ")}`);
  const program = await bundle();
  for (const [name, target] of Object.entries(TARGETS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const output = `${import.meta.dirname}/../dist/gw-${name}${name.startsWith("windows") ? ".exe" : ""}`;
    await compile(program, output, { target });
    console.log(output);
  }
}

if (import.meta.main) {
  try {
    await main(Deno.args);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    Deno.exit(1);
  }
}
