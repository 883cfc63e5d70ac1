import { COMBINATORS, type Version } from "../../../schema/dialect.ts";
import { child, entries, isObject, type Node } from "../../../schema/json/node.ts";
import type { UnlocatedDiagnostic } from "../../diagnostic.ts";
import { quote } from "../../../schema/wording.ts";
import { isKeyword, misspeltKeyword } from "../keywords.ts";
import { atKey, warning } from "../report.ts";
import { isType } from "../../../schema/schema.ts";

/**
 * Finds `nullable: true` without `type`, which has no effect.
 *
 * @see {@link https://spec.openapis.org/oas/v3.0.4.html#schema-nullable OpenAPI 3.0, nullable}
 */
export function checkNullable(version: Version, schema: Node<"Schema">): UnlocatedDiagnostic[] {
  const nullable = child(schema, "nullable");
  if (version !== "3.0" || nullable.value !== true || !isObject(schema.value)) return [];
  if (Object.hasOwn(schema.value, "type") || Object.hasOwn(schema.value, "$ref")) return [];
  const message = "`nullable` has no effect without a `type` in the same schema. Add the `type`.";
  return [atKey(warning("nullable-without-type", message, nullable))];
}

/** Finds array schemas without `items`, which Swagger 2.0 and OpenAPI 3.0 require. */
export function checkArray(version: Version, schema: Node<"Schema">): UnlocatedDiagnostic[] {
  const type = child(schema, "type");
  if ((version !== "2.0" && version !== "3.0") || type.value !== "array" || !isObject(schema.value)) return [];
  if (Object.hasOwn(schema.value, "items") || Object.hasOwn(schema.value, "$ref")) return [];
  const message = "An array needs `items`. Add them; `items: {}` allows items of any kind.";
  return [warning("array-without-items", message, type)];
}

/**
 * Keywords whose value is a boolean. A boolean with such a name inside `properties` is probably meant as the keyword.
 */
const SWITCHES = new Set([
  "additionalProperties",
  "deprecated",
  "nullable",
  "readOnly",
  "unevaluatedProperties",
  "uniqueItems",
  "writeOnly",
]);

/**
 * Finds names of properties beside the keyword `properties`, and keywords inside it. Before OpenAPI 3.1 both are
 * errors, which `checkStructure` reports. Since 3.1 a schema may have any keyword and may be a boolean, so this check
 * guesses from the values.
 */
export function checkMisplaced(version: Version, schema: Node<"Schema">): UnlocatedDiagnostic[] {
  if (version === "2.0" || version === "3.0" || !isObject(schema.value)) return [];
  const properties = child(schema, "properties");
  const hasProperties = isObject(properties.value) || child(schema, "type").value === "object";
  const outside = hasProperties
    ? entries(schema).filter(([name, { value }]) =>
      !isKeyword(name) && !name.startsWith("x-") && !name.startsWith("$") && looksLikeSchema(value) &&
      misspeltKeyword(name) === undefined
    )
    : [];
  const inside = entries(properties).filter(([name, { value }]) => typeof value === "boolean" && SWITCHES.has(name));
  return [
    ...outside.map(([name, at]) => {
      const message = `${quote(name)} is no keyword and looks like a property. Move it into \`properties\`.`;
      return atKey(warning("misplaced-property", message, at));
    }),
    ...inside.map(([name, at]) => {
      const message = `${
        quote(name)
      } in \`properties\` is a property of that name. Move it out if the keyword is meant.`;
      return atKey(warning("misplaced-property", message, at));
    }),
  ];
}

/**
 * Whether a value looks like a Schema Object: whether it has a valid `type`, a `$ref`, `properties`, an `enum`, or a
 * list of schemas such as `allOf`.
 */
function looksLikeSchema(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { type, $ref, properties, enum: values } = value;
  const types = Array.isArray(type) ? type : [type];
  return (types.length > 0 && types.every(isType)) || typeof $ref === "string" ||
    isObject(properties) || Array.isArray(values) || COMBINATORS.some((keyword) => Array.isArray(value[keyword]));
}
