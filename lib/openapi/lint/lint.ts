/**
 * Checks a definition that was parsed. `placeObjects` lists its objects (Operation Objects, Schema Objects, …). Then
 * each check looks for one kind of mistake.
 *
 * ```text
 * parseDocument -> placeObjects -> form of each object, references, paths, operations, x-svc, examples
 * ```
 *
 * @module
 */
import { checkCycles } from "./cycles.ts";
import { checkDiscriminators } from "./discriminators.ts";
import { findWarnings } from "./warnings/warnings.ts";
import { checkDuplicateKeys } from "./duplicate_keys.ts";
import { checkExamples, type ExampleWork } from "./examples.ts";
import { checkExtensions } from "./extensions.ts";
import { checkKeywords } from "./keywords.ts";
import { checkMergeKeys } from "./merge_keys.ts";
import { placeObjects } from "./objects.ts";
import { checkOpenTemplates } from "./open_templates.ts";
import { checkOperationIds, type ConfiguredOperation } from "./operations.ts";
import { checkParameterLists, checkPathParameters } from "./operations.ts";
import { checkPaths } from "./paths.ts";
import { checkOperationCount, checkPathSpelling, isLibrary } from "./path_spelling.ts";
import { MOST_PROBLEMS } from "./report.ts";
import { checkReferences } from "./references.ts";
import { checkSecurity } from "./security.ts";
import { checkServers } from "./servers.ts";
import { loadPatternReader } from "../../regexp/pattern.ts";
import { checkCors, checkRewrites } from "./extensions.ts";
import { checkStructure, type Validators } from "./structure.ts";
import type { Document } from "../document.ts";
import { createExtensionReader } from "../extension/extension.ts";
import { isObject } from "../../schema/json/node.ts";
import { listOperations } from "../operation.ts";
import type { Severities } from "../rules.ts";
import { withSeverities } from "../diagnostic.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";

/** A definition with the result of its checks. */
export interface CheckedDocument {
  readonly document: Document;
  readonly operations: readonly ConfiguredOperation[];
  /** All diagnostics, including those of parsing. */
  readonly diagnostics: readonly UnlocatedDiagnostic[];
}

/** Options of {@linkcode checkDocument}. */
export interface CheckOptions {
  /** A cache of the validators of objects, which the checks of several definitions may share. Default: a new cache. */
  validators?: Validators;
  /** Budgets for the validation of examples. Default: enough for nearly all definitions. */
  exampleWork?: ExampleWork;
  /** Whether to warn of parts that are valid, but probably mistakes. Default: `false`. */
  withWarnings?: boolean;
  /** Severities that replace those of gw's rules. Default: none. */
  severities?: Severities;
  /** Limit of the diagnostics that are reported. Default: 10,000. */
  mostProblems?: number;
}

/** If parsing gives a diagnostic with one of these codes, nothing else is checked. */
const UNREADABLE = new Set(["not-openapi", "key-too-long"]);

/** Checks one definition. Doesn't find conflicts with other definitions. */
export async function checkDocument(
  document: Document,
  { validators, exampleWork, withWarnings = false, severities = {}, mostProblems = MOST_PROBLEMS }: CheckOptions = {},
): Promise<CheckedDocument> {
  if (!isObject(document.root.value) || document.unlocatedDiagnostics.some(({ code }) => UNREADABLE.has(code))) {
    return { document, operations: [], diagnostics: document.unlocatedDiagnostics };
  }
  const readExtension = createExtensionReader(document);
  const operations = listOperations(document)
    .map((operation) => ({ operation, extension: readExtension(operation) }));
  const bare = operations.map(({ operation }) => operation);
  const written = asWritten(document);
  const ofPaths = await findAll([
    () => [...written.sources.values(), ...document.overlays].flatMap(checkDuplicateKeys),
    () => withWarnings ? [...written.sources.values(), ...document.overlays].flatMap(checkMergeKeys) : [],
    () => checkPaths(document, bare, mostProblems),
    () => withWarnings ? checkPathSpelling(document, mostProblems) : [],
    () => checkPathParameters(bare, mostProblems),
  ], mostProblems);
  const ofObjects = isTooMany(ofPaths, mostProblems) ? [] : await checkObjects();
  // `checkReferences` reports the broken references of a Swagger 2.0 definition at their places in the original text.
  // So those that parsing has reported, at places of the converted definition, are left out.
  const read = written === document
    ? document.unlocatedDiagnostics
    : document.unlocatedDiagnostics.filter(({ code }) => code !== "broken-reference");
  const found = withStricter(read, [...ofPaths, ...ofObjects]);
  // An error may be the reason why there is no operation, and then says more.
  const hasError = found.some(({ severity }) => severity === "error");
  const ofCount = !withWarnings || hasError || isLibrary(document) ? [] : checkOperationCount(document, bare);
  const diagnostics = withSeverities([...found, ...ofCount], severities);
  return { document, operations, diagnostics: withinBounds(diagnostics, mostProblems) };

  function checkObjects(): Promise<readonly UnlocatedDiagnostic[]> {
    const placed = placeObjects(written);
    const { objects } = placed;
    return findAll([
      () => checkReferences(written, placed, mostProblems),
      () => checkCycles(placed),
      () => checkServers(objects),
      () => checkParameterLists(written, objects),
      () => checkOperationIds(objects),
      () => checkSecurity(written, objects),
      () => checkDiscriminators(written, objects),
      () => checkExtensions(document, objects),
      () => checkCors(document, operations),
      () => checkOpenTemplates(operations),
      () => checkRewrites(objects),
      () => checkStructure(written, objects, mostProblems, validators),
      () => checkKeywords(written, objects),
      async () => withWarnings ? findWarnings(written, placed, await loadPatternReader()) : [],
      () => checkExamples(written, objects, exampleWork),
    ], mostProblems);
  }
}

