/**
 * The gzipped size of the npm library: of the files that a program loads to mock a JSON definition, and of all files.
 *
 * @module
 */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { libraryPackage } from "./library_package.ts";

const KB = 1_000;

/**
 * The greatest permitted size, gzipped, by entry point. `all` counts every file, also those that are imported on
 * demand.
 */
const MOST = { "mod.js": 120 * KB, all: 600 * KB };

Deno.test("the library is small", async () => {
  const { path, imports } = await libraryPackage();
  const sizes = new Map<string, number>();
  for (const file of imports.keys()) {
    sizes.set(file, gzipSync(await Deno.readFile(`${path}/library/${file}`), { level: 9 }).length);
  }
  const total = (files: Iterable<string>): number => [...files].reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);
  const found = {
    "mod.js": total(closureOf("mod.js", imports)),
    all: total(imports.keys()),
  };
  for (const [name, size] of Object.entries(found)) {
    const most = MOST[name as keyof typeof MOST];
    // Print the sizes: they tell how much room is left.
    // deno-lint-ignore no-console
    console.log(`${name}: ${(size / KB).toFixed(1)} KB gzipped, of at most ${most / KB}`);
    assert.ok(size > 0 && size <= most, `${name} has ${size} bytes`);
  }
});

/** A file, and all files that it imports statically, directly or indirectly. */
function closureOf(entry: string, imports: ReadonlyMap<string, { readonly static: readonly string[] }>): Set<string> {
  const closure = new Set([entry]);
  for (const file of closure) for (const imported of imports.get(file)?.static ?? []) closure.add(imported);
  return closure;
}
