import type { Document } from "../../openapi/document.ts";
import { createExtensionReader } from "../../openapi/extension/extension.ts";
import { listOperations } from "../../openapi/operation.ts";
import type { Finding } from "../../openapi/source.ts";

/**
 * Finds what somebody who mocks definitions should know: what reading them showed, what `x-svc` says amiss, operations
 * that two of them have, and, as a gateway, what it would refuse.
 *
 * @returns The problems, each once. An `error` means that the definitions can't be mocked together as they are.
 */
export async function checkMockable(
  documents: readonly Document[],
  options: { asGateway: boolean },
): Promise<Finding[]> {
  const operations = documents.flatMap((document) => {
    const readExtension = createExtensionReader(document, "warning");
    return listOperations(document).map((operation) => ({ operation, extension: readExtension(operation) }));
  });
  const findings = [
    ...documents.flatMap((document) => document.findings),
    ...operations.flatMap(({ extension }) => extension.findings),
  ];
  if (documents.length > 1) {
    const { checkSharedPaths } = await import("./check_shared_paths.ts");
    findings.push(...checkSharedPaths(operations));
  }
  if (options.asGateway) {
    const { checkMocking } = await import("./check_mocking.ts");
    findings.push(...checkMocking(operations));
  }
  return [...new Set(findings)];
}
