/**
 * The npm library uses no function that Node.js 20 lacks, except those that the build replaces.
 *
 * @module
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const ROOT = fileURLToPath(import.meta.resolve("../.."));

/**
 * Types of functions that are newer than ECMAScript 2023: those that scripts/package/ponyfills.ts replaces, and those
 * that Node.js 20 has all the same.
 */
const REPLACED = `
interface MapConstructor { groupBy<K, V>(items: Iterable<V>, keyOf: (item: V, index: number) => K): Map<K, V[]> }
interface ObjectConstructor {
  groupBy<K extends PropertyKey, V>(items: Iterable<V>, keyOf: (item: V, index: number) => K): Partial<Record<K, V[]>>;
}
interface PromiseConstructor {
  withResolvers<T>(): { promise: Promise<T>; resolve: (value: T | PromiseLike<T>) => void; reject: (reason?: unknown) => void };
}
interface RegExpConstructor { escape(text: string): string }
interface Uint8ArrayConstructor {
  fromBase64(text: string, options?: { alphabet?: "base64" | "base64url" }): Uint8Array<ArrayBuffer>;
}
interface String { isWellFormed(): boolean; toWellFormed(): string }
`;

/** The codes of TypeScript's errors about unknown properties and names. */
const UNKNOWN_NAME: ReadonlySet<number> = new Set([2339, 2550, 2551, 2552, 2568, 2583, 2584, 2304]);

Deno.test("the library calls only what Node.js 20 has, or what the build replaces", () => {
  const replaced = "/replaced.d.ts";
  const options: ts.CompilerOptions = {
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: [],
    skipLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (path, version) =>
    path === replaced ? ts.createSourceFile(path, REPLACED, version) : read(path, version);
  const program = ts.createProgram([replaced, `${ROOT}mod.ts`], options, host);
  const faults = program.getSemanticDiagnostics().flatMap(({ code, file, start, messageText }) => {
    // The types of npm packages aren't resolved here, so their values are `unknown`. Skip errors about properties of
    // such values.
    const message = ts.flattenDiagnosticMessageText(messageText, " ");
    if (!UNKNOWN_NAME.has(code) || / on type '(object|unknown|\{\})/.test(message)) return [];
    const line = (file?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0) + 1;
    return [`${file?.fileName.slice(ROOT.length)}:${line} ${message}`];
  });
  assert.deepEqual(faults, []);
});
