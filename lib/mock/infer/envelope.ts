/**
 * Finds the objects and lists of a body that may be an item or a list of items: the whole body, or the contents of an
 * envelope such as `data`, `results`, `{ "pets": [...] }`, `_embedded.pets` (HAL).
 *
 * @module
 */
import type { Shape } from "./compare_shapes.ts";
import type { ShapeReader } from "./shape.ts";
import { plainName } from "./words.ts";

/** An object in a body that may be an item. */
export interface ItemPlace {
  /** The keys that lead from the body to the object. */
  readonly path: readonly string[];
  readonly shape: Shape;
  /**
   * The number of properties of the object's envelope, with this object and without properties about the result
   * ({@linkcode STATUS}). 0 for the whole body.
   */
  readonly beside: number;
}

/** An array of objects in a body. */
export interface ListPlace {
  readonly path: readonly string[];
  /** The keys that lead from an element of the list to the object that may be an item. */
  readonly element: readonly string[];
  /** The shape of the object that may be an item. */
  readonly shape: Shape;
  readonly beside: number;
}

/** Finds the places of items and lists. The places in each shape are found once. */
export interface PlaceFinder {
  readonly itemsIn: (shape: Shape) => readonly ItemPlace[];
  readonly listsIn: (shape: Shape) => readonly ListPlace[];
}

/** Names of properties that hold neither items nor lists of items. */
const BESIDE =
  /^(?:_?links?|_?meta(?:data)?|errors?|warnings?|messages?|included|pagination|paging|page|_?pageinfo|jsonapi|facets|aggregations|extensions)$/i;

/** The most properties of an object that are searched. */
const MOST_LOOKED_INTO = 40;

/**
 * The most properties of an envelope: one where the property of the item has any name, eight where its name is the
 * item's.
 */
const MOST_BESIDE = { any: 1, named: 8 } as const;

/** Names of properties that tell the result of a request or the position in a list. */
const STATUS =
  /^(?:success|status(?:_?code)?|code|ok|error.*|request_?id|total.*|count|timestamp|time|has_?more|next.*|prev.*|cursor|version|kind|etag)$/i;

/** The number of an object's properties, without links, metadata, and properties about the result. */
function countContents({ properties }: Shape): number {
  let count = 0;
  for (const name of properties.keys()) if (!BESIDE.test(name) && !STATUS.test(name)) count++;
  return count;
}

/** Makes a finder of places. */
export function createPlaceFinder({ read }: ShapeReader): PlaceFinder {
  const knownItems = new Map<object, readonly ItemPlace[]>();
  const knownLists = new Map<object, readonly ListPlace[]>();
  return {
    itemsIn: (shape) => remember(knownItems, shape, findItems),
    listsIn: (shape) => remember(knownLists, shape, findLists),
  };

  /** The body itself, the objects in its properties, and the objects within those that are envelopes. */
  function findItems(shape: Shape): ItemPlace[] {
    if (shape.kind !== "object") return [];
    const places: ItemPlace[] = [{ path: [], shape, beside: 0 }];
    const beside = countContents(shape);
    for (const [name, property] of lookedInto(shape)) {
      const inner = read(property);
      if (inner.kind !== "object" || inner.properties.size === 0) continue;
      places.push({ path: [name], shape: inner, beside });
      if (!isWrapper(name) && beside > 1) continue;
      for (const [innerName, innerProperty] of lookedInto(inner)) {
        const innermost = read(innerProperty);
        if (innermost.kind === "object" && innermost.properties.size > 0) {
          places.push({ path: [name, innerName], shape: innermost, beside: countContents(inner) });
        }
      }
    }
    return places;
  }

  function findLists(shape: Shape): ListPlace[] {
    if (shape.kind === "array") return elementsOf([], shape);
    if (shape.kind !== "object") return [];
    const isItem = [...shape.properties.keys()].some((name) => /^_?(?:id|uuid|guid)$/i.test(name));
    return lookedInto(shape).filter(([name]) => !isItem || isWrapper(name) || isListName(name)).flatMap(
      ([name, property]) => {
        const inner = read(property);
        if (inner.kind === "array") return elementsOf([name], inner);
        if (inner.kind !== "object" || (!isWrapper(name) && shape.properties.size > 1)) return [];
        return lookedInto(inner).flatMap(([innerName, innerProperty]) => {
          const innermost = read(innerProperty);
          return innermost.kind === "array" ? elementsOf([name, innerName], innermost) : [];
        });
      },
    );
  }

  /**
   * The elements of an array, and, where an element has only one property, the object in that: `[{ "user": {...} }]`.
   */
  function elementsOf(path: string[], array: Shape): ListPlace[] {
    const shape = array.items && read(array.items);
    if (shape === undefined || shape.kind !== "object" || shape.properties.size === 0) return [];
    const places: ListPlace[] = [{ path, element: [], shape, beside: 0 }];
    if (countContents(shape) > 1 && !shape.properties.has("node")) return places;
    for (const [name, property] of shape.properties) {
      const inner = read(property);
      if (inner.kind === "object" && inner.properties.size > 0) {
        places.push({ path, element: [name], shape: inner, beside: 0 });
      }
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

/**
 * Whether a property with this name is a list of results even in an object with an `id`, where other lists are parts of
 * the object.
 */
function isListName(name: string): boolean {
  return /^(?:items|values?|records|entries|list|rows|objects|elements|resources|collection|hits|docs)$/i.test(name);
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

/**
 * Whether an object may be an item by its place: the whole body, the contents of a property whose name is an envelope's
 * or the item's, or the only property. An object among many other properties is a part of the body's own object: the
 * `assignee` of a pull request.
 */
export function isEnvelope({ path, beside }: ItemPlace, nouns: readonly string[]): boolean {
  const last = path.at(-1);
  if (last === undefined || beside <= MOST_BESIDE.any || isWrapper(last)) return true;
  return beside <= MOST_BESIDE.named && nouns.includes(plainName(last));
}

/** The item to find in a body. */
export interface Wanted {
  readonly item: Shape;
  /** The names of an item, as `plainName` writes them. */
  readonly nouns: readonly string[];
}

/** The first place whose object is the same component as the item, else the first that is similar. */
export function placeOf<Place extends ItemPlace>(
  places: readonly Place[],
  { item, nouns }: Wanted,
  { compare }: ShapeReader,
): Place | undefined {
  const likely = places.filter((place) => isEnvelope(place, nouns));
  return likely.find(({ shape }) => compare(shape, item) === "same") ??
    likely.find(({ shape }) => compare(shape, item) === "similar");
}

/** The place of an item in a body, as {@linkcode placeOf} chooses it. Doesn't search a body that is the item itself. */
export function itemIn(body: Shape, wanted: Wanted, places: PlaceFinder, reader: ShapeReader): ItemPlace | undefined {
  if (reader.compare(body, wanted.item) === "same") return { path: [], shape: body, beside: 0 };
  return placeOf(places.itemsIn(body), wanted, reader);
}
