/**
 * References between the parts of a definition: which parts use which components.
 *
 * @module
 */
import { isObject, type JsonObject } from "../schema/node.ts";
import { formatPointer, parsePointer } from "../schema/pointer.ts";
import { DATA, MAPS } from "./scan.ts";

/** Fields whose keys are names of the author's, in any version. */
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

/** The kind of an object's keys: keywords, names, or names beside extensions. */
export type Keys = "keywords" | "names" | "names-or-extensions";

/** Tells what the keys of the value under a key are; `undefined` where it is data of the API. */
export function keysUnder(key: string, value: unknown, parent: { keys: Keys; key: string }): Keys | undefined {
  if (parent.keys !== "keywords") return "keywords";
  // Examples of a schema are a list of data, those of Swagger 2.0 data by media type.
  if (DATA.has(key) || (key === "examples" && !isMapOfExamples(value))) return undefined;
  if (key === "paths") return "names-or-extensions";
  // Under `components` and at the root of Swagger 2.0 responses have names, elsewhere status codes.
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

/** The name that the parts of a value are told of as that of their parent: names that authors chose mean nothing. */
export function parentKey(key: string, keys: Keys): string {
  return keys === "keywords" ? key : "*";
}

/** Whether a key is an extension where it stands. */
export function isExtension(key: string, keys: Keys): boolean {
  return keys !== "names" && key.startsWith("x-");
}

/** The places that a value refers to, as JSON Pointers; extensions and data are left out. */
export function placesIn(value: unknown, anchors: ReadonlyMap<string, string>): Set<string> {
  const places = new Set<string>();
  walk(value, "keywords", "");
  return places;

  function walk(value: unknown, keys: Keys, key: string): void {
    if (Array.isArray(value)) {
      for (const item of value) walk(item, keysOfItems(key), key);
      return;
    }
    if (!isObject(value)) return;
    if (key === "security") {
      for (const name of Object.keys(value)) addScheme(name);
      return;
    }
    for (const [name, part] of Object.entries(value)) {
      if (isExtension(name, keys)) continue;
      if (keys === "keywords" && typeof part === "string") addReference(name, part);
      if (keys === "keywords" && name === "discriminator" && isObject(part)) addMapping(part);
      const inner = keysUnder(name, part, { keys, key });
      if (inner !== undefined) walk(part, inner, parentKey(name, keys));
    }
  }

  function addScheme(name: string): void {
    places.add(formatPointer(["components", "securitySchemes", name]));
    places.add(formatPointer(["securityDefinitions", name]));
  }

  function addReference(keyword: string, reference: string): void {
    if (keyword !== "$ref" && keyword !== "$dynamicRef") return;
    const pointer = pointerOf(reference);
    if (pointer !== undefined) places.add(pointer);
    const named = anchors.get(reference) ?? anchors.get(reference.slice(reference.indexOf("#")));
    if (named !== undefined) places.add(named);
  }

  function addMapping({ mapping }: JsonObject): void {
    for (const target of isObject(mapping) ? Object.values(mapping) : []) {
      if (typeof target !== "string") continue;
      places.add(pointerOf(target) ?? formatPointer(["components", "schemas", target]));
    }
  }
}

/** The place that a reference within a text means. */
export function pointerOf(reference: string): string | undefined {
  if (!reference.startsWith("#/")) return undefined;
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return reference.slice(1);
  }
}

/** The sections of components, each as the tokens that lead to it. */
export function componentSections({ components, ...root }: JsonObject): string[][] {
  const sections = isObject(components)
    ? Object.keys(components).filter((key) => !key.startsWith("x-")).map((key) => ["components", key])
    : [];
  const older = ["definitions", "parameters", "responses", "securityDefinitions"].filter((key) =>
    Object.hasOwn(root, key)
  );
  return [...sections, ...older.map((key) => [key])];
}

/** The component that a place is, or is in. */
export function componentOf(pointer: string): string | undefined {
  const tokens = parsePointer(pointer);
  const length = tokens[0] === "components" ? 3 : 2;
  return tokens.length < length ? undefined : formatPointer(tokens.slice(0, length));
}

/** The names that schemas have by themselves, and the components that they are in. */
export function anchorsIn(components: ReadonlyMap<string, unknown>): Map<string, string> {
  const anchors = new Map<string, string>();
  for (const [place, value] of components) find(value, place);
  return anchors;

  function find(value: unknown, place: string): void {
    if (typeof value !== "object" || value === null) return;
    for (const [key, part] of Object.entries(value)) {
      if (typeof part !== "string") find(part, place);
      else if (key === "$anchor" || key === "$dynamicAnchor") anchors.set(`#${part}`, place);
      else if (key === "$id") anchors.set(part, place);
    }
  }
}
