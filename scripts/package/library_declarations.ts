/**
 * Writes the TypeScript declarations of the npm library: one file for each source that the entry points' declarations
 * import, and for each declaration of an npm package that they import. So a project that uses them needs no other
 * package.
 *
 * @module
 */
import { dirname, join, relative } from "node:path/posix";
import ts from "typescript";
import { type CachedPackage, findPackage } from "./npm_cache.ts";

/**
 * Writes the declarations.
 *
 * @param entries Paths of TypeScript files, relative to `root`.
 * @param root The folder of the sources.
 * @param folder Folder for the declarations, under the paths of their sources; those of npm packages are put under
 * `npm/`.
 * @returns The npm packages whose declarations were copied.
 * @throws {Error} If TypeScript can't make the declarations of a source.
 */
export async function writeDeclarations(
  entries: readonly string[],
  root: string,
  folder: string,
): Promise<CachedPackage[]> {
  const declared = declare(entries, root);
  const reached = new Map<string, string>();
  const pending = entries.map((entry) => entry.replace(/\.ts$/, ".d.ts"));
  for (const path of pending) {
    if (reached.has(path)) continue;
    const text = path.startsWith("npm/") ? await readPackageFile(path) : declared.get(path);
    if (text === undefined) throw new Error(`${path} is imported by a declaration, and isn't declared.`);
    const { rewritten, targets } = await rewriteImports(path, text);
    reached.set(path, rewritten);
    pending.push(...targets);
  }
  for (const [path, text] of reached) {
    await Deno.mkdir(dirname(`${folder}/${path}`), { recursive: true });
    await Deno.writeTextFile(`${folder}/${path}`, text);
  }
  const names = [...reached.keys()].flatMap((path) => readPackagePath(path)?.name ?? []);
  return (await Promise.all([...new Set(names)].map(findPackage))).filter((found) => found !== undefined);
}

function declare(entries: readonly string[], root: string): Map<string, string> {
  const options: ts.CompilerOptions = {
    allowImportingTsExtensions: true,
    declaration: true,
    emitDeclarationOnly: true,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    noCheck: true,
    strict: true,
    stripInternal: true,
    target: ts.ScriptTarget.ESNext,
    verbatimModuleSyntax: true,
    types: [],
    rootDir: root,
  };
  const declared = new Map<string, string>();
  const base = root.replace(/\/$/, "");
  const program = ts.createProgram(entries.map((entry) => `${base}/${entry}`), options);
  const { diagnostics } = program.emit(undefined, (path, text) => declared.set(relative(base, path), text));
  const [first] = diagnostics;
  if (first !== undefined) throw new Error(ts.flattenDiagnosticMessageText(first.messageText, "\n"));
  return declared;
}

/**
 * Replaces the specifier of each import by the relative path of the declaration, with the file extension that Node.js
 * requires.
 */
async function rewriteImports(path: string, text: string): Promise<{ rewritten: string; targets: string[] }> {
  const targets: string[] = [];
  let rewritten = "";
  let end = 0;
  for (const literal of specifiersOf(path, text)) {
    const target = await resolveImport(path, literal.text);
    if (target === undefined) continue;
    targets.push(target);
    const to = relative(dirname(path), target).replace(/\.d\.[mc]?ts$/, ".js");
    rewritten += text.slice(end, literal.getStart()) + JSON.stringify(to.startsWith(".") ? to : `./${to}`);
    end = literal.getEnd();
  }
  return { rewritten: rewritten + text.slice(end), targets };
}

function specifiersOf(path: string, text: string): ts.StringLiteral[] {
  const found: ts.StringLiteral[] = [];
  const visit = (node: ts.Node): void => {
    const specifier = ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
      ? node.moduleSpecifier
      : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
      ? node.argument.literal
      : undefined;
    if (specifier !== undefined && ts.isStringLiteral(specifier)) found.push(specifier);
    node.forEachChild(visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return found;
}

/** The declaration that an import leads to; `undefined` for an import that isn't replaced. */
async function resolveImport(path: string, specifier: string): Promise<string | undefined> {
  if (!specifier.startsWith(".")) return await packageTypes(specifier);
  const target = join(dirname(path), specifier);
  if (!path.startsWith("npm/")) return target.replace(/\.ts$/, ".d.ts");
  for (const ending of [".d.ts", "/index.d.ts"]) {
    const file = target.replace(/\.js$/, "") + ending;
    if (await readPackageFile(file).then(() => true, () => false)) return file;
  }
  throw new Error(`${path} imports ${specifier}, which can't be found.`);
}

/**
 * The declarations of an npm package that is bundled; `undefined` for modules of Node.js, and for test tools, which the
 * user installs.
 */
async function packageTypes(name: string): Promise<string | undefined> {
  const found = await findPackage(name);
  if (found === undefined) return undefined;
  const { types, typings, exports } = JSON.parse(await Deno.readTextFile(`${found.folder}/package.json`));
  const file: unknown = types ?? typings ?? exports?.["."]?.types;
  if (typeof file !== "string") throw new Error(`${name} has no declarations: don't name its types in exported ones.`);
  return join("npm", name, file);
}

async function readPackageFile(path: string): Promise<string> {
  const { name, inside } = readPackagePath(path) ?? { name: "", inside: "" };
  return await Deno.readTextFile(`${(await findPackage(name))?.folder}/${inside}`);
}

function readPackagePath(path: string): { name: string; inside: string } | undefined {
  const [, name, inside] = /^npm\/((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(path) ?? [];
  return name === undefined || inside === undefined ? undefined : { name, inside };
}
