/**
 * Finds the objects and lists in a body that may be an item or a list of items: the whole body, or the contents of an
 * envelope such as `data`, `results`, `{ "pets": [...] }`, `_embedded.pets` (HAL).
 *
 * @module
 */
import type { Shape } from "./compare_shapes.ts";
import type { ShapeReader } from "./shape.ts";
import { findOwnId } from "./id_property.ts";
import { plainName, singularOf } from "../../names/words.ts";

/** An object in a body that may be an item. */
export interface ItemPlace {
  readonly path: readonly string[];
  readonly shape: Shape;
  /**
   * The number of properties of the object that contains this object, without links, metadata, and properties about the
   * result ({@linkcode RESULT_NAMES}): 2 in `{"pet": {…}, "owner": {…}, "total": 1}`. 0 for the whole body.
   */
  readonly envelopeSize: number;
}

/** An array of objects in a body. */
export interface ListPlace {
  readonly path: readonly string[];
  /** The keys that lead from an element of the list to the object that may be an item, as in `[{ "user": {...} }]`. */
  readonly element: readonly string[];
  /** The shape of the object that may be an item. */
  readonly shape: Shape;
  readonly envelopeSize: number;
}

/** Finds the objects and lists in a body, memoised by shape. */
export interface PlaceFinder {
  readonly itemsIn: (shape: Shape) => readonly ItemPlace[];
  readonly listsIn: (shape: Shape) => readonly ListPlace[];
  /** Whether a body is a list with what describes it: `{"data": [...], "total": 2}`, of items of any schema. */
  readonly isPage: (shape: Shape) => boolean;
}

/** Limit of the properties of a body that is a page of a list. Larger objects have lists as their parts. */
const MOST_IN_PAGE = 6;

/** Names of properties that contain neither items nor lists of items. */
const OTHER_NAMES = /^(?:_links?|_?meta(?:data)?|errors?|warnings?|included|pagination|paging|_?pageinfo|jsonapi)$/i;

/** Names of properties that contain items or a list of items if these have an id: `{"messages": [{"id": 1, …}]}`. */
const OTHER_NAMES_WITHOUT_ID = /^(?:links?|messages?|page|facets|aggregations|extensions)$/i;

const MOST_SEARCHED = 40;

/**
 * Limits of `ItemPlace.envelopeSize` for an object that may be an item: 1 if its property has any name, 8 if the
 * property is named after the item.
 */
const MOST_IN_ENVELOPE = { any: 1, named: 8 } as const;

/** Names of properties about the result of a request or the position in a list. */
const RESULT_NAMES =
  /^(?:success|status(?:_?code)?|code|ok|error.*|request_?id|total.*|count|timestamp|time|has_?more|next.*|prev.*|cursor|version|kind|etag)$/i;

