/**
 * Tells the keywords in a definition from keys that the author chooses, such as the names of properties.
 *
 * @module
 */
import { isObject, type Node } from "../schema/json/node.ts";
import { DATA, SCANNED_MAPS } from "./text/scan.ts";

/**
 * The kind of an object's keys: keywords of the specification, names that the author chooses, or such names mixed with
 * extensions (`x-…`).
 */
export type DefinitionKeys = "keywords" | "names" | "names-or-extensions";

/**
 * The kind of the keys in the value of a field; `undefined` if the value is data of the API, such as an example, in
 * which no key is a keyword.
 */
export function keysUnder(
  key: string,
  value: unknown,
  parent: { keys: DefinitionKeys; key: string },
): DefinitionKeys | undefined {
  if (parent.keys !== "keywords") return "keywords";
  // `examples` contains data in a schema (a list) and in a Response Object of Swagger 2.0 (values by media type).
  // Elsewhere it is a map of Example Objects.
  if (DATA.has(key) || (key === "examples" && !isMapOfExamples(value))) return undefined;
  if (key === "paths") return "names-or-extensions";
  // Under `components`, and at the root of Swagger 2.0, the keys of `responses` are names; in an operation they are
  // status codes and extensions.
  if (key === "responses" && parent.key !== "components" && parent.key !== "") return "names-or-extensions";
  return SCANNED_MAPS.has(key) || key === "security" ? "names" : "keywords";
}

const EXAMPLE_FIELDS = ["value", "externalValue", "dataValue", "serializedValue", "$ref"];

function isMapOfExamples(value: unknown): boolean {
  return isObject(value) &&
    Object.entries(value).every(([name, one]) =>
      isObject(one) && (EXAMPLE_FIELDS.some((field) => Object.hasOwn(one, field)) || !name.includes("/"))
    );
}

/** The kind of the keys in the items of a list: in `security` they are names of security schemes. */
export function keysOfItems(key: string): DefinitionKeys {
  return key === "security" ? "names" : "keywords";
}

/**
 * The `key` to pass to {@linkcode keysUnder} as part of `parent`. For a key that the author chooses it is `*`, so that
 * the key isn't taken for a keyword.
 */
export function parentKey(key: string, keys: DefinitionKeys): string {
  return keys === "keywords" ? key : "*";
}

/**
 * Whether a key is an extension (`x-…`), given the kind of its object's keys: a property of a schema may be called
 * `x-a` too.
 */
export function isExtension(key: string, keys: DefinitionKeys): boolean {
  return keys !== "names" && key.startsWith("x-");
}

/**
 * The field of a converted parameter, or of the Encoding Object of a form's property, whose values are separated by tabs (`collectionFormat: tsv` of Swagger 2.0), for
 * which OpenAPI has no style.
 */
export const TAB_DELIMITED = "x-tab-delimited";

/** Whether the values of a parameter or of a form's property are separated by tabs. */
export function isTabDelimited({ value }: Node<"Parameter" | "Encoding">): boolean {
  return isObject(value) && value[TAB_DELIMITED] === true;
}
