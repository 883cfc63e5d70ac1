import { cacheFolder, exists } from "../cache.ts";

const VERSION = "4.32.5";

/** Installs schemathesis with pip, if it isn't installed. Returns the folder of its Python packages. */
export async function installSchemathesis(): Promise<string> {
  const folder = `${cacheFolder()}/python/schemathesis-${VERSION}`;
  if (await exists(`${folder}/installed`)) return folder;
  // deno-lint-ignore no-console
  console.error(`Installing schemathesis ${VERSION} into ${folder}`);
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore"];
  const { success } = await new Deno.Command("python3", {
    args: [...pip, "--target", folder, `schemathesis==${VERSION}`],
  }).output();
  if (!success) throw new Error("Cannot install schemathesis: this needs Python 3 with pip, and PyPI.");
  await Deno.writeTextFile(`${folder}/installed`, "");
  return folder;
}
