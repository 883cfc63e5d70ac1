/**
 * The uses of components: which parts of a definition refer to which components. The public definition leaves out the
 * components that only disabled operations use.
 *
 * @module
 */
import type { Document } from "./document.ts";
import { isExtension, type Keys, keysOfItems, keysUnder, parentKey } from "./definition_keys.ts";
import type { Operation } from "./operation.ts";
import { isObject, type JsonObject } from "../schema/node.ts";
import { formatPointer, parsePointer } from "../schema/pointer.ts";

/** What the public definition leaves out, and what it must keep, beside the operations themselves. */
export interface Uses {
  /**
   * JSON Pointers of the components that only disabled operations use. A component that nothing uses isn't among them.
   */
  readonly hidden: ReadonlySet<string>;
  /**
   * JSON Pointers of all other places that references lead to. Places within extensions (`x-…`) must be kept, although
   * extensions are left out.
   */
  readonly kept: readonly string[];
}

/**
 * Finds the components that only disabled operations use.
 *
 * @param root The definition as it was written.
 * @param open The definition without its disabled operations.
 */
export function findUses(
  root: JsonObject,
  open: JsonObject,
  disabled: readonly Operation[],
  document: Document,
): Uses {
  const components = componentsIn(root);
  const graph: UseGraph = { root, components, anchors: anchorsIn(components), known: new Map() };
  const byDisabled = reach(graph, disabledParts(root, disabled, document));
  const others = [...components].filter(([place]) => !byDisabled.has(place)).map(([, value]) => value);
  const { components: _, ...rest } = open;
  const sections = componentSections(open).filter((tokens) => tokens.length === 1).map(([key]) => key);
  const direct = Object.fromEntries(Object.entries(rest).filter(([key]) => !sections.includes(key)));
  const used = reach(graph, [direct, ...others]);
  return {
    hidden: new Set([...byDisabled].filter((place) => components.has(place) && !used.has(place))),
    kept: [...used].filter((place) => !components.has(place)),
  };
}

/** The references between the places (JSON Pointers) of a definition. */
interface UseGraph {
  readonly root: JsonObject;
  /** The components, by their JSON Pointers. */
  readonly components: ReadonlyMap<string, unknown>;
  readonly anchors: ReadonlyMap<string, string>;
  /** Cache of the places that a place refers to. */
  readonly known: Map<string, ReadonlySet<string>>;
}

/**
 * The JSON Pointers of the places that values refer to, directly or through other places. A place within a component
 * counts as that component.
 */
function reach({ root, components, anchors, known }: UseGraph, values: readonly unknown[]): Set<string> {
  const reached = new Set<string>();
  const pending = values.flatMap((value) => [...placesIn(value, anchors)]);
  for (let pointer = pending.pop(); pointer !== undefined; pointer = pending.pop()) {
    const component = componentOf(pointer);
    const place = component !== undefined && components.has(component) ? component : pointer;
    if (reached.has(place)) continue;
    reached.add(place);
    const places = known.get(place) ?? placesIn(valueAt(root, place), anchors);
    known.set(place, places);
    pending.push(...places);
  }
  return reached;
}

function componentsIn(root: JsonObject): Map<string, unknown> {
  const components = new Map<string, unknown>();
  for (const tokens of componentSections(root)) {
    const section = valueAt(root, formatPointer(tokens));
    for (const [name, value] of isObject(section) ? Object.entries(section) : []) {
      components.set(formatPointer([...tokens, name]), value);
    }
  }
  return components;
}

/**
 * The disabled operations, with the parts of their Path Item Objects that belong to them too: `$ref` and parameters.
 */
function disabledParts(root: JsonObject, disabled: readonly Operation[], document: Document): unknown[] {
  const paths = isObject(root["paths"]) ? root["paths"] : {};
  return disabled.flatMap(({ path, method, node, pathItems }) => {
    const item = isObject(paths[path]) ? paths[path] : {};
    // A Swagger 2.0 operation is read as it was written, since its conversion has other references.
    const [operation, items] = document.version === "2.0"
      ? [item[method.toLowerCase()], [item]]
      : [node.value, pathItems.map(({ value }) => value)];
    const parameters = items.map((item) => isObject(item) ? { parameters: item["parameters"] } : undefined);
    return [operation, { $ref: item["$ref"] }, ...parameters];
  });
}

