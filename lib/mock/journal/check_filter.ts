import { nameOf, type Operation } from "../../openapi/operation.ts";
import { unknownOperation } from "../rules/unknown_operation.ts";
import type { RequestFilter } from "./filter.ts";
import type { Expectation } from "./verify.ts";

/**
 * Checks that the operations in a filter, and in the filters of its `inOrder`, exist. Otherwise a misspelt operation
 * would meet an expectation of 0 requests.
 *
 * @returns The mistake as a message; `undefined` if there is none.
 */
export function mistakeInFilter(
  filter: RequestFilter & Pick<Expectation, "inOrder">,
  operations: readonly Operation[],
): string | undefined {
  const written = [filter, ...filter.inOrder ?? []].flatMap(({ operation }) => operation ?? []);
  if (written.length === 0) return undefined;
  const names = new Set(
    operations.flatMap((operation) => [`${operation.method} ${operation.path}`, nameOf(operation)]),
  );
  const unknown = written.find((name) => !names.has(name));
  return unknown === undefined ? undefined : unknownOperation(unknown, operations);
}
