import type { ConfiguredOperation } from "../../openapi/lint/operations.ts";
import { shapeOfPath } from "../../openapi/path_condition.ts";
import { atKey, error, warning } from "../../openapi/lint/report.ts";
import type { Document } from "../../openapi/document.ts";
import type { ExtensionSettings } from "../../openapi/extension/extension.ts";
import { nameOf } from "../../openapi/operation.ts";
import type { UnlocatedDiagnostic } from "../../openapi/diagnostic.ts";
import { basePathsOf } from "../route/server_urls.ts";

/** An operation with the same method and path as an operation of an earlier definition. */
interface Repeated {
  readonly first: ConfiguredOperation;
  readonly repeated: ConfiguredOperation;
  /** Base paths (paths of `servers` URLs) at which requests reach the later operation. */
  readonly basePaths: readonly string[];
}

/**
 * Finds operations that occur in several definitions. If the later definition has a base path (the path of a `servers`
 * URL) of its own, both operations can be reached; a warning says which definition answers requests without a base
 * path. Otherwise no request reaches the later operation, which is an error.
 */
export function checkSharedPaths(operations: readonly ConfiguredOperation[]): UnlocatedDiagnostic[] {
  const repeated = findRepeated(operations);
  const unreachable = repeated.filter(({ basePaths }) => basePaths.length === 0);
  const byDocuments = Map.groupBy(
    repeated.filter(({ basePaths }) => basePaths.length > 0),
    ({ first, repeated }) => `${first.operation.document.uri}\n${repeated.operation.document.uri}`,
  );
  return [...unreachable.map(unreachableOperation), ...[...byDocuments.values()].flatMap(sharedPathWarning)];
}

function findRepeated(operations: readonly ConfiguredOperation[]): Repeated[] {
  const byRequest = Map.groupBy(operations, ({ operation: { method, path }, extension: { settings } }) => {
    return `${method} ${shapeOfPath((settings.path?.prefix ?? "") + path)}`;
  });
  return [...byRequest.values()].flatMap((alike) => {
    const firsts = new Map<Document, ConfiguredOperation>();
    return alike.flatMap((one) => {
      const { document } = one.operation;
      const others = [...firsts].filter(([other]) => other !== document).map(([, first]) => first);
      if (!firsts.has(document)) firsts.set(document, one);
      const first = others.find((first) => shareHosts(first.extension.settings, one.extension.settings));
      if (first === undefined) return [];
      const taken = new Set(others.flatMap(({ operation }) => basePathsOf(operation)));
      return [{ first, repeated: one, basePaths: basePathsOf(one.operation).filter((path) => !taken.has(path)) }];
    });
  });
}

function unreachableOperation({ first, repeated: { operation } }: Repeated): UnlocatedDiagnostic {
  const message = `${operation.method} ${operation.path} is also in ${first.operation.document.uri}; remove it from ` +
    "one of the two, or give each definition a `servers` URL with a path of its own.";
  return atKey(error("duplicate-operation", message, operation.node));
}

/** Makes one warning for all operations that two definitions share. */
function sharedPathWarning(shared: readonly Repeated[]): UnlocatedDiagnostic[] {
  const [one] = shared;
  if (one === undefined) return [];
  const { first, repeated: { operation }, basePaths: [basePath = ""] } = one;
  const others = shared.length > 1 ? ` and ${shared.length - 1} more` : "";
  const message = `${first.operation.document.uri} answers ${operation.method} ${operation.path}${others} without a ` +
    `base path; ${nameOf(operation)} of this definition is asked as ${operation.method} ${basePath}${operation.path}.`;
  return [atKey(warning("shared-path", message, operation.node))];
}

/** Whether two definitions are deployed for a common host. */
function shareHosts(a: ExtensionSettings, b: ExtensionSettings): boolean {
  const [some = ["*"], others = ["*"]] = [a.hosts, b.hosts];
  return some.includes("*") || others.includes("*") || some.some((host) => others.includes(host));
}
