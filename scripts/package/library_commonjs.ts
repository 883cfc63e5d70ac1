/**
 * Converts the ECMAScript modules of the npm library to CommonJS: Jest can't `require` ECMAScript modules, and most
 * users of Jest load packages only with `require`.
 *
 * @module
 */
import { dirname } from "node:path/posix";
import * as esbuild from "esbuild";
import { OLDEST_NODE } from "./names.ts";

export const COMMONJS = "cjs";

/**
 * Converts each module to CommonJS, under the same path in the folder `cjs`. Dynamic imports stay lazy. The
 * declarations are copied, because TypeScript determines the kind of a module by the nearest package.json.
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
    target: `node${OLDEST_NODE}`,
    // `import()` fails in CommonJS modules under Jest, so esbuild replaces it by `require` inside a promise.
    supported: { "dynamic-import": false },
    minify: true,
    legalComments: "none",
  });
  return code.replace(/\n\/\/# sourceMappingURL=.*\n?$/, "\n");
}

async function listFiles(folder: string, prefix = ""): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(`${folder}/${prefix}`)) {
    if (isDirectory) files.push(...await listFiles(folder, `${prefix}${name}/`));
    else files.push(prefix + name);
  }
  return files;
}
