import type { Document } from "../../openapi/document.ts";
import { createExtensionReader } from "../../openapi/extension/extension.ts";
import { checkOperationCount, checkPathSpelling, checkSlashes } from "../../openapi/lint/path_spelling.ts";
import { listOperations } from "../../openapi/operation.ts";
import type { UnlocatedDiagnostic } from "../../openapi/diagnostic.ts";

/**
 * Lists the problems that prevent definitions from being mocked together: syntax errors, invalid `x-svc`, operations
 * that occur in two definitions. If the mock server acts as a gateway, also the settings that a deployment refuses.
 *
 * @returns The diagnostics, each once. After an `error`, the definitions can't be mocked together.
 */
export async function checkMockable(
  documents: readonly Document[],
  options: { asGateway: boolean },
): Promise<UnlocatedDiagnostic[]> {
  const spelling: UnlocatedDiagnostic[] = [];
  const operations = documents.flatMap((document) => {
    const readExtension = createExtensionReader(document, "warning");
    const operations = listOperations(document);
    spelling.push(
      ...checkSlashes(document),
      ...checkPathSpelling(document),
      ...checkOperationCount(document, operations),
    );
    return operations.map((operation) => ({ operation, extension: readExtension(operation) }));
  });
  const diagnostics = [
    ...documents.flatMap((document) => document.unlocatedDiagnostics),
    ...spelling,
    ...operations.flatMap(({ extension }) => extension.diagnostics),
  ];
  if (documents.length > 1) {
    const { checkSharedPaths } = await import("./check_shared_paths.ts");
    diagnostics.push(...checkSharedPaths(operations));
  }
  if (options.asGateway) {
    const { checkMocking } = await import("./check_mocking.ts");
    diagnostics.push(...checkMocking(operations));
  }
  return [...new Set(diagnostics)];
}
