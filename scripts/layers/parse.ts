import ts from "typescript";

/** The imports of a source file, its uses of the environment, and its regular expressions that aren't constant. */
export interface SourceFile {
  imports: Import[];
  environmentUses: EnvironmentUse[];
  /** The lines that make a `RegExp` from a text that may be from outside. */
  variableExpressions: number[];
}

/** The specifier of an `import`, an `export … from`, an `import()`, or a type `import("…")`. */
export interface Import {
  specifier: string;
  line: number;
}

/**
 * A use of a global that gives access to the environment: to the clock, randomness, the console, files or connections.
 */
export interface EnvironmentUse {
  /** The name of the API: `Date.now`, `new Date()`, `Deno.readFile`. */
  name: string;
  line: number;
}

/** Globals that give access to the environment with any of their members. */
const IMPURE_GLOBALS = new Set([
  "Deno",
  "process",
  "console",
  "performance",
  "fetch",
  "localStorage",
  "sessionStorage",
]);

/** Members that give access to the environment, of globals that otherwise don't. */
const IMPURE_MEMBERS = new Set(["Date.now", "Math.random", "crypto.getRandomValues", "crypto.randomUUID"]);

/**
 * Finds the imports of TypeScript files, and their uses of the environment. Comments, strings and types don't count as
 * uses, nor do names that the file declares itself (`({ fetch }: World) => fetch(url)`).
 *
 * @param texts The texts of the files, by path.
 * @returns The imports and uses, by path.
 */
export function parseSourceFiles(texts: ReadonlyMap<string, string>): Map<string, SourceFile> {
  const program = ts.createProgram([...texts.keys()], { noLib: true, noResolve: true, allowJs: true }, hostOf(texts));
  // The type checker has symbols only for names that the file itself declares: neither libraries nor other files are
  // loaded.
  const checker = program.getTypeChecker();
  return new Map(program.getSourceFiles().map((file) => [file.fileName, read(file, checker)]));
}

function hostOf(texts: ReadonlyMap<string, string>): ts.CompilerHost {
  return {
    fileExists: (path) => texts.has(path),
    readFile: (path) => texts.get(path),
    getSourceFile(path, options) {
      const text = texts.get(path);
      return text === undefined ? undefined : ts.createSourceFile(path, text, options, /* setParentNodes */ true);
    },
    getDefaultLibFileName: () => "",
    getCurrentDirectory: () => "",
    getCanonicalFileName: (path) => path,
    getNewLine: () => "\n",
    useCaseSensitiveFileNames: () => true,
    writeFile() {},
  };
}

function read(file: ts.SourceFile, checker: ts.TypeChecker): SourceFile {
  const found: SourceFile = { imports: [], environmentUses: [], variableExpressions: [] };
  visit(file, false);
  return found;

  function visit(node: ts.Node, inType: boolean): void {
    const specifier = specifierOf(node);
    if (specifier !== undefined) found.imports.push({ specifier, line: lineOf(node) });
    const name = inType ? undefined : environmentName(node, checker);
    if (name !== undefined) found.environmentUses.push({ name, line: lineOf(node) });
    if (!inType && makesVariableExpression(node, checker)) found.variableExpressions.push(lineOf(node));
    ts.forEachChild(node, (child) => visit(child, inType || ts.isTypeNode(child)));
  }

  function lineOf(node: ts.Node): number {
    return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
  }
}

function specifierOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return textOf(node.moduleSpecifier);
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? textOf(node.argument.literal) : undefined;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return textOf(node.arguments[0]);
  }
  return undefined;
}

function textOf(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}

function environmentName(node: ts.Node, checker: ts.TypeChecker): string | undefined {
  if (ts.isNewExpression(node)) {
    const isNow = globalName(node.expression, checker) === "Date" && (node.arguments ?? []).length === 0;
    return isNow ? "new Date()" : undefined;
  }
  if (ts.isCallExpression(node)) return globalName(node.expression, checker) === "Date" ? "Date()" : undefined;
  // Reports only the longest expression: `Deno.env.get`, but not `Deno.env` inside it.
  const name = ts.isExpression(node) && !isObjectOfMember(node) ? globalName(node, checker) : undefined;
  if (name === undefined) return undefined;
  const [object = "", member] = name.split(".");
  return IMPURE_GLOBALS.has(object) || IMPURE_MEMBERS.has(`${object}.${member}`) ? name : undefined;
}

/** Whether a node makes a `RegExp` of more than literals, constants (`TOKEN`) and `RegExp.escape(…)`. */
function makesVariableExpression(node: ts.Node, checker: ts.TypeChecker): boolean {
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return false;
  if (globalName(node.expression, checker) !== "RegExp") return false;
  return (node.arguments ?? []).some((argument) => !isConstant(argument, argument, checker));
}

function isConstant(node: ts.Node, whole: ts.Node, checker: ts.TypeChecker): boolean {
  if (ts.isCallExpression(node) && globalName(node.expression, checker) === "RegExp.escape") return true;
  if (ts.isIdentifier(node) && isReference(node)) {
    const isWithin = (checker.getSymbolAtLocation(node)?.declarations ?? [])
      .some((declared) => declared.pos >= whole.pos && declared.end <= whole.end);
    return isWithin || node.text === "String" || /^[A-Z][A-Z0-9_]*$/.test(node.text);
  }
  return ts.forEachChild(node, (child) => isConstant(child, whole, checker) ? undefined : "variable") === undefined;
}

function isObjectOfMember(node: ts.Node): boolean {
  const parent = node.parent;
  return isMember(parent) && parent.expression === node && memberName(parent) !== undefined;
}

/** The dotted name of a global or its member, without `globalThis`: `Deno.env.get`. */
function globalName(node: ts.Expression, checker: ts.TypeChecker): string | undefined {
  if (ts.isIdentifier(node)) return isReference(node) && !isDeclared(node, checker) ? node.text : undefined;
  const member = memberName(node);
  if (!isMember(node) || member === undefined) return undefined;
  const object = globalName(node.expression, checker);
  return object === undefined || object === "globalThis" ? object && member : `${object}.${member}`;
}

function isMember(node: ts.Node): node is ts.PropertyAccessExpression | ts.ElementAccessExpression {
  return ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node);
}

function memberName(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  return ts.isElementAccessExpression(node) ? textOf(node.argumentExpression) : undefined;
}

/** Whether an identifier is used as a value, rather than as the name of a property, a declaration or an import. */
function isReference(node: ts.Identifier): boolean {
  const parent = node.parent;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) return false;
  return !("name" in parent && parent.name === node) && !("propertyName" in parent && parent.propertyName === node);
}

function isDeclared(node: ts.Identifier, checker: ts.TypeChecker): boolean {
  const parent = node.parent;
  const symbol = ts.isShorthandPropertyAssignment(parent)
    ? checker.getShorthandAssignmentValueSymbol(parent)
    : checker.getSymbolAtLocation(node);
  return (symbol?.declarations ?? []).length > 0;
}
