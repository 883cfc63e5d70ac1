import type { JsonObject } from "../../../schema/json/node.ts";
import type { Binding } from "../../infer/resource.ts";
import { planList } from "../list/list_plan.ts";
import { setOwn } from "../../../schema/json/own_property.ts";

/**
 * Initial values of a new item: the defaults of the list filters. GitHub lists open issues by default (`state=open`),
 * so a new issue is open.
 */
export function initialValuesOf({ resource, kind }: Pick<Binding, "resource" | "kind">): JsonObject {
  const values: JsonObject = {};
  if (kind !== "create" && kind !== "replace" && kind !== "update") return values;
  for (const list of resource.bindings) {
    if (list.kind !== "list") continue;
    for (const { input, property, comparison, defaultValue } of planList(list).filters) {
      const { path, isArray, values: listed } = property;
      const [name] = input.isInBody ? [] : path;
      const isScalar = typeof defaultValue === "string" || typeof defaultValue === "boolean" ||
        typeof defaultValue === "number";
      if (comparison !== "eq" || name === undefined || path.length > 1 || isArray || !isScalar) continue;
      if (listed?.includes(defaultValue) !== false) setOwn(values, name, defaultValue);
    }
  }
  return values;
}
