/**
 * Checks an executable: `deno task compile:check [EXECUTABLE]`. Without an argument, makes an executable from npm
 * packages, in the cache, and checks it.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import { bundle } from "./bundle.ts";
import { cacheFolder } from "./cache.ts";
import { compileFromNpm } from "./npm_compile.ts";
import { checkProgram } from "./program_check.ts";

/** The folder for all files that this command writes. */
const FOLDER = `${cacheFolder()}/compile`;

async function makeExecutable(): Promise<string> {
  const output = `${FOLDER}/gw`;
  await compileFromNpm(await bundle(`${FOLDER}/bundle`, { isCompiled: true }), output);
  return output;
}

if (import.meta.main) {
  const executable = Deno.args[0] === undefined ? await makeExecutable() : await Deno.realPath(Deno.args[0]);
  await checkProgram([executable]);
  console.log(`${executable} answers from an empty folder with an empty environment`);
}
