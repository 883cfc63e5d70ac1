import { cacheFolder } from "../cache.ts";
import { provideGo } from "../cluster/tools.ts";
import type { GoModule, PythonTests } from "./client.ts";
import { runProgram } from "./program.ts";

/** The oldest version of Go that is used for downloading modules. */
const GO_OF_FETCHING = "1.21";

/**
 * Downloads a Go module into Go's module cache.
 *
 * @returns The folder of the module. Its files are read-only.
 * @throws {Error} If the download fails, or the checksum differs from the given one.
 */
export async function fetchGoModule({ module, version, sum }: GoModule): Promise<string> {
  const folder = `${cacheFolder()}/clients`;
  await Deno.mkdir(folder, { recursive: true });
  const go = await provideGo(GO_OF_FETCHING, folder);
  const args = ["mod", "download", "-json", `${module}@${version}`];
  const { Dir, Sum } = JSON.parse(await runProgram(go, args, { cwd: folder, env: { GOFLAGS: "-mod=mod" } }));
  if (Sum !== sum) throw new Error(`${module} ${version} has the checksum ${Sum}; scripts/clients says ${sum}`);
  return Dir;
}

/**
 * Downloads the source distribution of a Python project and unpacks it.
 *
 * @param folder Folder for the unpacked distribution.
 * @returns The distribution's folder, inside `folder`.
 * @throws {Error} If the download fails, or the checksum differs from the given one.
 */
export async function fetchSourceDistribution(
  { project, version, sha256 }: PythonTests,
  folder: string,
): Promise<string> {
  const requirement = `${folder}/source.txt`;
  await Deno.writeTextFile(requirement, `${project}==${version} --hash=sha256:${sha256}\n`);
  const pip = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--require-hashes", "--no-deps"];
  await runProgram("python3", [...pip, "--no-binary", ":all:", "--dest", folder, "-r", requirement], { cwd: folder });
  await runProgram("python3", ["-m", "tarfile", "-e", `${project}-${version}.tar.gz`, folder], { cwd: folder });
  return `${folder}/${project}-${version}`;
}
