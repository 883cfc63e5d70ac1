/**
 * Where an item or a list of items may stand in a body: bare, or in an envelope such as `data`, `results`,
 * `{ "pets": [...] }`, `_embedded.pets` (HAL).
 *
 * @module
 */
import type { Shape } from "./compare_shapes.ts";
import type { ShapeReader } from "./shape.ts";
import { plainName } from "./words.ts";

/** An object in a body that may be an item. */
export interface ItemPlace {
  /** The keys on the way. */
  readonly path: readonly string[];
  readonly shape: Shape;
  /** The number of properties of the object that holds it, with itself, and without those that tell a status. */
  readonly beside: number;
}

/** An array of objects in a body. */
export interface ListPlace {
  readonly path: readonly string[];
  /** The keys on the way from an element to the object in it that may be an item. */
  readonly element: readonly string[];
  /** The shape of an element's item. */
  readonly shape: Shape;
  readonly beside: number;
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

/** The most properties of an envelope, with that which it holds: around a property of any name, and around one named as the item. */
const MOST_BESIDE = { any: 1, named: 8 } as const;

/** Names of properties that tell the result of a request, or the place in a list. */
const STATUS =
  /^(?:success|status(?:_?code)?|code|ok|error.*|request_?id|total.*|count|timestamp|time|has_?more|next.*|prev.*|cursor|version|kind|etag)$/i;

/** The number of an object's properties that are no status. */
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

  /** The body itself, the objects in its properties, and those in `data` and the like once more. */
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

  /** An array's elements, and the objects in their properties if there are few: `[{ "user": {...} }]`. */
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

/** Whether a property of this name is a list of results, and not a part of an object with an id. */
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
 * Whether an object may be an item by its place: the whole body, or a property named as a wrapper or as the item, or one
 * of few. Others are parts of what the body is about: the `assignee` of a pull request.
 */
export function isEnvelope({ path, beside }: ItemPlace, nouns: readonly string[]): boolean {
  const last = path.at(-1);
  if (last === undefined || beside <= MOST_BESIDE.any || isWrapper(last)) return true;
  return beside <= MOST_BESIDE.named && nouns.includes(plainName(last));
}

/** The item that is looked for in bodies. */
export interface Wanted {
  readonly item: Shape;
  /** The names of one item, plain. */
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

/** The place of an item in a body, like {@linkcode placeOf}. Looks into the body only where that isn't the item itself. */
export function itemIn(body: Shape, wanted: Wanted, places: PlaceFinder, reader: ShapeReader): ItemPlace | undefined {
  if (reader.compare(body, wanted.item) === "same") return { path: [], shape: body, beside: 0 };
  return placeOf(places.itemsIn(body), wanted, reader);
}
