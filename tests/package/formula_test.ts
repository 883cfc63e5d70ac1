/**
 * The Homebrew formula, installed by Ruby with a definition of Homebrew's language (`formula/install.rb`).
 *
 * @module
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import config from "../../deno.json" with { type: "json" };
import { executableOf, PLATFORMS } from "../../scripts/package/names.ts";
import { hasProgram } from "../../scripts/program.ts";
import { readChecksums } from "../../scripts/release/checksums.ts";
import { formulaOf } from "../../scripts/release/formula.ts";
import { createFolder } from "../cmd/definitions.ts";
import { GW } from "../cmd/process.ts";
import { run } from "./programs.ts";
import { isSkipped } from "./recipe.ts";

const INSTALL = fileURLToPath(import.meta.resolve("./formula/install.rb"));
const URL = "https://git.example/gw/gw/releases/download/v1.2.3";

const ignore = isSkipped("The Homebrew formula", hasProgram("ruby"), "ruby");

/** Makes a release whose executables run gw from source, each with its name in a comment, and its formula. */
async function createRelease(): Promise<{ path: string } & AsyncDisposable> {
  const folder = await createFolder();
  const { path } = folder;
  let sums = "";
  for (const name of PLATFORMS.map(executableOf)) {
    const program = `#!/bin/sh\n# ${name}\nexec ${GW.map((word) => `'${word}'`).join(" ")} "$@"\n`;
    await Deno.writeTextFile(`${path}/${name}`, program);
    sums += `${createHash("sha256").update(program).digest("hex")}  ${name}\n`;
  }
  const formula = formulaOf({ version: config.version, url: URL, checksums: readChecksums(sums) });
  await Deno.writeTextFile(`${path}/gw.rb`, formula);
  return folder;
}

const MACHINES = [
  { machine: ["macos", "arm"], want: "gw-macos-arm64" },
  { machine: ["macos", "intel"], want: "gw-macos-x64" },
  { machine: ["linux", "arm"], want: "gw-linux-arm64" },
  { machine: ["linux", "intel"], want: "gw-linux-x64" },
];

for (const { machine, want } of MACHINES) {
  Deno.test({
    name: `the formula installs ${want}, completions and the manual page on ${machine.join(" ")}, and passes its test`,
    ignore,
    async fn() {
      await using release = await createRelease();
      const prefix = `${release.path}/prefix`;
      await run("ruby", [INSTALL, `${release.path}/gw.rb`, ...machine, release.path, prefix]);
      assert.match(await Deno.readTextFile(`${prefix}/bin/gw`), new RegExp(`^#!/bin/sh\n# ${want}\n`));
      assert.equal(((await Deno.stat(`${prefix}/bin/gw`)).mode ?? 0) & 0o777, 0o555);
      assert.match(await Deno.readTextFile(`${prefix}/share/man/man1/gw.1`), /^\.TH GW 1 /m);
      assert.match(await Deno.readTextFile(`${prefix}/completions/zsh`), /^#compdef gw/);
    },
  });
}

Deno.test({
  name: "an executable that was replaced after the release isn't installed",
  ignore,
  async fn() {
    await using release = await createRelease();
    await Deno.writeTextFile(`${release.path}/gw-linux-x64`, "#!/bin/sh\n");
    const prefix = `${release.path}/prefix`;
    const installed = run("ruby", [INSTALL, `${release.path}/gw.rb`, "linux", "intel", release.path, prefix]);
    await assert.rejects(installed, /gw-linux-x64 has another checksum/);
  },
});
