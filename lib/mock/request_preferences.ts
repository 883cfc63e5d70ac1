import { listParameters } from "../openapi/parameter.ts";
import type { OperationHandler } from "./operation_handler.ts";
import { readPreferences, type RequestPreferences } from "./preferences.ts";

/**
 * The preferences of a request for an operation. Query parameters and headers that the operation declares get no
 * remark.
 *
 * @param prefer The header `Prefer`.
 * @param query The query without `?`.
 */
export function preferencesOf(
  { operation }: Pick<OperationHandler, "operation">,
  prefer: string | null,
  query: string,
): RequestPreferences {
  return readPreferences(
    prefer,
    query,
    (location, name) =>
      listParameters(operation).some((parameter) =>
        parameter.in === location && (parameter.name === name || parameter.name.toLowerCase() === name)
      ),
  );
}
