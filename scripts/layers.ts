/**
 * Checks the architecture: imports go from higher to lower layers only, there are no import cycles, lib/ uses no API of
 * the environment (files, clock, randomness, console), and only lib/regexp/ compiles patterns from outside.
 * `deno task layers` prints each fault with its place and what to do.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import { findCycles } from "./layers/cycle.ts";
import { type Import, parseSourceFiles, type SourceFile } from "./layers/parse.ts";
import { readSources } from "./layers/sources.ts";

/** A violation of the architecture, with its place. */
export interface Fault {
  path: string;
  line: number;
  message: string;
}

/**
 * The layers from the lowest to the highest, as prefixes of paths. A file belongs to the layer with the longest
 * matching prefix.
 */
export const LAYERS = [
  "lib/http/",
  "lib/regexp/",
  "lib/names/",
  "lib/schema/",
  "lib/openapi/",
  "lib/convert/",
  "lib/wire/",
  "lib/mock/generate/",
  "lib/mock/route/",
  "lib/api/",
  "lib/mock/answer/",
  "lib/mock/validation/",
  "lib/mock/condition/",
  "lib/mock/callback/",
  "lib/observe/",
  "lib/mock/infer/",
  "lib/mock/state/",
  "lib/mock/rules/",
  "lib/mock/operation/",
  "lib/mock/lint/",
  "lib/mock/journal/",
  "lib/mock/session/",
  "lib/mock/explain/",
  "lib/mock/control/",
  "lib/mock/",
  "lib/mock/server/",
  "lib/gateway/",
  "lib/cluster/",
  "lib/management/",
  "lib/console/",
  "cmd/io/",
  "cmd/cluster/",
  "cmd/",
  "main.ts",
];

/** The library's public interface. It re-exports from lib/, and no layer may import it. */
const LIBRARY = "mod.ts";

/** The entry points of the npm library for Node.js and test tools. They may import mod.ts and one another. */
const ADAPTERS = "adapters/";

/** Modules of the runtime that don't access the environment. */
const PURE_MODULES = new Set([
  "node:buffer",
  "node:path/posix",
  "node:querystring",
  "node:string_decoder",
  "node:util",
]);

/** Packages that open files or connections. lib/ must get what it needs of them as an argument. */
const IMPURE_PACKAGES = new Set(["@kubernetes/client-node", "chokidar", "commander", "node-fetch", "undici", "ws"]);

/**
 * Finds the violations of the architecture in a source tree.
 *
 * @param texts The texts of the files, by path from the root of the tree, with `/`.
 * @returns The violations, sorted by path and line.
 */
export function findFaults(texts: ReadonlyMap<string, string>): Fault[] {
  const files = parseSourceFiles(texts);
  const faults = [
    ...[...files].flatMap(([path, file]) => [
      ...layerFaults(path, file),
      ...purityFaults(path, file),
      ...expressionFaults(path, file),
    ]),
    ...cycleFaults(files),
  ];
  return faults.sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
}

function layerFaults(path: string, file: SourceFile): Fault[] {
  if (path !== LIBRARY && !path.startsWith(ADAPTERS) && layerOf(path) < 0) {
    return [{ path, line: 1, message: `belongs to no layer: move it into one of ${LAYERS.join(", ")}` }];
  }
  return file.imports.flatMap((found) => {
    const target = resolve(path, found.specifier);
    if (target === undefined || isAllowed(path, target)) return [];
    const message = path.startsWith(ADAPTERS)
      ? `${target} is no part of the library: adapters import mod.ts, which exports what they need`
      : path === LIBRARY
      ? `${target} is no part of the library: mod.ts re-exports from lib/ only`
      : `imports ${target} from above: imports point down, ${[...LAYERS].reverse().join(" -> ")}; ` +
        "move what both need into the lower layer, or take it as an argument";
    return [{ path, line: found.line, message }];
  });
}

function isAllowed(from: string, to: string): boolean {
  if (from === LIBRARY) return to.startsWith("lib/");
  if (from.startsWith(ADAPTERS)) return to === LIBRARY || to.startsWith(ADAPTERS);
  return layerOf(to) >= 0 && layerOf(to) <= layerOf(from);
}

function layerOf(path: string): number {
  const prefixes = LAYERS.filter((prefix) => path.startsWith(prefix));
  const longest = prefixes.reduce((longest, prefix) => prefix.length > longest.length ? prefix : longest, "");
  return LAYERS.indexOf(longest);
}

function purityFaults(path: string, file: SourceFile): Fault[] {
  if (!path.startsWith("lib/")) return [];
  const uses = file.environmentUses.map(({ name, line }) => ({
    path,
    line,
    message: `uses ${name}: lib/ is pure; take what it gives as an argument and let cmd/ pass it in`,
  }));
  const imports = file.imports.filter(isImpure).map(({ specifier, line }) => ({
    path,
    line,
    message: `imports ${specifier}, which touches the world: use it in cmd/io/ and hand its results to lib/`,
  }));
  return [...uses, ...imports];
}

/** Files that make regular expressions of parts of the program, none of which is from outside. */
const EXPRESSION_MAKERS: ReadonlySet<string> = new Set([
  "cmd/line/coming_from.ts",
  "lib/mock/validation/security.ts",
  "lib/observe/secrets/token_format.ts",
  "lib/openapi/extension/validate_settings.ts",
]);

/** A pattern from outside may take exponential time to compile or to match, which lib/regexp/ bounds. */
function expressionFaults(path: string, file: SourceFile): Fault[] {
  if (path.startsWith("lib/regexp/") || EXPRESSION_MAKERS.has(path)) return [];
  const message = "makes a RegExp of a variable: patterns from outside are compiled by lib/regexp/pattern.ts, which " +
    "bounds their work; for a text of the program, use a constant or RegExp.escape()";
  return file.variableExpressions.map((line) => ({ path, line, message }));
}

function isImpure({ specifier }: Import): boolean {
  if (specifier.startsWith("node:")) return !PURE_MODULES.has(specifier);
  const [, name] = /^(?:npm:\/?)?((?:@[^/]+\/)?[^@/]+)/.exec(specifier) ?? [];
  return name !== undefined && IMPURE_PACKAGES.has(name);
}

function cycleFaults(files: ReadonlyMap<string, SourceFile>): Fault[] {
  const graph = new Map(
    [...files].map(([path, file]) => [path, file.imports.flatMap((found) => resolve(path, found.specifier) ?? [])]),
  );
  return findCycles(graph).map((cycle) => {
    const [path = "", next] = cycle;
    const line = files.get(path)?.imports.find((found) => resolve(path, found.specifier) === next)?.line ?? 1;
    return { path, line, message: `import cycle ${cycle.join(" -> ")}: move what both need into a file of its own` };
  });
}

/**
 * The path of the source file that a relative import leads to; `undefined` for packages, and for data files such as
 * JSON.
 */
function resolve(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".") || !specifier.endsWith(".ts")) return undefined;
  return new URL(specifier, `file:///${from}`).pathname.slice(1);
}

if (import.meta.main) {
  // Tests and scripts aren't checked, since they may import every layer.
  const texts = readSources(["adapters", "cmd", "lib", "main.ts", "mod.ts"]);
  const faults = findFaults(texts);
  for (const { path, line, message } of faults) console.error(`${path}:${line}: ${message}`);
  console.log(`layers: ${texts.size} files, ${faults.length} faults`);
  Deno.exit(faults.length === 0 ? 0 : 1);
}
