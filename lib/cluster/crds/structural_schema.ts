import type { ObjectShape, Shape } from "../../openapi/extension/shape.ts";

/**
 * A schema of a custom resource.
 *
 * @see {@link https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema}
 */
export interface StructuralSchema {
  type: "object" | "array" | "string" | "integer" | "number" | "boolean";
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
  "x-kubernetes-map-type"?: "atomic" | "granular";
  "x-kubernetes-list-type"?: "atomic" | "map" | "set";
  "x-kubernetes-list-map-keys"?: readonly string[];
  "x-kubernetes-validations"?: readonly Rule[];
}

/** A rule in the Common Expression Language, and what is said where it doesn't hold. */
export interface Rule {
  rule: string;
  message: string;
  /** Which field is at fault: `.settings`. */
  fieldPath?: string;
  reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
}

/** Most items of a list; the API server refuses rules whose cost has no bound. */
const MOST_ITEMS = 64;

/**
 * Makes the schema of values that have a shape: what a function of the shape's syntax refuses beyond its pattern is left
 * to whoever reads the value.
 *
 * @param path Where the value stands: `upstream`, `upstreams[].service`.
 * @param documentation What is said of each field, by where it stands.
 * @throws {RangeError} When nothing is said of a field.
 */
export function structuralSchema(
  shape: Shape,
  path: string,
  documentation: Readonly<Record<string, string>>,
): StructuralSchema {
  const description = Object.hasOwn(documentation, path) ? documentation[path] : undefined;
  if (description === undefined) throw new RangeError(`Nothing is said of \`${path}\`.`);
  return { ...schemaOf(shape, path, documentation), description };
}

function schemaOf(shape: Shape, path: string, documentation: Readonly<Record<string, string>>): StructuralSchema {
  switch (shape.kind) {
    case "boolean":
      return { type: "boolean" };
    case "number": {
      const { whole, least, most, among } = shape;
      return {
        type: whole === true || among?.every(Number.isInteger) === true ? "integer" : "number",
        ...(least === undefined ? {} : { minimum: least }),
        ...(most === undefined ? {} : { maximum: most }),
        ...(among === undefined ? {} : { enum: among }),
      };
    }
    case "text": {
      const pattern = shape.syntax?.pattern;
      return {
        type: "string",
        ...(shape.among === undefined ? {} : { enum: shape.among }),
        ...(pattern === undefined ? {} : { pattern }),
      };
    }
    case "list":
      return {
        type: "array",
        // The items are described by the list.
        items: schemaOf(shape.items, `${path}[]`, documentation),
        ...(shape.filled === true ? { minItems: 1 } : {}),
        maxItems: MOST_ITEMS,
        "x-kubernetes-list-type": "atomic",
      };
    case "object": {
      const rules = rulesOf(shape);
      return {
        type: "object",
        properties: Object.fromEntries(
          Object.entries(shape.fields)
            .map(([field, inner]) => [field, structuralSchema(inner, `${path}.${field}`, documentation)]),
        ),
        ...(shape.required === undefined ? {} : { required: shape.required }),
        ...(rules.length === 0 ? {} : { "x-kubernetes-validations": rules }),
      };
    }
  }
}

function rulesOf({ exactlyOne, someOf }: ObjectShape): Rule[] {
  return [
    ...(exactlyOne === undefined ? [] : [exactlyOneOf(exactlyOne)]),
    ...(someOf === undefined ? [] : [{
      rule: someOf.map((field) => `has(self.${field})`).join(" || "),
      message: `one of ${someOf.join(", ")} is needed`,
    }]),
  ];
}

/** Of these fields there must be exactly one. */
export function exactlyOneOf(fields: readonly string[]): Rule {
  return {
    rule: `[${fields.map((field) => `has(self.${field})`).join(", ")}].filter(given, given).size() == 1`,
    message: `exactly one of ${fields.join(" and ")} is needed`,
  };
}
