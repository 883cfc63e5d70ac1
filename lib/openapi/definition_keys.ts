/**
 * The keys of a definition's objects: keywords of the specification, or names that the author chooses.
 *
 * @module
 */
import { isObject } from "../schema/node.ts";
import { DATA, MAPS } from "./scan.ts";

/** Fields whose value has names chosen by the author as keys, in any version. */
const NAMES: ReadonlySet<string> = new Set([
  ...MAPS,
  "additionalOperations",
  "dependentRequired",
  "encoding",
  "mapping",
  "mediaTypes",
  "scopes",
  "securityDefinitions",
  "securitySchemes",
  "variables",
  "webhooks",
]);

/** The kind of an object's keys: keywords, names that the author chooses, or such names and extensions (`x-…`). */
export type Keys = "keywords" | "names" | "names-or-extensions";

/**
 * The kind of the keys in the value under a key; `undefined` where the value is data of the API, such as an example, in
 * which nothing is a keyword.
 */
export function keysUnder(key: string, value: unknown, parent: { keys: Keys; key: string }): Keys | undefined {
  if (parent.keys !== "keywords") return "keywords";
  // `examples` are data in a schema (a list) and in a response of Swagger 2.0 (values by media type).
  if (DATA.has(key) || (key === "examples" && !isMapOfExamples(value))) return undefined;
  if (key === "paths") return "names-or-extensions";
  // The keys of `responses` are names under `components` and at the root (Swagger 2.0), and status codes elsewhere.
  if (key === "responses" && parent.key !== "components" && parent.key !== "") return "names-or-extensions";
  return NAMES.has(key) || key === "security" ? "names" : "keywords";
}

const EXAMPLE_FIELDS = ["value", "externalValue", "dataValue", "serializedValue", "$ref"];

function isMapOfExamples(value: unknown): boolean {
  return isObject(value) &&
    Object.entries(value).every(([name, one]) =>
      isObject(one) && (EXAMPLE_FIELDS.some((field) => Object.hasOwn(one, field)) || !name.includes("/"))
    );
}

/** The kind of the keys of a list's items: those of `security` are names of schemes. */
export function keysOfItems(key: string): Keys {
  return key === "security" ? "names" : "keywords";
}

/**
 * The `key` of the parent for {@linkcode keysUnder}: the key itself, or `*` for a name chosen by the author, which must
 * not be read as a keyword.
 */
export function parentKey(key: string, keys: Keys): string {
  return keys === "keywords" ? key : "*";
}

/** Whether a key is an extension at its place. */
export function isExtension(key: string, keys: Keys): boolean {
  return keys !== "names" && key.startsWith("x-");
}
