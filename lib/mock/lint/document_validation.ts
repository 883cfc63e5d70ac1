import { type Diagnostic, locateDiagnostics } from "../../openapi/diagnostic.ts";
import type { Document } from "../../openapi/document.ts";
import type { Validators } from "../../openapi/lint/structure.ts";
import type { Severities } from "../../openapi/rules.ts";
import { withSeverities } from "../../openapi/diagnostic.ts";
import { checkDocument } from "../../openapi/lint/lint.ts";
import { checkAnswers } from "./check_answers.ts";
import { checkGatewayUse } from "./check_gateway_use.ts";
import { checkMocking } from "./check_mocking.ts";
import { checkSatisfiable } from "./check_satisfiable.ts";
import { checkMatches } from "../condition/example_matcher.ts";
import { writeJson } from "../../schema/json/json.ts";

/** How definitions are validated. */
export interface ValidationOptions {
  /** Severities of rules, by their codes; `off` disables a rule. Default: the severities in docs/validate.md. */
  severities?: Severities;
}

/**
 * Makes a function like `validateDocument` that caches the validators of OpenAPI's objects, so that all definitions
 * after the first are validated faster.
 */
export function createDocumentValidation(): (
  documents: Document | readonly Document[],
  options?: ValidationOptions,
) => Promise<Diagnostic[]> {
  const validators: Validators = new Map();
  return (documents, options = {}) =>
    validateAll("sources" in documents ? [documents] : documents, { ...options, validators });
}

interface Validation extends ValidationOptions {
  validators: Validators;
}

async function validateAll(documents: readonly Document[], validation: Validation): Promise<Diagnostic[]> {
  const diagnostics: Diagnostic[] = [];
  for (const document of documents) diagnostics.push(...await validateOne(document, validation));
  // Group diagnostics by text and report each once. Definitions may share texts, and diagnostics of Swagger 2.0 texts
  // may occur a second time for their conversion to OpenAPI 3.
  const byText = Map.groupBy(diagnostics, ({ uri }) => uri);
  const uris = new Set(
    documents.flatMap(({ sources, overlays }) => [...sources.keys(), ...overlays.map(({ uri }) => uri)]),
  );
  return [...uris].flatMap((uri) => {
    const firsts = new Map(byText.get(uri)?.map((diagnostic) => [writeJson(diagnostic), diagnostic]));
    return [...firsts.values()].sort((a, b) => a.line - b.line || a.column - b.column);
  });
}

async function validateOne(
  document: Document,
  { validators, severities = {} }: Validation,
): Promise<Diagnostic[]> {
  const { operations, diagnostics } = await checkDocument(document, { validators, severities, withWarnings: true });
  // After a syntax error, the values of a text are guesses. Skip the checks of values: they might report consequences
  // of the syntax error.
  const isBroken = document.unlocatedDiagnostics.some(({ code }) => code === "syntax");
  const others = isBroken ? [] : [
    ...checkMocking(operations),
    ...checkGatewayUse(document, operations),
    ...operations.flatMap(({ operation }) => checkMatches(operation)),
    ...checkAnswers(operations),
    ...await checkSatisfiable(document, operations),
  ];
  return locateDiagnostics(withSeverities([...new Set([...diagnostics, ...others])], severities));
}