/** JSON Pointers of the places that a value refers to. Extensions and data, such as examples, aren't searched. */
function placesIn(value: unknown, anchors: ReadonlyMap<string, string>): Set<string> {
  const places = new Set<string>();
  addPlaces({ places, anchors }, value, "keywords", "");
  return places;
}

interface FoundPlaces {
  readonly places: Set<string>;
  readonly anchors: ReadonlyMap<string, string>;
}

function addPlaces(found: FoundPlaces, value: unknown, keys: Keys, key: string): void {
  if (Array.isArray(value)) {
    for (const item of value) addPlaces(found, item, keysOfItems(key), key);
    return;
  }
  if (!isObject(value)) return;
  if (key === "security") {
    for (const name of Object.keys(value)) addScheme(found, name);
    return;
  }
  for (const [name, part] of Object.entries(value)) {
    if (isExtension(name, keys)) continue;
    if (keys === "keywords" && typeof part === "string") addReference(found, name, part);
    if (keys === "keywords" && name === "discriminator" && isObject(part)) addMapping(found, part);
    const inner = keysUnder(name, part, { keys, key });
    if (inner !== undefined) addPlaces(found, part, inner, parentKey(name, keys));
  }
}

function addScheme({ places }: FoundPlaces, name: string): void {
  places.add(formatPointer(["components", "securitySchemes", name]));
  places.add(formatPointer(["securityDefinitions", name]));
}

function addReference({ places, anchors }: FoundPlaces, keyword: string, reference: string): void {
  if (keyword !== "$ref" && keyword !== "$dynamicRef") return;
  const pointer = pointerOf(reference);
  if (pointer !== undefined) places.add(pointer);
  const named = anchors.get(reference) ?? anchors.get(reference.slice(reference.indexOf("#")));
  if (named !== undefined) places.add(named);
}

function addMapping({ places }: FoundPlaces, { mapping }: JsonObject): void {
  for (const target of isObject(mapping) ? Object.values(mapping) : []) {
    if (typeof target !== "string") continue;
    places.add(pointerOf(target) ?? formatPointer(["components", "schemas", target]));
  }
}

/** The JSON Pointer in a reference that starts with `#/`, percent-decoded; `undefined` for other references. */
export function pointerOf(reference: string): string | undefined {
  if (!reference.startsWith("#/")) return undefined;
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return reference.slice(1);
  }
}

/** The sections of components, such as `/components/schemas`, each as the keys that lead to it. */
function componentSections({ components, ...root }: JsonObject): string[][] {
  const sections = isObject(components)
    ? Object.keys(components).filter((key) => !key.startsWith("x-")).map((key) => ["components", key])
    : [];
  const older = ["definitions", "parameters", "responses", "securityDefinitions"].filter((key) =>
    Object.hasOwn(root, key)
  );
  return [...sections, ...older.map((key) => [key])];
}

/** The part of a pointer that leads to a component, if it leads into one; `undefined` for a shorter pointer. */
function componentOf(pointer: string): string | undefined {
  const tokens = parsePointer(pointer);
  const length = tokens[0] === "components" ? 3 : 2;
  return tokens.length < length ? undefined : formatPointer(tokens.slice(0, length));
}

/** JSON Pointers of components by the names in them: `#` and the `$anchor` or `$dynamicAnchor`, or the `$id`. */
function anchorsIn(components: ReadonlyMap<string, unknown>): Map<string, string> {
  const anchors = new Map<string, string>();
  for (const [place, value] of components) addAnchors(anchors, value, place);
  return anchors;
}

function addAnchors(anchors: Map<string, string>, value: unknown, place: string): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (typeof part !== "string") addAnchors(anchors, part, place);
    else if (key === "$anchor" || key === "$dynamicAnchor") anchors.set(`#${part}`, place);
    else if (key === "$id") anchors.set(part, place);
  }
}

/** The value at a place of a definition; `undefined` where there is none. */
export function valueAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const token of parsePointer(pointer)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, token)) return undefined;
    value = Reflect.get(value, token);
  }
  return value;
}
