/**
 * Finds out which components of a definition only disabled operations (`x-svc.disabled`) refer to. The public version
 * of the definition leaves these out.
 *
 * @module
 */
import type { Document } from "./document.ts";
import { type DefinitionKeys, isExtension, keysOfItems, keysUnder, parentKey } from "./definition_keys.ts";
import type { Operation } from "./operation.ts";
import { isObject, type JsonObject } from "../schema/json/node.ts";
import { formatPointer, parsePointer, valueAt } from "../schema/json/pointer.ts";

/** The components that the public version of a definition leaves out, and the places that it has to keep. */
export interface Uses {
  /**
   * JSON Pointers of the components that only disabled operations use. A component that no operation uses isn't hidden.
   */
  readonly hidden: ReadonlySet<string>;
  /**
   * JSON Pointers of the other targets of references. They are kept even inside extensions (`x-…`), which are left out
   * otherwise.
   */
  readonly kept: readonly string[];
}

/**
 * Finds the components that only disabled operations use.
 *
 * @param root The definition as its author wrote it.
 * @param open The definition without disabled operations.
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

/** A graph of a definition's references. Its nodes are places (JSON Pointers). */
interface UseGraph {
  readonly root: JsonObject;
  readonly components: ReadonlyMap<string, unknown>;
  readonly anchors: ReadonlyMap<string, string>;
  /** A cache of the places that each place refers to directly. */
  readonly known: Map<string, ReadonlySet<string>>;
}

/**
 * The places (JSON Pointers) that values refer to, directly or indirectly. A place inside a component stands for the
 * whole component.
 */
function reach({ root, components, anchors, known }: UseGraph, values: readonly unknown[]): Set<string> {
  const reached = new Set<string>();
  const pending = values.flatMap((value) => [...placesIn(value, anchors)]);
  for (let pointer = pending.pop(); pointer !== undefined; pointer = pending.pop()) {
    const component = componentOf(pointer);
    const place = component !== undefined && components.has(component) ? component : pointer;
    if (reached.has(place)) continue;
    reached.add(place);
    const places = known.get(place) ?? placesIn(valueAt(root, parsePointer(place)), anchors);
    known.set(place, places);
    pending.push(...places);
  }
  return reached;
}

function componentsIn(root: JsonObject): Map<string, unknown> {
  const components = new Map<string, unknown>();
  for (const tokens of componentSections(root)) {
    const section = valueAt(root, tokens);
    for (const [name, value] of isObject(section) ? Object.entries(section) : []) {
      components.set(formatPointer([...tokens, name]), value);
    }
  }
  return components;
}

/** The values of disabled operations, and the `$ref` and parameters of their Path Item Objects. */
function disabledParts(root: JsonObject, disabled: readonly Operation[], document: Document): unknown[] {
  const paths = isObject(root["paths"]) ? root["paths"] : {};
  return disabled.flatMap(({ path, method, node, pathItems }) => {
    const item = isObject(paths[path]) ? paths[path] : {};
    // The operation of a Swagger 2.0 definition is taken from the original text: its conversion to OpenAPI 3.0 has
    // other references.
    const [operation, items] = document.version === "2.0"
      ? [item[method.toLowerCase()], [item]]
      : [node.value, pathItems.map(({ value }) => value)];
    const parameters = items.map((item) => isObject(item) ? { parameters: item["parameters"] } : undefined);
    return [operation, { $ref: item["$ref"] }, ...parameters];
  });
}

/**
 * The places (JSON Pointers) that a value refers to directly. A `$ref` inside an extension or inside data of the API,
 * such as an example, isn't a reference.
 */
function placesIn(value: unknown, anchors: ReadonlyMap<string, string>): Set<string> {
  const places = new Set<string>();
  addPlaces({ places, anchors }, value, "keywords", "");
  return places;
}

interface FoundPlaces {
  readonly places: Set<string>;
  readonly anchors: ReadonlyMap<string, string>;
}

function addPlaces(found: FoundPlaces, value: unknown, keys: DefinitionKeys, key: string): void {
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

/** The percent-decoded JSON Pointer of a reference that starts with `#/`; `undefined` for other references. */
export function pointerOf(reference: string): string | undefined {
  if (!reference.startsWith("#/")) return undefined;
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return reference.slice(1);
  }
}

/** The maps that hold components, such as `/components/schemas` or `/definitions`, each as a list of keys. */
function componentSections({ components, ...root }: JsonObject): string[][] {
  const sections = isObject(components)
    ? Object.keys(components).filter((key) => !key.startsWith("x-")).map((key) => ["components", key])
    : [];
  const older = ["definitions", "parameters", "responses", "securityDefinitions"].filter((key) =>
    Object.hasOwn(root, key)
  );
  return [...sections, ...older.map((key) => [key])];
}

/**
 * Shortens a JSON Pointer to the component that it leads into; `undefined` for a pointer that doesn't lead into one.
 */
function componentOf(pointer: string): string | undefined {
  const tokens = parsePointer(pointer);
  const length = tokens[0] === "components" ? 3 : 2;
  return tokens.length < length ? undefined : formatPointer(tokens.slice(0, length));
}

/**
 * JSON Pointers of components, by the identifiers that references use: `#` with the `$anchor` or `$dynamicAnchor`, or
 * `$id`.
 */
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
