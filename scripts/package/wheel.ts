/**
 * Makes wheels: the Python package in packages/python, with the executable for one platform. Equal inputs give equal
 * bytes. Format: https://packaging.python.org/en/latest/specifications/binary-distribution-format/
 *
 * @module
 */
import { type Zippable, zipSync } from "fflate";
import { glibcOf } from "./glibc.ts";
import { type MacOs, macOsOf } from "./macos.ts";
import { COMMAND, PYPI_NAME, PYTHON_MODULE as MODULE } from "./names.ts";

const ROOT = `${import.meta.dirname}/../..`;
const SOURCES = `${ROOT}/packages/python`;

/** The code for Unix as the origin of a zip entry. Only then installers apply the file mode of the entry. */
const UNIX = 3;
const FILE = 0o100644;
const EXECUTABLE = 0o100755;

/** The earliest time that a zip entry can have. A constant time makes the wheel reproducible. */
const EPOCH = new Date(1980, 0, 1);

/** CPUs in the platform tags of wheels, by platform. */
const LINUX: Readonly<Record<string, string>> = { "linux-x64": "x86_64", "linux-arm64": "aarch64" };
const MACOS: Readonly<Record<string, string>> = { "macos-x64": "x86_64", "macos-arm64": "arm64" };

/** The platform tag for Windows doesn't depend on the executable. */
const WINDOWS: Readonly<Record<string, string>> = { "windows-x64": "win_amd64" };

export interface WheelOptions {
  /** The path of the executable. */
  executable: string;
  /** The platform, as in names.ts: `linux-x64`. */
  platform: string;
  /** The version, as in deno.json: `1.0.0-rc.1`. */
  version: string;
  /** The commit that the executable was built from. */
  commit: string;
  /** The folder for the wheel. */
  folder: string;
}

interface Entry {
  path: string;
  bytes: Uint8Array;
  mode: number;
}

/**
 * Makes the wheel for a platform.
 *
 * @returns The path of the wheel.
 * @throws {Error} If the platform is unknown, the executable can't be read, or the version can't be converted to
 * Python's format.
 */
export async function makeWheel(options: WheelOptions): Promise<string> {
  const { executable, platform, commit, folder } = options;
  const version = pythonVersion(options.version);
  const tag = `py3-none-${await platformTag(platform, executable)}`;
  const name = platform.startsWith("windows") ? `${COMMAND}.exe` : COMMAND;
  const files: Entry[] = [
    ...await moduleFiles(version, commit),
    { path: `${MODULE}/bin/${name}`, bytes: await Deno.readFile(executable), mode: EXECUTABLE },
    ...await metadataFiles(version, tag),
  ].sort((a, b) => a.path < b.path ? -1 : 1);
  const record = `${MODULE}-${version}.dist-info/RECORD`;
  const lines = [...await Promise.all(files.map(recordLine)), `${record},,`];
  const entries = [...files, textEntry(record, `${lines.join("\n")}\n`)];
  await Deno.mkdir(folder, { recursive: true });
  const path = `${folder}/${MODULE}-${version}-${tag}.whl`;
  await Deno.writeFile(path, zip(entries));
  return path;
}

/** Pre-release names in semantic versions, and their counterparts in Python versions. */
const PRE_RELEASES: Readonly<Record<string, string>> = { alpha: "a", beta: "b", rc: "rc" };

/** Converts a semantic version to a Python version: `1.0.0rc1` (PEP 440). */
function pythonVersion(version: string): string {
  const [, release, name = "", number = ""] = /^(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.(\d+))?$/.exec(version) ?? [];
  if (release === undefined) throw new Error(`Python has no version ${version}. Write 1.0.0, or 1.0.0-rc.1.`);
  return `${release}${PRE_RELEASES[name] ?? ""}${number}`;
}

/** The platform tag of the systems that can run an executable. */
async function platformTag(platform: string, executable: string): Promise<string> {
  const [linux, macOs, windows] = [LINUX[platform], MACOS[platform], WINDOWS[platform]];
  if (linux !== undefined) {
    const { major, minor } = await glibcOf(executable);
    return `manylinux_${major}_${minor}_${linux}`;
  }
  if (macOs !== undefined) return `macosx_${macOsTag(await macOsOf(executable))}_${macOs}`;
  if (windows === undefined) throw new Error(`There is no platform ${platform}.`);
  return windows;
}

/** The version in a tag. From macOS 11 on, tags name only the major version: `12_0`. */
function macOsTag({ major, minor }: MacOs): string {
  if (major < 11) return `${major}_${minor}`;
  return `${minor === 0 ? major : major + 1}_0`;
}

async function moduleFiles(version: string, commit: string): Promise<Entry[]> {
  const sources: Entry[] = [];
  for await (const { name, isFile } of Deno.readDir(`${SOURCES}/${MODULE}`)) {
    if (!isFile || name === "_version.py") continue;
    sources.push({ path: `${MODULE}/${name}`, bytes: await Deno.readFile(`${SOURCES}/${MODULE}/${name}`), mode: FILE });
  }
  const constants = `__version__ = ${JSON.stringify(version)}\n__commit__ = ${JSON.stringify(commit)}\n`;
  return [...sources, textEntry(`${MODULE}/_version.py`, `"""The version of the package."""\n\n${constants}`)];
}

async function metadataFiles(version: string, tag: string): Promise<Entry[]> {
  const folder = `${MODULE}-${version}.dist-info`;
  const readme = await Deno.readTextFile(`${SOURCES}/README.md`);
  const metadata = [
    "Metadata-Version: 2.4",
    `Name: ${PYPI_NAME}`,
    `Version: ${version}`,
    "Summary: Mock server for OpenAPI definitions, with a fixture for pytest",
    "License-Expression: Apache-2.0",
    "License-File: LICENSE",
    "Requires-Python: >=3.9",
    "Classifier: Framework :: Pytest",
    "Classifier: Topic :: Software Development :: Testing :: Mocking",
    "Classifier: Typing :: Typed",
    "Description-Content-Type: text/markdown",
  ];
  const wheel = ["Wheel-Version: 1.0", "Generator: gw", "Root-Is-Purelib: false", `Tag: ${tag}`];
  const entryPoints = [
    "[console_scripts]",
    ...[COMMAND, PYPI_NAME].map((command) => `${command} = ${MODULE}.__main__:main`),
    "",
    "[pytest11]",
    `gw = ${MODULE}.pytest_plugin`,
  ];
  return [
    textEntry(`${folder}/METADATA`, `${metadata.join("\n")}\n\n${readme}`),
    textEntry(`${folder}/WHEEL`, `${wheel.join("\n")}\n`),
    textEntry(`${folder}/entry_points.txt`, `${entryPoints.join("\n")}\n`),
    { path: `${folder}/licenses/LICENSE`, bytes: await Deno.readFile(`${ROOT}/LICENSE`), mode: FILE },
  ];
}

function textEntry(path: string, text: string): Entry {
  return { path, bytes: new TextEncoder().encode(text), mode: FILE };
}

/** A line of the wheel's file RECORD: path, hash and length. */
async function recordLine({ path, bytes }: Entry): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", Uint8Array.from(bytes)));
  const text = digest.toBase64({ alphabet: "base64url", omitPadding: true });
  return `${path},sha256=${text},${bytes.length}`;
}

function zip(entries: readonly Entry[]): Uint8Array {
  const zippable: Zippable = {};
  for (const { path, bytes, mode } of entries) {
    zippable[path] = [bytes, { os: UNIX, attrs: (mode << 16) >>> 0, mtime: EPOCH, level: 6 }];
  }
  return zipSync(zippable);
}
