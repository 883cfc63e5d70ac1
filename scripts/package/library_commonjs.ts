/**
 * Writes the npm library as CommonJS modules beside its ECMAScript modules: Jest can't `require` the latter, and most
 * of its users have no other way to load a package.
 *
 * @module
 */
import { dirname } from "node:path/posix";
import * as esbuild from "esbuild";

/** Where the CommonJS modules lie in the library. */
export const COMMONJS = "cjs";

/**
 * Writes each module again as CommonJS, under the same path below `cjs`; imports at first use stay such. The
 * declarations are copied, since TypeScript tells the kind of a module by the package.json above it.
 *
 * @param library The folder of the library, with its ECMAScript modules and declarations.
 * @throws {Error} If a module can't be converted.
 */
export async function writeCommonJs(library: string): Promise<void> {
  const target = `${library}/${COMMONJS}`;
  for (const path of await listFiles(library)) {
    const isDeclaration = path.endsWith(".d.ts");
    if (!isDeclaration && !path.endsWith(".js")) continue;
    const text = await Deno.readTextFile(`${library}/${path}`);
    await Deno.mkdir(dirname(`${target}/${path}`), { recursive: true });
    await Deno.writeTextFile(`${target}/${path}`, isDeclaration ? text : await convert(text));
  }
  await esbuild.stop();
  await Deno.writeTextFile(`${target}/package.json`, JSON.stringify({ type: "commonjs" }));
}

async function convert(text: string): Promise<string> {
  const { code } = await esbuild.transform(text, {
    format: "cjs",
    platform: "node",
    target: "node20",
    // `import()` fails in Jest's CommonJS modules, so esbuild replaces it by a `require` in a promise.
    supported: { "dynamic-import": false },
    minify: true,
    legalComments: "none",
  });
  return code.replace(/\n\/\/# sourceMappingURL=.*\n?$/, "\n");
}

/** The files below a folder, by their paths from it. */
async function listFiles(folder: string, prefix = ""): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(`${folder}/${prefix}`)) {
    if (isDirectory) files.push(...await listFiles(folder, `${prefix}${name}/`));
    else files.push(prefix + name);
  }
  return files;
}
