import type { SettingSchema } from "../../openapi/extension/setting_schema.ts";
import { propertiesOf } from "../../openapi/extension/describe_setting.ts";

/**
 * A structural schema: the subset of OpenAPI schemas that a CustomResourceDefinition may have.
 *
 * @see {@link https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema}
 */
export interface StructuralSchema {
  /** The type; absent if the value may be a text or a number (`x-kubernetes-int-or-string`). */
  type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  description?: string;
  format?: "byte" | "date-time" | "int64";
  properties?: Record<string, StructuralSchema>;
  additionalProperties?: StructuralSchema;
  required?: readonly string[];
  items?: StructuralSchema;
  default?: unknown;
  enum?: readonly (string | number)[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  "x-kubernetes-int-or-string"?: true;
  "x-kubernetes-map-type"?: "atomic" | "granular";
  "x-kubernetes-list-type"?: "atomic" | "map" | "set";
  "x-kubernetes-list-map-keys"?: readonly string[];
  "x-kubernetes-validations"?: readonly SchemaRule[];
}

/** A validation rule in CEL (Common Expression Language), with the message for objects that break it. */
export interface SchemaRule {
  rule: string;
  message: string;
  /** The field that is invalid if the rule is broken, such as `.settings`. */
  fieldPath?: string;
  reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
}

/**
 * The maximum number of items of any list. The API server refuses CEL rules on lists without such a limit, because
 * their cost has no bound.
 */
const MOST_ITEMS = 64;

/**
 * Converts the schema of a setting of `x-svc` to a structural schema. `oneOf` and `anyOf` become rules in CEL. `format`,
 * `additionalProperties` and `deployable` are left out, and the controller checks them: objects that are stored
 * already may break them.
 */
export function structuralSchema(setting: SettingSchema): StructuralSchema {
  const { type, properties, items, oneOf, anyOf, ...others } = setting;
  const { format: _format, additionalProperties: _closed, deployable: _bounds, ...keywords } = others;
  const rules = [
    ...(oneOf === undefined ? [] : [exactlyOneOf(propertiesOf(oneOf))]),
    ...(anyOf === undefined ? [] : [atLeastOneOf(propertiesOf(anyOf))]),
  ];
  return {
    ...(typeof type === "string" ? { type } : { "x-kubernetes-int-or-string": true }),
    ...keywords,
    ...(properties === undefined ? {} : {
      properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, structuralSchema(part)])),
    }),
    ...(items === undefined ? {} : {
      items: structuralSchema(items),
      maxItems: MOST_ITEMS,
      "x-kubernetes-list-type": "atomic",
    }),
    ...(rules.length === 0 ? {} : { "x-kubernetes-validations": rules }),
  };
}

/** Makes the rule that exactly one of some fields is present. */
export function exactlyOneOf(fields: readonly string[]): SchemaRule {
  return {
    rule: `[${fields.map((field) => `has(self.${field})`).join(", ")}].filter(given, given).size() == 1`,
    message: `exactly one of ${fields.join(" and ")} is needed`,
  };
}

function atLeastOneOf(fields: readonly string[]): SchemaRule {
  return {
    rule: fields.map((field) => `has(self.${field})`).join(" || "),
    message: `one of ${fields.join(", ")} is needed`,
  };
}
