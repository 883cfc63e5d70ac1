import { type Diagnostic, toDiagnostics } from "../openapi/diagnostic.ts";
import type { Document } from "../openapi/document.ts";
import type { Validators } from "../openapi/check/structure.ts";
import { checkDocument } from "../openapi/validate.ts";
import { checkBodies } from "./check_bodies.ts";
import { checkMocking } from "./check_mocking.ts";
import { matchFindings } from "./match.ts";

/**
 * Finds everything that is wrong with a definition: its text, its references, the form of its objects, its paths and
 * operations, the keys and values of `x-svc`, what can't be mocked, examples that their schema
 * refuses, and schemas that nothing satisfies.
 *
 * @param documents The definition, or several: each is checked on its own.
 * @returns The problems, in the order of the text, text by text. An `error` is refused by a deployment.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { parseDocument } from "../openapi/document.ts";
 *
 * const document = await parseDocument(`
 * openapi: 3.1.0
 * info: {title: Pets, version: 1.0.0}
 * paths:
 *   /pets:
 *     get:
 *       operationID: listPets
 * `);
 * const [problem] = await validateDocument(document);
 * assert.equal(problem?.message, "The Operation Object has no field `operationID`. Did you mean `operationId`?");
 * assert.equal(problem?.line, 7);
 * ```
 */
export function validateDocument(documents: Document | readonly Document[]): Promise<Diagnostic[]> {
  return createDocumentValidation()(documents);
}

/** Makes a {@linkcode validateDocument} that is faster from the second definition on: it keeps compiled validators. */
export function createDocumentValidation(): typeof validateDocument {
  const validators: Validators = new Map();
  return (documents) => validateAll("sources" in documents ? [documents] : documents, validators);
}

async function validateAll(documents: readonly Document[], validators: Validators): Promise<Diagnostic[]> {
  const diagnostics: Diagnostic[] = [];
  for (const document of documents) diagnostics.push(...await validateOne(document, validators));
  // Definitions may share texts, and a Swagger 2.0 definition has findings in its text and in its conversion.
  const byText = Map.groupBy(diagnostics, ({ uri }) => uri);
  const uris = new Set(documents.flatMap(({ sources }) => [...sources.keys()]));
  return [...uris].flatMap((uri) => {
    const firsts = new Map(byText.get(uri)?.map((diagnostic) => [JSON.stringify(diagnostic), diagnostic]));
    return [...firsts.values()].sort((a, b) => a.line - b.line || a.column - b.column);
  });
}

async function validateOne(document: Document, validators: Validators): Promise<Diagnostic[]> {
  const { operations, findings } = await checkDocument(document, { validators });
  // The values of a text with syntax errors are guesses: other problems of theirs would only follow from these.
  if (document.findings.some(({ code }) => code === "syntax")) return toDiagnostics(findings);
  return toDiagnostics([
    ...new Set([
      ...findings,
      ...checkMocking(operations),
      ...operations.flatMap(({ operation }) => matchFindings(operation)),
      ...await checkBodies(document, operations),
    ]),
  ]);
}
