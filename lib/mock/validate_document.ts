import { type Diagnostic, toDiagnostics } from "../openapi/diagnostic.ts";
import type { Document } from "../openapi/document.ts";
import { checkDocument, checkTogether } from "../openapi/validate.ts";
import { checkBodies } from "./check_bodies.ts";
import { checkMocking } from "./check_mocking.ts";
import { matchFindings } from "./match.ts";

/**
 * Finds everything that is wrong with a definition: its text, its references, the form of its objects, its paths and
 * operations, the keys and values of `x-svc`, what can't be mocked, examples that their schema
 * refuses, and schemas that nothing satisfies.
 *
 * @param documents The definition, or several that are to be served together.
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
export async function validateDocument(documents: Document | readonly Document[]): Promise<Diagnostic[]> {
  const all = "sources" in documents ? [documents] : documents;
  const checked = await Promise.all(all.map((document) => checkDocument(document)));
  const bodies = await Promise.all(checked.map(({ document, operations }) => checkBodies(document, operations)));
  const findings = [
    ...checked.flatMap(({ findings }) => findings),
    ...checkTogether(checked),
    ...checked.flatMap(({ operations }) => checkMocking(operations)),
    ...checked.flatMap(({ operations }) => operations.flatMap(({ operation }) => matchFindings(operation))),
    ...bodies.flat(),
  ];
  const diagnostics = toDiagnostics([...new Set(findings)]);
  // Of a Swagger 2.0 definition there are findings in the text as written and in its conversion.
  const byText = Map.groupBy(diagnostics, ({ uri }) => uri);
  const uris = new Set(all.flatMap(({ sources }) => [...sources.keys()]));
  return [...uris].flatMap((uri) => {
    const firsts = new Map(byText.get(uri)?.map((diagnostic) => [JSON.stringify(diagnostic), diagnostic]));
    return [...firsts.values()].sort((a, b) => a.line - b.line || a.column - b.column);
  });
}
