import { child, isObject, items, stringOf } from "../../../schema/node.ts";
import type { UnlocatedDiagnostic } from "../../diagnostic.ts";
import { quote } from "../../../schema/wording.ts";
import { createSuggestion } from "./suggestion.ts";
import type { DeclaredProperties } from "../declared_properties.ts";
import type { PlacedObject } from "../objects.ts";
import { warning } from "../report.ts";

/** Finds names in `required` that no property has: the schema refuses every object that its properties describe. */
export function checkRequired(objects: readonly PlacedObject[], declared: DeclaredProperties): UnlocatedDiagnostic[] {
  const suggestion = createSuggestion();
  return objects.filter(({ kind }) => kind === "Schema").flatMap(({ node }) => {
    const properties = child(node, "properties").value;
    const own = isObject(properties) ? properties : {};
    const isArray = child(node, "type").value === "array";
    return items(child(node, "required")).flatMap((at) => {
      const name = stringOf(at);
      if (name === undefined || Object.hasOwn(own, name) || declared.isAround(node, name)) return [];
      const nearest = suggestion(name, own);
      const advice = isArray
        ? "If it is for the array's items, move `required` into `items`."
        : nearest === undefined
        ? "Declare it in `properties`."
        : `Did you mean ${quote(nearest)}?`;
      return [warning("undeclared-required", `\`required\` names ${quote(name)}, which is no property. ${advice}`, at)];
    });
  });
}
