import type { JsonObject } from "../../schema/node.ts";
import type { Binding } from "../infer/resource.ts";
import { planList } from "./list_plan.ts";
import { setOwn } from "./own_property.ts";

/**
 * The values of new items for fields that the client doesn't send but that lists filter by default. GitHub's lists show
 * open issues by default, so a new issue is open.
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
