/**
 * Where an item or a list of items may stand in a body: bare, or in an envelope such as `data`, `results`,
 * `{ "pets": [...] }`, `_embedded.pets` (HAL).
 *
 * @module
 */
import type { Shape, ShapeReader } from "./shape.ts";

/** An object in a body that may be an item. */
export interface ItemPlace {
  /** The keys on the way. */
  readonly path: readonly string[];
  readonly shape: Shape;
}

/** An array of objects in a body. */
export interface ListPlace {
  readonly path: readonly string[];
  /** The keys on the way from an element to the object in it that may be an item. */
  readonly element: readonly string[];
  /** The shape of an element's item. */
  readonly shape: Shape;
}

/** Finds the places for items and lists in shapes; those of each shape are found once. */
export interface PlaceFinder {
  readonly itemsIn: (shape: Shape) => readonly ItemPlace[];
  readonly listsIn: (shape: Shape) => readonly ListPlace[];
}

/** Names of properties that hold something else than what is asked for. */
const BESIDE =
  /^(?:_?links?|_?meta(?:data)?|errors?|warnings?|messages?|included|pagination|paging|page|_?pageinfo|jsonapi|facets|aggregations|extensions)$/i;

/** The most properties of an object that are looked into. */
const MOST_LOOKED_INTO = 40;

/** Makes a finder of places. */
export function createPlaceFinder({ read }: ShapeReader): PlaceFinder {
  const knownItems = new Map<object, readonly ItemPlace[]>();
  const knownLists = new Map<object, readonly ListPlace[]>();
  return {
    itemsIn: (shape) => remember(knownItems, shape, findItems),
    listsIn: (shape) => remember(knownLists, shape, findLists),
  };

  /** The body itself, the objects in its properties, and those in `data` and the like once more. */
  function findItems(shape: Shape): ItemPlace[] {
    if (shape.kind !== "object") return [];
    const places: ItemPlace[] = [{ path: [], shape }];
    for (const [name, property] of lookedInto(shape)) {
      const inner = read(property);
      if (inner.kind !== "object" || inner.properties.size === 0) continue;
      places.push({ path: [name], shape: inner });
      if (!isWrapper(name)) continue;
      for (const [innerName, innerProperty] of lookedInto(inner)) {
        const innermost = read(innerProperty);
        if (innermost.kind === "object" && innermost.properties.size > 0) {
          places.push({ path: [name, innerName], shape: innermost });
        }
      }
    }
    return places;
  }

  function findLists(shape: Shape): ListPlace[] {
    if (shape.kind === "array") return elementsOf([], shape);
    if (shape.kind !== "object") return [];
    return lookedInto(shape).flatMap(([name, property]) => {
      const inner = read(property);
      if (inner.kind === "array") return elementsOf([name], inner);
      if (inner.kind !== "object" || !isWrapper(name)) return [];
      return lookedInto(inner).flatMap(([innerName, innerProperty]) => {
        const innermost = read(innerProperty);
        return innermost.kind === "array" ? elementsOf([name, innerName], innermost) : [];
      });
    });
  }

  /** An array's elements, and the objects in their properties if there are few: `[{ "user": {...} }]`. */
  function elementsOf(path: string[], array: Shape): ListPlace[] {
    const shape = array.items && read(array.items);
    if (shape === undefined || shape.kind !== "object" || shape.properties.size === 0) return [];
    const places: ListPlace[] = [{ path, element: [], shape }];
    if (shape.properties.size > 3) return places;
    for (const [name, property] of shape.properties) {
      const inner = read(property);
      if (inner.kind === "object" && inner.properties.size > 0) places.push({ path, element: [name], shape: inner });
    }
    return places;
  }
}

function lookedInto(shape: Shape): [string, Shape["node"]][] {
  const found: [string, Shape["node"]][] = [];
  for (const entry of shape.properties) {
    if (found.length >= MOST_LOOKED_INTO) break;
    if (!BESIDE.test(entry[0])) found.push(entry);
  }
  return found;
}

function isWrapper(name: string): boolean {
  return /^(?:data|results?|response|payload|body|_embedded|content|output|d|return)$/i.test(name);
}

function remember<Place>(
  known: Map<object, readonly Place[]>,
  shape: Shape,
  find: (shape: Shape) => Place[],
): readonly Place[] {
  let places = known.get(shape);
  if (places === undefined) known.set(shape, places = find(shape));
  return places;
}

/** The first place whose object is the same component as the item, else the first that is similar. */
export function placeOf<Place extends ItemPlace>(
  places: readonly Place[],
  item: Shape,
  { compare }: ShapeReader,
): Place | undefined {
  return places.find(({ shape }) => compare(shape, item) === "same") ??
    places.find(({ shape }) => compare(shape, item) === "similar");
}
