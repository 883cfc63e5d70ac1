import assert from "node:assert/strict";
import { unzipSync } from "fflate";
import { makeWheel, type WheelOptions } from "../../../scripts/package/wheel.ts";
import { createFolder } from "../../cmd/definitions.ts";

const EXECUTABLE = "no program, for a wheel that nobody installs";

/** Makes a wheel whose executable is replaced by a text, or by other bytes. */
async function make(
  { bytes: content = new TextEncoder().encode(EXECUTABLE), ...options }: Given,
): Promise<{ name: string; bytes: Uint8Array; files: Map<string, string> }> {
  await using folder = await createFolder();
  const executable = `${folder.path}/executable`;
  await Deno.writeFile(executable, content);
  const given = { platform: "windows-x64", version: "1.2.3", commit: "0123456", ...options };
  const path = await makeWheel({ ...given, executable, folder: `${folder.path}/pypi` });
  const bytes = await Deno.readFile(path);
  const decoder = new TextDecoder();
  const files = Object.entries(unzipSync(bytes)).map(([name, file]) => [name, decoder.decode(file)] as const);
  return { name: path.split("/").at(-1) ?? "", bytes, files: new Map(files) };
}

type Given = Partial<WheelOptions> & { bytes?: Uint8Array };

/** A Mach-O header with the load commands LC_UUID and the given one. */
function machO(...command: number[]): Uint8Array {
  const header = [0xfeedfacf, 0x0100000c, 0, 2, 2, 24 + 4 * command.length, 0, 0];
  const uuid = [0x1b, 24, 0, 0, 0, 0];
  return new Uint8Array(Uint32Array.from([...header, ...uuid, ...command]).buffer);
}
/** LC_BUILD_VERSION: the platform, the oldest version of macOS, the SDK, no tools. */
const buildVersion = (oldest: number): Uint8Array => machO(0x32, 24, 1, oldest, 0x0e0500, 0);
/** LC_VERSION_MIN_MACOSX: the oldest version of macOS, the SDK. */
const versionMin = (oldest: number): Uint8Array => machO(0x24, 16, oldest, 0x0f0500);

const ARM: Given = { platform: "macos-arm64" };
const INTEL: Given = { platform: "macos-x64" };
const NAMES: { given: Given; oldest?: string; want: string }[] = [
  { given: { ...ARM, bytes: buildVersion(0x0c0000) }, oldest: "12.0", want: "1.2.3-py3-none-macosx_12_0_arm64" },
  { given: { ...ARM, bytes: buildVersion(0x0d0300) }, oldest: "13.3", want: "1.2.3-py3-none-macosx_14_0_arm64" },
  { given: { ...INTEL, bytes: buildVersion(0x0b0000) }, oldest: "11.0", want: "1.2.3-py3-none-macosx_11_0_x86_64" },
  { given: { ...INTEL, bytes: versionMin(0x0a0c00) }, oldest: "10.12", want: "1.2.3-py3-none-macosx_10_12_x86_64" },
  { given: { platform: "windows-x64" }, want: "1.2.3-py3-none-win_amd64" },
  { given: { version: "1.0.0-rc.1" }, want: "1.0.0rc1-py3-none-win_amd64" },
  { given: { version: "1.0.0-beta.12" }, want: "1.0.0b12-py3-none-win_amd64" },
];

for (const { given, oldest, want } of NAMES) {
  const { bytes: _, ...options } = given;
  const since = oldest === undefined ? "" : ` for macOS since ${oldest}`;
  Deno.test(`makeWheel() of ${JSON.stringify(options)}${since} makes ${want}`, async () => {
    const { name, files } = await make(given);
    assert.equal(name, `openapi_gw-${want}.whl`);
    const [, version, tag] = /^([^-]+)-(.+)$/.exec(want) ?? [];
    const folder = `openapi_gw-${version}.dist-info`;
    assert.match(files.get(`${folder}/METADATA`) ?? "", new RegExp(`^Name: openapi-gw\nVersion: ${version}\n`, "m"));
    assert.match(files.get(`${folder}/WHEEL`) ?? "", new RegExp(`^Tag: ${tag}$`, "m"));
  });
}

const REFUSED: { given: Given; want: RegExp }[] = [
  { given: { platform: "linux-x64" }, want: /is no executable of Linux|install binutils/ },
  { given: { platform: "macos-arm64" }, want: /is no executable of macOS/ },
  { given: { platform: "macos-arm64", bytes: machO(0x1b, 8) }, want: /is no executable of macOS/ },
  { given: { platform: "plan9-x64" }, want: /There is no platform plan9-x64\./ },
  { given: { version: "1.0.0-nightly.3" }, want: /Python has no version 1\.0\.0-nightly\.3\./ },
];

for (const { given, want } of REFUSED) {
  const { bytes, ...options } = given;
  const what = bytes === undefined ? "" : " whose executable names no version of macOS";
  Deno.test(`makeWheel() refuses ${JSON.stringify(options)}${what}`, async () => {
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
  assert.equal(files.get("openapi_gw/bin/gw.exe"), EXECUTABLE);
});
