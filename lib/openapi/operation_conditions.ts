import type { Operation } from "./operation.ts";
import { listParameters, type ParameterHolder } from "./parameter.ts";
import { type LocationOf, type PathConditions, readPathConditions } from "./path_condition.ts";

/**
 * Reads the conditions in the path key of an operation, or of a path.
 *
 * @returns `undefined` for a key without query and fragment.
 */
export function conditionsOf(operation: ParameterHolder & Pick<Operation, "path">): PathConditions | undefined {
  return readPathConditions(operation.path, locationOf(operation));
}

/** Tells where an operation declares its parameters. They are listed at the first question. */
function locationOf(operation: ParameterHolder): LocationOf {
  let locations: Map<string, "query" | "header"> | undefined;
  return (name) => {
    locations ??= new Map(
      listParameters(operation).flatMap(({ name, in: location }): [string, "query" | "header"][] => {
        if (location === "header") return [[name.toLowerCase(), location]];
        return location === "query" ? [[name, location]] : [];
      }),
    );
    return locations.get(name) ?? locations.get(name.toLowerCase());
  };
}
