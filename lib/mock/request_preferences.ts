import { listParameters } from "../openapi/parameter.ts";
import type { OperationHandler } from "./operation_handler.ts";
import { readPreferences, type RequestPreferences } from "./preferences.ts";

/** Limit of `array-size` for pages of other sites, since arrays of 10,000 items take up to a second to generate. */
const MOST_FOREIGN_ITEMS = 100;

/**
 * The preferences of a request for an operation. Query parameters and headers that the operation declares get no
 * remark.
 *
 * @param query The query without `?`.
 * @param isForeign Whether a page of another site sent a request. Called only for large values of `array-size`.
 */
export function preferencesOf(
  { operation }: Pick<OperationHandler, "operation">,
  request: Request,
  query: string,
  isForeign: (request: Request) => boolean,
): RequestPreferences {
  const read = readPreferences(
    request.headers.get("prefer"),
    query,
    (location, name) =>
      listParameters(operation).some((parameter) =>
        parameter.in === location && (parameter.name === name || parameter.name.toLowerCase() === name)
      ),
  );
  const { arraySize = 0 } = read.preferences;
  if (arraySize <= MOST_FOREIGN_ITEMS || !isForeign(request)) return read;
  const remark = `The preference array-size=${arraySize} comes from a page of another site, which gets at most ` +
    `${MOST_FOREIGN_ITEMS} items. --cors-origin permits its origin, --allow-host its host.`;
  return {
    preferences: { ...read.preferences, arraySize: MOST_FOREIGN_ITEMS },
    remarks: [...read.remarks, remark],
  };
}
