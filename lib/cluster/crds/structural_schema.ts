import type { SettingSchema } from "../../openapi/extension/setting_schema.ts";
import { propertiesOf } from "../../openapi/extension/describe_setting.ts";

/**
 * A schema of a custom resource.
 *
 * @see {@link https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema}
 */
export interface StructuralSchema {
  /** Absent if both a text and a number are allowed. */
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
  "x-kubernetes-validations"?: readonly Rule[];
}

/** A validation rule in the Common Expression Language, and its message. */
export interface Rule {
  rule: string;
  message: string;
  /** The invalid field: `.settings`. */
  fieldPath?: string;
  reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
}

/**
 * The maximum number of items of a list. Without a limit, the API server would refuse CEL rules on lists because of
 * their cost.
 */
const MOST_ITEMS = 64;

/**
 * Makes the structural schema of a setting of `x-svc`. Leaves out `format` and `additionalProperties`, which the
 * controller checks. `oneOf` and `anyOf` become validation rules.
 */
export function structuralSchema(setting: SettingSchema): StructuralSchema {
  const { type, properties, items, oneOf, anyOf, format: _format, additionalProperties: _closed, ...keywords } =
    setting;
  const rules = [
    ...(oneOf === undefined ? [] : [exactlyOneOf(propertiesOf(oneOf))]),
    ...(anyOf === undefined ? [] : [someOf(propertiesOf(anyOf))]),
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

/** The rule that exactly one of some fields is present. */
export function exactlyOneOf(fields: readonly string[]): Rule {
  return {
    rule: `[${fields.map((field) => `has(self.${field})`).join(", ")}].filter(given, given).size() == 1`,
    message: `exactly one of ${fields.join(" and ")} is needed`,
  };
}

/** The rule that at least one of some fields is present. */
function someOf(fields: readonly string[]): Rule {
  return {
    rule: fields.map((field) => `has(self.${field})`).join(" || "),
    message: `one of ${fields.join(", ")} is needed`,
  };
}
