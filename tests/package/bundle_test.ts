import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { FLAGS } from "../../scripts/bundle.ts";
import { createFolder } from "../cmd/definitions.ts";
import { run } from "./programs.ts";

const ROOT = fileURLToPath(import.meta.resolve("../../"));

/** Matches imports of npm packages on demand: the pattern of the names, if there is one, and the package. */
const IMPORT = /(?:const (\{[^=]*\}) = await |(?<!typeof ))import\("([^".][^"]*)"\)/g;

// In the bundle, a CommonJS package that is imported on demand has the name `default` only. From source it has all.
Deno.test("the bundle has what the program takes from packages that it imports on demand", async () => {
  const imports = sources("lib").concat(sources("cmd")).flatMap((
    path,
  ) => [...Deno.readTextFileSync(path).matchAll(IMPORT)]);
  assert.ok(imports.length > 5);
  const checks = await Promise.all(imports.map(async ([, written, name = ""]) => {
    const names = written ?? `{ ${await namesOf(name)} }`;
    const bound = [...names.matchAll(/\w+(?=\s*[,}])/g)].map(([name]) => name);
    assert.ok(bound.length > 0, name);
    return `{
  const ${names} = await import("${name}");
  for (const value of [${bound}]) if (value === undefined) console.log("${name}: ${bound}");
}`;
  }));
  await using folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/main.ts`, `${checks.join("\n")}\nconsole.log("checked");\n`);
  const config = ["--config", `${ROOT}deno.json`];
  await run(Deno.execPath(), [
    "bundle",
    ...FLAGS,
    ...config,
    "--outdir",
    `${folder.path}/out`,
    `${folder.path}/main.ts`,
  ]);
  assert.equal(await run(Deno.execPath(), ["run", "-A", `${folder.path}/out/main.js`]), "checked\n");
});

/** The names that a package has from source, for an import that takes the whole package. */
async function namesOf(name: string): Promise<string[]> {
  return Object.keys(await import(name)).filter((key) => key !== "default" && /^\w+$/.test(key));
}

/** The paths of the TypeScript files below a folder of the repository. */
function sources(folder: string): string[] {
  return [...Deno.readDirSync(`${ROOT}${folder}`)].flatMap(({ name, isDirectory }) =>
    isDirectory ? sources(`${folder}/${name}`) : name.endsWith(".ts") ? [`${ROOT}${folder}/${name}`] : []
  );
}
