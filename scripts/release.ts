/**
 * Writes the Homebrew formula and winget's manifests of a release into dist/, with the checksums of dist/SHA256SUMS:
 * `RELEASE_URL=https://…/releases/download/v1.0.0 deno run -A scripts/release.ts`.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import config from "../deno.json" with { type: "json" };
import { readChecksums } from "./release/checksums.ts";
import { formulaOf } from "./release/formula.ts";
import { wingetManifestsOf } from "./release/winget.ts";

const DIST = fileURLToPath(import.meta.resolve("../dist/"));

if (import.meta.main) {
  const url = Deno.env.get("RELEASE_URL");
  if (url === undefined) throw new Error("Set RELEASE_URL to the URL of the folder of the release's files.");
  const checksums = readChecksums(await Deno.readTextFile(`${DIST}SHA256SUMS`));
  const release = { version: config.version, url, checksums };
  const files = { "gw.rb": formulaOf(release), ...wingetManifestsOf(release) };
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${DIST}${name}`, text);
}
