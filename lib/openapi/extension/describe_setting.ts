import { list } from "../../schema/wording.ts";
import { EXTENSION_FORMATS } from "./formats.ts";
import type { RequiredProperties, SettingSchema } from "./setting_schema.ts";

/** Describes the values that a schema allows, for the end of a sentence: "a whole number from 1 to 65535". */
export function describeSetting(schema: SettingSchema): string {
  const { type } = schema;
  if (typeof type !== "string") return describeString(schema);
  switch (type) {
    case "object":
      return "an object with fields";
    case "array":
      return "a list";
    case "boolean":
      return "true or false";
    case "integer":
    case "number":
      return describeNumber(schema);
    case "string":
      return describeString(schema);
  }
}

function describeNumber({ type, minimum, maximum, deployable, enum: values }: SettingSchema): string {
  if (values !== undefined) return `one of ${values.join(", ")}`;
  const kind = type === "integer" ? "a whole number" : "a number";
  if (deployable?.maximum !== undefined) {
    const { minimum: least = minimum, maximum: most } = deployable;
    return `${minimum === 0 && least !== 0 ? "0, or " : ""}${kind} from ${least} to ${most}`;
  }
  if (minimum !== undefined && maximum !== undefined) return `${kind} from ${minimum} to ${maximum}`;
  return minimum === undefined ? kind : `${kind}, ${minimum} or more`;
}

function describeString({ format, minLength = 0, deployable, enum: values }: SettingSchema): string {
  if (values !== undefined) return `one of ${list(values.map(String))}`;
  if (format !== undefined && format !== "double") return EXTENSION_FORMATS[format].description;
  if (deployable?.maxLength !== undefined) return `a string of 1 to ${deployable.maxLength} characters`;
  return minLength > 0 ? "a string that isn't empty" : "a string";
}

/** The names of the properties that the alternatives of a `oneOf` or `anyOf` require; each alternative requires one. */
export function propertiesOf(alternatives: readonly RequiredProperties[] = []): string[] {
  return alternatives.flatMap(({ required }) => required);
}