/** Runs checks in their order until they have found more errors than are reported. */
async function findAll(
  checks: readonly (() => UnlocatedDiagnostic[] | Promise<UnlocatedDiagnostic[]>)[],
  most: number,
): Promise<readonly UnlocatedDiagnostic[]> {
  let found: readonly UnlocatedDiagnostic[] = [];
  for (const check of checks) {
    found = [...found, ...await check()];
    if (isTooMany(found, most)) break;
  }
  return found;
}

function isTooMany(diagnostics: readonly UnlocatedDiagnostic[], most: number): boolean {
  return diagnostics.length > most && diagnostics.filter(({ severity }) => severity === "error").length > most;
}

/** The definition as its author wrote it. Unlike `document.root`, a Swagger 2.0 definition isn't converted. */
function asWritten(document: Document): Document {
  const { written } = document;
  if (written.source === document.root.source) return document;
  return { ...document, root: written, sources: new Map(document.sources).set(document.uri, written.source) };
}

/**
 * Adds the diagnostics of checks to those of parsing. A diagnostic of a check replaces a warning of parsing with the
 * same place and code. For a text with syntax errors, only the errors of parsing are reported.
 */
function withStricter(
  read: readonly UnlocatedDiagnostic[],
  checked: readonly UnlocatedDiagnostic[],
): UnlocatedDiagnostic[] {
  const broken = new Set(read.filter(({ code }) => code === "syntax").map(({ source }) => source));
  const sound = [...new Set(checked)].filter(({ source }) => !broken.has(source));
  const places = new Set(sound.map(placeOf));
  const others = read.filter((diagnostic) =>
    diagnostic.severity === "error" || (!broken.has(diagnostic.source) && !places.has(placeOf(diagnostic)))
  );
  return [...others, ...sound];
}

/**
 * Limit of the average number of characters in the message and pointer of a diagnostic: it bounds the size of the
 * report.
 */
const MOST_CHARACTERS = 500;

/** Bounds the size of the report: leaves out warnings first, then errors. */
function withinBounds(diagnostics: readonly UnlocatedDiagnostic[], most: number): readonly UnlocatedDiagnostic[] {
  if (countWithin(diagnostics, most) === diagnostics.length) return diagnostics;
  const bySeverity = Object.groupBy(diagnostics, ({ severity }) => severity);
  const ordered = [...bySeverity.error ?? [], ...bySeverity.warning ?? []];
  const reported = ordered.slice(0, countWithin(ordered, most));
  const [first] = ordered;
  if (first === undefined) return diagnostics;
  const { severity, source } = first;
  const message = "There are more problems than these; fix some of these first.";
  return [...reported, { severity, code: "too-many-problems", message, source, pointer: "" }];
}

/** The number of diagnostics, from the first on, that are within the limits of count and characters. */
function countWithin(diagnostics: readonly UnlocatedDiagnostic[], most: number): number {
  let characters = 0;
  const end = diagnostics.findIndex(({ message, pointer }, index) => {
    characters += message.length + pointer.length;
    return index >= most || characters > most * MOST_CHARACTERS;
  });
  return end === -1 ? diagnostics.length : end;
}

/** A key of the place and code of a diagnostic. Diagnostics of parsing and of checks about one mistake have one key. */
function placeOf({ source, pointer, code }: UnlocatedDiagnostic): string {
  return `${source.uri}#${pointer} ${CODES_OF_CHECKS[code] ?? code}`;
}

/** Codes that parsing gives to mistakes, with the code that a check gives to the same mistake. */
const CODES_OF_CHECKS: Readonly<Record<string, string>> = {
  "missing-info": "missing-field",
  "missing-paths": "missing-field",
};
