import assert from "node:assert/strict";
import { unzipSync } from "fflate";
import { makeWheel, type WheelOptions } from "../../../scripts/package/wheel.ts";
import { createFolder } from "../../cmd/definitions.ts";

const EXECUTABLE = "no program, for a wheel that nobody installs";

/** Makes a wheel whose executable is replaced by a text. */
async function make(
  options: Partial<WheelOptions>,
): Promise<{ name: string; bytes: Uint8Array; files: Map<string, string> }> {
  await using folder = await createFolder();
  const executable = `${folder.path}/executable`;
  await Deno.writeTextFile(executable, EXECUTABLE);
  const given = { platform: "macos-arm64", version: "1.2.3", commit: "0123456", ...options };
  const path = await makeWheel({ ...given, executable, folder: `${folder.path}/pypi` });
  const bytes = await Deno.readFile(path);
  const decoder = new TextDecoder();
  const files = Object.entries(unzipSync(bytes)).map(([name, file]) => [name, decoder.decode(file)] as const);
  return { name: path.split("/").at(-1) ?? "", bytes, files: new Map(files) };
}

const NAMES: { given: Partial<WheelOptions>; want: string }[] = [
  { given: { platform: "macos-arm64" }, want: "openapi_gw-1.2.3-py3-none-macosx_11_0_arm64.whl" },
  { given: { platform: "macos-x64" }, want: "openapi_gw-1.2.3-py3-none-macosx_11_0_x86_64.whl" },
  { given: { platform: "windows-x64" }, want: "openapi_gw-1.2.3-py3-none-win_amd64.whl" },
  { given: { version: "1.0.0-rc.1" }, want: "openapi_gw-1.0.0rc1-py3-none-macosx_11_0_arm64.whl" },
  { given: { version: "1.0.0-beta.12" }, want: "openapi_gw-1.0.0b12-py3-none-macosx_11_0_arm64.whl" },
];

for (const { given, want } of NAMES) {
  Deno.test(`makeWheel() of ${JSON.stringify(given)} makes ${want}`, async () => {
    const { name, files } = await make(given);
    assert.equal(name, want);
    const [, version, tag] = /^openapi_gw-([^-]+)-(.+)\.whl$/.exec(want) ?? [];
    const folder = `openapi_gw-${version}.dist-info`;
    assert.match(files.get(`${folder}/METADATA`) ?? "", new RegExp(`^Name: openapi-gw\nVersion: ${version}\n`, "m"));
    assert.match(files.get(`${folder}/WHEEL`) ?? "", new RegExp(`^Tag: ${tag}$`, "m"));
  });
}

const REFUSED: { given: Partial<WheelOptions>; want: RegExp }[] = [
  { given: { platform: "linux-x64" }, want: /is no executable of Linux|install binutils/ },
  { given: { platform: "plan9-x64" }, want: /There is no platform plan9-x64\./ },
  { given: { version: "1.0.0-nightly.3" }, want: /Python has no version 1\.0\.0-nightly\.3\./ },
];

for (const { given, want } of REFUSED) {
  Deno.test(`makeWheel() refuses ${JSON.stringify(given)}`, async () => {
    await assert.rejects(make(given), want);
  });
}

Deno.test("makeWheel() makes equal bytes from equal inputs", async () => {
  assert.deepEqual((await make({})).bytes, (await make({})).bytes);
});

Deno.test("makeWheel() records the digest and the length of each file", async () => {
  const { files } = await make({});
  const record = "openapi_gw-1.2.3.dist-info/RECORD";
  const lines = (files.get(record) ?? "").trimEnd().split("\n").map((line) => line.split(","));
  assert.deepEqual(lines.map(([path]) => path).sort(), [...files.keys()].sort());
  for (const [path = "", digest, length] of lines) {
    if (path === record) continue;
    const bytes = new TextEncoder().encode(files.get(path));
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    assert.equal(digest, `sha256=${hash.toBase64({ alphabet: "base64url", omitPadding: true })}`, path);
    assert.equal(length, String(bytes.length), path);
  }
});

Deno.test("makeWheel() names commands, the plugin of pytest, and the commit", async () => {
  const { files } = await make({});
  const entryPoints = files.get("openapi_gw-1.2.3.dist-info/entry_points.txt") ?? "";
  for (const line of ["gw = openapi_gw.__main__:main", "openapi-gw = openapi_gw.__main__:main", "[pytest11]"]) {
    assert.ok(entryPoints.split("\n").includes(line), line);
  }
  assert.match(files.get("openapi_gw/_version.py") ?? "", /^__commit__ = "0123456"$/m);
  assert.equal(files.get("openapi_gw/bin/gw"), EXECUTABLE);
});