export function createPlaceFinder(reader: ShapeReader): PlaceFinder {
  const { read } = reader;
  const knownItems = new Map<object, readonly ItemPlace[]>();
  const knownLists = new Map<object, readonly ListPlace[]>();
  return {
    itemsIn: (shape) => remember(knownItems, shape, findItems),
    listsIn,
    isPage: (shape) =>
      shape.properties.size <= MOST_IN_PAGE &&
      (listsIn(shape).length > 0 ||
        searchedProperties(shape).some(([name, property]) =>
          (isWrapper(name) || isListName(name)) && read(property).kind === "array"
        )),
  };

  function listsIn(shape: Shape): readonly ListPlace[] {
    return remember(knownLists, shape, findLists);
  }

  /**
   * The body itself, the objects in its properties and, if such an object is an envelope, the objects in the envelope's
   * properties.
   */
  function findItems(shape: Shape): ItemPlace[] {
    if (shape.kind !== "object") return [];
    const places: ItemPlace[] = [{ path: [], shape, envelopeSize: 0 }];
    const envelopeSize = countContents(shape);
    for (const [name, property] of searchedProperties(shape)) {
      const inner = read(property);
      if (inner.kind !== "object" || inner.properties.size === 0) continue;
      places.push({ path: [name], shape: inner, envelopeSize });
      if (!isWrapper(name) && envelopeSize > 1) continue;
      for (const [innerName, innerProperty] of searchedProperties(inner)) {
        const innermost = read(innerProperty);
        if (innermost.kind === "object" && innermost.properties.size > 0) {
          places.push({ path: [name, innerName], shape: innermost, envelopeSize: countContents(inner) });
        }
      }
    }
    return places;
  }

  function findLists(shape: Shape): ListPlace[] {
    if (shape.kind === "array") return elementsOf([], shape);
    if (shape.kind !== "object") return [];
    const isItem = [...shape.properties.keys()].some((name) => /^_?(?:id|uuid|guid)$/i.test(name));
    return searchedProperties(shape).filter(([name]) => !isItem || isWrapper(name) || isListName(name)).flatMap(
      ([name, property]) => {
        const inner = read(property);
        if (inner.kind === "array") return elementsOf([name], inner);
        if (inner.kind !== "object" || (!isWrapper(name) && shape.properties.size > 1)) return [];
        return searchedProperties(inner).flatMap(([innerName, innerProperty]) => {
          const innermost = read(innerProperty);
          return innermost.kind === "array" ? elementsOf([name, innerName], innermost) : [];
        });
      },
    );
  }

  /** The number of an object's properties, without links, metadata, and properties about the result. */
  function countContents({ properties }: Shape): number {
    let count = 0;
    for (const [name, property] of properties) if (!isOther(name, property) && !RESULT_NAMES.test(name)) count++;
    return count;
  }

  /** Whether a property contains neither an item nor a list of items, by its name. */
  function isOther(name: string, property: Shape["node"]): boolean {
    if (!OTHER_NAMES_WITHOUT_ID.test(name)) return OTHER_NAMES.test(name);
    const inner = read(property);
    const element = inner.kind === "array" && inner.items !== undefined ? read(inner.items) : inner;
    return findOwnId([singularOf(plainName(name))], element, reader)?.certainty !== "exact";
  }

  function searchedProperties(shape: Shape): [string, Shape["node"]][] {
    const found: [string, Shape["node"]][] = [];
    for (const [name, property] of shape.properties) {
      if (found.length >= MOST_SEARCHED) break;
      if (!isOther(name, property)) found.push([name, property]);
    }
    return found;
  }

  /**
   * The elements of an array. If an element has only one property of contents, its object too: `[{ "user": {...} }]`.
   */
  function elementsOf(path: string[], array: Shape): ListPlace[] {
    const shape = array.items && read(array.items);
    if (shape === undefined || shape.kind !== "object" || shape.properties.size === 0) return [];
    const places: ListPlace[] = [{ path, element: [], shape, envelopeSize: 0 }];
    if (countContents(shape) > 1 && !shape.properties.has("node")) return places;
    for (const [name, property] of shape.properties) {
      const inner = read(property);
      if (inner.kind === "object" && inner.properties.size > 0) {
        places.push({ path, element: [name], shape: inner, envelopeSize: 0 });
      }
    }
    return places;
  }
}

function isWrapper(name: string): boolean {
  return /^(?:data|results?|response|payload|body|_embedded|content|output|d|return)$/i.test(name);
}

/**
 * Whether a property with this name is a list of results even in an object with an `id`. Lists with other names are
 * then parts of the object.
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
 * Whether an object may be an item by its place: the whole body, the only property, or the contents of a property with
 * the name of an envelope or of the item. An object among other properties is a part of the containing object, such as
 * the `assignee` of a pull request.
 */
export function isEnvelope({ path, envelopeSize }: ItemPlace, nouns: readonly string[]): boolean {
  const last = path.at(-1);
  if (last === undefined || envelopeSize <= MOST_IN_ENVELOPE.any || isWrapper(last)) return true;
  return envelopeSize <= MOST_IN_ENVELOPE.named && nouns.includes(plainName(last));
}

/** The item to find in a body. */
export interface Wanted {
  readonly item: Shape;
  /** The possible names of an item, in lower case without separators: `pet`, `pets`. */
  readonly nouns: readonly string[];
}

/** The first place whose object has the same schema as the item, else the first with a similar object. */
export function placeAmong<Place extends ItemPlace>(
  places: readonly Place[],
  { item, nouns }: Wanted,
  { compare }: ShapeReader,
): Place | undefined {
  const likely = places.filter((place) => isEnvelope(place, nouns));
  return likely.find(({ shape }) => compare(shape, item) === "same") ??
    likely.find(({ shape }) => compare(shape, item) === "similar");
}

/**
 * The place of an item in a body: the whole body if it has the item's schema, else the choice of {@linkcode placeAmong}.
 */
export function itemIn(body: Shape, wanted: Wanted, places: PlaceFinder, reader: ShapeReader): ItemPlace | undefined {
  if (reader.compare(body, wanted.item) === "same") return { path: [], shape: body, envelopeSize: 0 };
  return placeAmong(places.itemsIn(body), wanted, reader);
}
