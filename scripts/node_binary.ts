import { installPackages } from "./cache.ts";

/** The versions of Node.js with which the npm library is tested, by major version. */
export const NODE_VERSIONS = { 20: "20.20.2", 22: "22.23.3", 24: "24.21.0" } as const;

/** The names of CPU architectures in npm's packages. */
const ARCHITECTURES = { x86_64: "x64", aarch64: "arm64" } as const;

/**
 * Installs Node.js of a major version from npm, once.
 *
 * @returns The path of its binary.
 * @throws {Error} If the registry can't be reached.
 */
export async function nodeBinary(major: keyof typeof NODE_VERSIONS): Promise<string> {
  const name = `node-${Deno.build.os}-${ARCHITECTURES[Deno.build.arch]}`;
  return `${await installPackages({ [name]: NODE_VERSIONS[major] })}/${name}/bin/node`;
}
