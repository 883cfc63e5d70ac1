/**
 * Makes standalone executables, dist/gw-linux-x64 and so on: `deno task compile [linux-x64 … | all]`, that of this
 * machine's platform without a name. `deno compile` downloads the runtime of each platform from Deno's own site.
 *
 * @module
 */

// The command prints.
// deno-lint-ignore-file no-console

import { messageOf } from "../lib/http/message.ts";
import { relative, resolve } from "node:path";
import { bundle } from "./bundle.ts";
import { compile } from "./executable.ts";
import { compileFromNpm, NPM_NOTE, NPM_TARGET } from "./npm_compile.ts";

/** The platforms that are released, and Deno's names for them. */
const TARGETS: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-gnu",
  "linux-arm64": "aarch64-unknown-linux-gnu",
  "macos-x64": "x86_64-apple-darwin",
  "macos-arm64": "aarch64-apple-darwin",
  "windows-x64": "x86_64-pc-windows-msvc",
};

async function main(names: readonly string[]): Promise<void> {
  const platforms = wanted(names);
  const program = await bundle();
  for (const name of platforms) {
    const target = TARGETS[name] ?? "";
    const output = resolve(`${import.meta.dirname}/../dist/gw-${name}${name.startsWith("windows") ? ".exe" : ""}`);
    await make(program, output, target);
    console.log(`Made ${relative(Deno.cwd(), output)}`);
  }
}

/** The platforms that are meant: that of this machine, those named, or all. */
function wanted(names: readonly string[]): readonly string[] {
  const all = Object.keys(TARGETS);
  if (names.includes("all")) return all;
  if (names.length === 0) {
    const own = all.filter((name) => TARGETS[name] === Deno.build.target);
    if (own.length === 0) {
      throw new Error(`There is no runtime for this machine; name one of ${all.join(", ")}, or all.`);
    }
    return own;
  }
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`There is no platform ${unknown}; there are ${all.join(", ")}, and all.`);
  return all.filter((name) => names.includes(name));
}

async function make(program: string, output: string, target: string): Promise<void> {
  const compiled = await compile(program, output, { target });
  if (compiled.kind === "made") return;
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
}

if (import.meta.main) {
  try {
    await main(Deno.args);
  } catch (error) {
    console.error(messageOf(error));
    Deno.exit(1);
  }
}
