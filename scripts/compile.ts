/**
 * Makes standalone executables such as dist/gw-linux-x64: `deno task compile [linux-x64 … | all]`. Default: for this
 * machine's platform. `deno compile` downloads the runtime of each platform from Deno's site.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import { messageOf } from "../lib/http/message.ts";
import { relative, resolve } from "node:path";
import { bundle } from "./bundle.ts";
import { compile } from "./executable.ts";
import { compileFromNpm, NPM_NOTE, NPM_TARGET } from "./npm_compile.ts";
import { executableOf, type Platform, PLATFORMS } from "./package/names.ts";

async function main(names: readonly string[]): Promise<void> {
  const platforms = platformsToCompile(names);
  const program = await bundle(undefined, { isCompiled: true });
  for (const platform of platforms) {
    console.log(`Made ${relative(Deno.cwd(), await makeExecutable(program, platform))}`);
  }
}

function platformsToCompile(names: readonly string[]): readonly Platform[] {
  if (names.includes("all")) return PLATFORMS;
  const all = PLATFORMS.map(({ name }) => name);
  if (names.length === 0) {
    const own = PLATFORMS.filter(({ target }) => target === Deno.build.target);
    if (own.length === 0) {
      throw new Error(`There is no runtime for this machine; name one of ${all.join(", ")}, or all.`);
    }
    return own;
  }
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`There is no platform ${unknown}; there are ${all.join(", ")}, and all.`);
  return PLATFORMS.filter(({ name }) => names.includes(name));
}

/**
 * Makes the executable for a platform, in dist/.
 *
 * @param program The bundle's main file.
 * @returns The path of the executable.
 * @throws {Error} If the platform's runtime can't be downloaded.
 */
export async function makeExecutable(program: string, platform: Platform): Promise<string> {
  const { target } = platform;
  const output = resolve(`${import.meta.dirname}/../dist/${executableOf(platform)}`);
  const compiled = await compile(program, output, { target });
  if (compiled.kind === "made") return output;
  const { url, reason } = compiled;
  const unreachable = `The runtime of ${target} can't be downloaded from ${url}: ${reason}.`;
  if (target !== NPM_TARGET || target !== Deno.build.target) {
    throw new Error(
      `${unreachable}\nCompile where ${new URL(url).host} can be reached, or set DENORT_BIN to that runtime, unpacked.`,
    );
  }
  console.error(`${unreachable} Taking what npm has.`);
  await compileFromNpm(program, output);
  console.error(NPM_NOTE);
  return output;
}

if (import.meta.main) {
  try {
    await main(Deno.args);
  } catch (error) {
    console.error(messageOf(error));
    Deno.exit(1);
  }
}
