import type { JsonObject } from "../../schema/node.ts";
import type { Binding } from "../infer/resource.ts";
import { planList } from "./list_plan.ts";
import { setOwn } from "./own_property.ts";

/**
 * The values that fields of new items have where the client doesn't send them: those that lists filter by where a
 * request doesn't say. Lists of GitHub's issues are of open ones by default, so a new issue is open.
 */
export function initialValuesOf({ resource, kind }: Pick<Binding, "resource" | "kind">): JsonObject {
  const values: JsonObject = {};
  if (kind !== "create" && kind !== "replace" && kind !== "update") return values;
  for (const list of resource.bindings) {
    if (list.kind !== "list") continue;
    for (const { property: { path, isArray, values: listed }, comparison, otherwise } of planList(list).filters) {
      const [name] = path;
      const isScalar = typeof otherwise === "string" || typeof otherwise === "boolean" || typeof otherwise === "number";
      if (comparison !== "eq" || name === undefined || path.length > 1 || isArray || !isScalar) continue;
      if (listed?.includes(otherwise) !== false) setOwn(values, name, otherwise);
    }
  }
  return values;
}
