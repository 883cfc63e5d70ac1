/**
 * Prints the shape of the code: how much of it there is, and how far a thought is spread over files.
 * `deno task shape [FOLDER…]`, of lib and cmd without a name.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import ts from "typescript";
import { readSources } from "./layers/sources.ts";

/** What is counted of a set of source files. */
export interface Shape {
  files: number;
  /** Lines with code: without blanks and comments. */
  codeLines: number;
  /** Of a file: the longest and the median number of code lines. */
  longestFile: number;
  medianFile: number;
  /** Mean number of modules that a file imports or re-exports by a relative path. */
  relativeImports: number;
  /** Mean number of code lines of a function declared at the top of a file. */
  functionLines: number;
  /** The folder with the most files directly in it. */
  fullestFolder: { path: string; files: number };
  /** Names that more than one file exports. */
  sharedNames: string[];
  /** Files that only one other file imports. */
  singleImporter: string[];
}

/**
 * Measures source files.
 *
 * @param texts The texts of TypeScript files, by path with `/`.
 */
export function measureShape(texts: ReadonlyMap<string, string>): Shape {
  const files = [...texts].map(([path, text]) => readFile(path, text));
  const importers = countBy(files.flatMap(({ imports }) => imports));
  const exporters = countBy(files.flatMap(({ exports }) => exports));
  const folders = [...countBy(files.map(({ path }) => path.slice(0, path.lastIndexOf("/"))))];
  const functions = files.flatMap(({ functionLines }) => functionLines);
  const lines = files.map(({ codeLines }) => codeLines).sort((a, b) => a - b);
  const [path, count] = folders.reduce((most, folder) => folder[1] > most[1] ? folder : most, ["", 0]);
  return {
    files: files.length,
    codeLines: sum(lines),
    longestFile: lines.at(-1) ?? 0,
    medianFile: lines[Math.floor(lines.length / 2)] ?? 0,
    relativeImports: sum(files.map(({ imports }) => imports.length)) / files.length,
    functionLines: sum(functions) / functions.length,
    fullestFolder: { path, files: count },
    sharedNames: [...exporters].filter(([, count]) => count > 1).map(([name]) => name).sort(),
    singleImporter: files.map(({ path }) => path).filter((path) => importers.get(path) === 1),
  };
}

interface File {
  path: string;
  codeLines: number;
  functionLines: number[];
  /** The paths of the modules that the file imports, each once. */
  imports: string[];
  /** The names that the file declares and exports. */
  exports: string[];
}

function readFile(path: string, text: string): File {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const code = linesWithCode(file);
  const linesOf = (node: ts.Node) => {
    const [first, last] = [node.getStart(), node.end].map((at) => file.getLineAndCharacterOfPosition(at).line);
    return [...code].filter((line) => line >= (first ?? 0) && line <= (last ?? 0)).length;
  };
  return {
    path,
    codeLines: code.size,
    functionLines: file.statements.filter(ts.isFunctionDeclaration).map(linesOf),
    imports: [...new Set(file.statements.flatMap((statement) => importOf(statement, path)))],
    exports: [...new Set(file.statements.flatMap(exportsOf))],
  };
}

/** The lines on which a token stands, which comments and blanks aren't. */
function linesWithCode(file: ts.SourceFile): Set<number> {
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(file);
    if (children.length === 0 && node.getWidth(file) > 0) {
      const first = file.getLineAndCharacterOfPosition(node.getStart(file)).line;
      const last = file.getLineAndCharacterOfPosition(node.end).line;
      for (let line = first; line <= last; line++) lines.add(line);
    }
    children.forEach(visit);
  };
  visit(file);
  return lines;
}

function importOf(statement: ts.Statement, path: string): string[] {
  if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
  const specifier = statement.moduleSpecifier;
  if (specifier === undefined || !ts.isStringLiteral(specifier) || !specifier.text.startsWith(".")) return [];
  return [new URL(specifier.text, `file:///${path}`).pathname.slice(1)];
}

function exportsOf(statement: ts.Statement): string[] {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) ?? [] : [];
  if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  const { name } = statement as ts.DeclarationStatement;
  return name === undefined ? [] : [name.getText()];
}

function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The rows that the command prints: what is measured, its figure, and the figure to reach. */
function rowsOf(shape: Shape): [string, string, string][] {
  const { path, files } = shape.fullestFolder;
  return [
    ["files", `${shape.files}`, ""],
    ["code lines", `${shape.codeLines}`, "56000"],
    ["code lines of a file, median and longest", `${shape.medianFile}, ${shape.longestFile}`, ""],
    ["relative imports a file", shape.relativeImports.toFixed(1), "4.0"],
    ["code lines a top-level function", shape.functionLines.toFixed(1), ""],
    ["most files in a folder", `${files} (${path})`, "30"],
    ["exported names in more than one file", `${shape.sharedNames.length}`, "30"],
    ["files with one importer", `${shape.singleImporter.length}`, "150"],
  ];
}

if (import.meta.main) {
  const [list] = Deno.args.filter((argument) => argument === "--list");
  const folders = Deno.args.filter((argument) => argument !== "--list");
  const shape = measureShape(readSources(folders.length > 0 ? folders : ["lib", "cmd"]));
  const rows = [["", "now", "to reach"], ...rowsOf(shape)];
  for (const [name = "", now = "", goal = ""] of rows) console.log(`${name.padEnd(42)}${now.padEnd(28)}${goal}`);
  if (list !== undefined) {
    console.log(`\nNames that more than one file exports: ${shape.sharedNames.join(", ")}`);
    console.log(`\nFiles with one importer:\n${shape.singleImporter.join("\n")}`);
  }
}
