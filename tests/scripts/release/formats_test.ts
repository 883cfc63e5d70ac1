import assert from "node:assert/strict";
import { load } from "js-yaml";
import { executableOf, PLATFORMS } from "../../../scripts/package/names.ts";
import { readChecksums } from "../../../scripts/release/checksums.ts";
import { formulaOf } from "../../../scripts/release/formula.ts";
import { wingetManifestsOf } from "../../../scripts/release/winget.ts";

const NAMES = PLATFORMS.map(executableOf);
const SUMS = NAMES.map((name, index) => `${`${index}a`.repeat(32)}  ${name}\n`).join("");
const URL = "https://git.example/gw/gw/releases/download/v1.2.3";
const release = { version: "1.2.3", url: URL, checksums: readChecksums(SUMS) };

Deno.test("the formula has each executable of macOS and Linux beside its checksum", () => {
  const formula = formulaOf(release);
  const found = [...formula.matchAll(/ url "(.*)"\n +sha256 "(.*)"/g)].map(([, url, sum]) => [url, sum]);
  const wanted = PLATFORMS.filter(({ os }) => os !== "win32").map((platform) => {
    const name = executableOf(platform);
    return [`${URL}/${name}`, release.checksums.get(name)];
  });
  assert.deepEqual(found.toSorted(), wanted.toSorted());
  assert.match(formula, /on_macos do\n {4}on_intel do\n {6}url ".*gw-macos-x64"/);
  assert.match(formula, /version "1\.2\.3"/);
  assert.match(formula, /homepage "https:\/\/git\.example\/gw\/gw"/);
  const opened = formula.match(/^ *(?:class|def|.* do$)/gm)?.length;
  assert.equal(formula.match(/^ *end$/gm)?.length, opened);
});

Deno.test("winget's manifests have the executable of Windows and its checksum", () => {
  const manifests = Object.values(wingetManifestsOf(release)).map((text) => load(text));
  assert.deepEqual(manifests[1], {
    PackageIdentifier: "openapi-gw.gw",
    PackageVersion: "1.2.3",
    InstallerType: "portable",
    Commands: ["gw"],
    Installers: [{
      Architecture: "x64",
      InstallerUrl: `${URL}/gw-windows-x64.exe`,
      InstallerSha256: "4A".repeat(32),
    }],
    ManifestType: "installer",
    ManifestVersion: "1.10.0",
  });
});

/** The required fields of winget's manifests: `required` in the JSON Schemas of version 1.10.0, in microsoft/winget-cli. */
const COMMON = ["ManifestType", "ManifestVersion", "PackageIdentifier", "PackageVersion"];
const REQUIRED: Record<string, string[]> = {
  "openapi-gw.gw.yaml": [...COMMON, "DefaultLocale"],
  "openapi-gw.gw.installer.yaml": [...COMMON, "Installers"],
  "openapi-gw.gw.locale.en-US.yaml": [
    ...COMMON,
    ...["PackageLocale", "Publisher", "PackageName", "License", "ShortDescription"],
  ],
};

Deno.test("winget's manifests have their required fields, and the types of a set of three", () => {
  const manifests = wingetManifestsOf(release);
  assert.deepEqual(Object.keys(manifests).toSorted(), Object.keys(REQUIRED).toSorted());
  const types = Object.entries(manifests).map(([name, text]) => {
    const manifest = load(text) as Record<string, unknown>;
    const missing = REQUIRED[name]?.filter((field) => manifest[field] === undefined || manifest[field] === "");
    assert.deepEqual(missing, [], name);
    assert.equal(manifest["ManifestVersion"], "1.10.0");
    return manifest["ManifestType"];
  });
  assert.deepEqual(types, ["version", "installer", "defaultLocale"]);
});

Deno.test("formulaOf() refuses a release without an executable or with malformed checksums", () => {
  const some = readChecksums(SUMS.replace(/.*gw-linux-arm64\n/, ""));
  assert.throws(() => formulaOf({ ...release, checksums: some }), /SHA256SUMS has no gw-linux-arm64\./);
  assert.throws(() => readChecksums("abc  gw-linux-x64\n"), /Not a line of sha256sum: abc/);
});
