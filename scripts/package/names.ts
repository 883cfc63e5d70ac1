/**
 * The names of gw's packages, and the platforms that gw is released for.
 *
 * @module
 */

/** The npm package, with the command and the library. */
export const NPM_NAME = "openapi-gw";

/** The npm package that contains the executable for a platform, such as `@openapi-gw/linux-x64`. */
export function npmNameOf(platform: Platform): string {
  return `@${NPM_NAME}/${platform.os}-${platform.cpu}`;
}

/** The oldest major version of Node that command and library run in. */
export const OLDEST_NODE = 20;

export const PYPI_NAME = "openapi-gw";

export const PYTHON_MODULE = "openapi_gw";

export const COMMAND = "gw";

export interface Platform {
  /** gw's name of the platform, as in `dist/gw-linux-x64`. */
  readonly name: string;
  /** Deno's name of the platform. */
  readonly target: string;
  /** Node's `process.platform`. */
  readonly os: "darwin" | "linux" | "win32";
  /** Node's `process.arch`. */
  readonly cpu: "arm64" | "x64";
}

export const PLATFORMS: readonly Platform[] = [
  { name: "linux-x64", target: "x86_64-unknown-linux-gnu", os: "linux", cpu: "x64" },
  { name: "linux-arm64", target: "aarch64-unknown-linux-gnu", os: "linux", cpu: "arm64" },
  { name: "macos-x64", target: "x86_64-apple-darwin", os: "darwin", cpu: "x64" },
  { name: "macos-arm64", target: "aarch64-apple-darwin", os: "darwin", cpu: "arm64" },
  { name: "windows-x64", target: "x86_64-pc-windows-msvc", os: "win32", cpu: "x64" },
];

/** The file name of the executable for a platform: `gw-linux-x64`, `gw-windows-x64.exe`. */
export function executableOf({ name, os }: Platform): string {
  return `${COMMAND}-${name}${os === "win32" ? ".exe" : ""}`;
}
