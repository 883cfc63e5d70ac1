/**
 * Binds the operations of a collection's path, `/pets`, and of its items' path, `/pets/{petId}`.
 *
 * @module
 */
import type { DraftBinding, PathGroup, Search } from "./draft.ts";
import { itemIn, type ItemPlace, type ListPlace, placeOf } from "./envelope.ts";
import type { Exchange } from "./message.ts";
import type { BindingKind } from "./resource.ts";
import { commonProperties, type Shape } from "./shape.ts";
import { wordsOf } from "./words.ts";

/** The items of a collection, as far as their schema and id are known. */
export interface Items {
  readonly item: Shape;
  readonly id: readonly string[];
  /** The names of one item, plain. */
  readonly nouns: readonly string[];
}

/** Takes the reason why an operation isn't bound. */
export type Refuse = (exchange: Exchange, reason: string) => void;

/** A binding without its parameters. */
export type Effect = Omit<DraftBinding, "idParameter" | "scopeParameters">;

const NOWHERE: readonly string[] = [];

/** Binds the operations on a collection's path. */
export function bindCollectionPath(group: PathGroup, items: Items, search: Search, refuse: Refuse): Effect[] {
  return [...group.byMethod.values()].flatMap((exchange): Effect[] => {
    if (exchange.status === undefined) {
      refuse(exchange, "it has no response with an exact 2xx code");
      return [];
    }
    switch (exchange.operation.method) {
      case "GET":
        return bindList(exchange, items, search, refuse);
      case "POST":
        return bindCreate(exchange, items, search, refuse);
      case "PUT":
      case "PATCH":
        return bindWithIdInBody(exchange, items, search, refuse);
      default:
        refuse(exchange, `${exchange.operation.method} of a whole collection may mean some of its items only`);
        return [];
    }
  });
}

/** Binds the operations on the path of an item. */
export function bindItemPath(
  group: PathGroup,
  items: Items,
  search: Search,
  hasCreate: boolean,
  refuse: Refuse,
): Effect[] {
  if (isMembership(group)) {
    for (const exchange of group.byMethod.values()) {
      refuse(exchange, "its path tells, adds or removes that an item belongs to something, and has no item itself");
    }
    return [];
  }
  return [...group.byMethod.values()].flatMap((exchange): Effect[] => {
    if (exchange.status === undefined) {
      refuse(exchange, "it has no response with an exact 2xx code");
      return [];
    }
    switch (exchange.operation.method) {
      case "GET":
        return bindRead(exchange, items, search, refuse);
      case "PUT":
        return exchange.hasBody && group.byMethod.has("DELETE") && (exchange.response?.properties.size ?? 0) === 0
          ? [bindPut(exchange, items, search)]
          : bindWrite("replace", exchange, items, search, !hasCreate || exchange.declaresCreated, refuse);
      case "PATCH":
        return bindWrite("update", exchange, items, search, exchange.declaresCreated, refuse);
      case "POST":
        return bindPostOnItem(exchange, items, search, refuse);
      case "DELETE":
        return [effect("delete", exchange, placeInResponse(exchange, items, search)?.path)];
      default:
        refuse(exchange, `${exchange.operation.method} of an item has no fixed meaning`);
        return [];
    }
  });
}

function effect(
  kind: BindingKind,
  exchange: Exchange,
  envelope: readonly string[] | undefined,
  more: Partial<Effect> = {},
): Effect {
  return { kind, exchange, envelope, element: NOWHERE, requestEnvelope: undefined, createsMissing: false, ...more };
}

function bindList(exchange: Exchange, items: Items, search: Search, refuse: Refuse): Effect[] {
  const place = listInResponse(exchange, items, search);
  if (place !== undefined) return [effect("list", exchange, place.path, { element: place.element })];
  refuse(exchange, "its response has no list of objects like those of the item's path");
  return [];
}

/** The list of items in a response. */
export function listInResponse(
  { response }: Exchange,
  items: Items,
  search: Search,
): ListPlace | undefined {
  if (response === undefined) return undefined;
  const { places, reader } = search;
  const lists = places.listsIn(response);
  const fitting = placeOf(lists, items, reader);
  if (fitting !== undefined) return fitting;
  // A list may show few properties of each item, but the id must be among them, and no other list may be meant.
  return lists.length === 1 ? lists.find(({ shape }) => hasProperty(shape, items.id, search)) : undefined;
}

/** The item in a response. */
export function placeInResponse(
  { response }: Exchange,
  items: Items,
  search: Search,
): ItemPlace | undefined {
  if (response === undefined) return undefined;
  const { id, nouns } = items;
  const fitting = itemIn(response, items, search.places, search.reader);
  // Kubernetes' `Status` has most properties of a `Namespace`, but no name.
  const isItem = fitting !== undefined &&
    (fitting.path.length > 0 || hasProperty(fitting.shape, id, search) ||
      search.reader.compare(fitting.shape, items.item) === "same");
  if (isItem) return fitting;
  // `{ "id": "4" }`, or `{ "pet": { "id": "4" } }`.
  return search.places.itemsIn(response).find(({ path, shape }) =>
    hasProperty(shape, id, search) &&
    (path.length === 0 ? shape.properties.size <= 3 : nouns.includes(path.at(-1)?.toLowerCase() ?? ""))
  );
}

/** Whether an object has a property. */
function hasProperty(shape: Shape, path: readonly string[], { reader }: Search): boolean {
  let at = shape;
  for (const name of path) {
    const property = at.properties.get(name);
    if (property === undefined) return false;
    at = reader.read(property);
  }
  return true;
}

function bindCreate(given: Exchange, items: Items, search: Search, refuse: Refuse): Effect[] {
  const exchange = given.created() ?? given;
  const { operation, response, body, hasBody, status } = exchange;
  const verb = otherVerbOf(exchange);
  if (verb !== undefined) {
    refuse(exchange, `its name says “${verb}”, so that it may not create anything`);
    return [];
  }
  if (body?.kind === "array") {
    refuse(exchange, "its request body is a list");
    return [];
  }
  const place = placeInResponse(exchange, items, search);
  const request = placeInRequest(exchange, items, search);
  const takesItem = request !== undefined || hasCommon(body, items.item);
  const isLikeItem = place !== undefined && search.reader.compare(place.shape, items.item) !== "none";
  if (isLikeItem && (status === 201 || request !== undefined || !hasBody || isBodyOfItem(exchange, items))) {
    return [
      effect("create", exchange, place.path, { requestEnvelope: hasBody ? request?.path ?? NOWHERE : undefined }),
    ];
  }
  // Without the item in the response, the body must be like it.
  const answersOther = response !== undefined && place === undefined && isLarge(response);
  if (takesItem && !answersOther) {
    return [effect("create", exchange, place?.path, { requestEnvelope: request?.path ?? NOWHERE })];
  }
  refuse(exchange, `neither its body nor its response is like an item that ${operation.method} would create`);
  return [];
}

/** Whether a response is an object or a list with contents of its own, and not just a status. */
function isLarge({ kind, properties }: Shape): boolean {
  return kind === "array" || properties.size > 4;
}

/** Whether most properties of the body are those of the item. */
function isBodyOfItem({ body }: Exchange, { item }: Items): boolean {
  if (body === undefined || body.properties.size === 0) return true;
  return commonProperties(body, item) >= Math.min(1, body.properties.size * 0.3);
}

/** The item in the body of a request. */
function placeInRequest({ body }: Exchange, items: Items, { places, reader }: Search): ItemPlace | undefined {
  if (body === undefined) return undefined;
  return itemIn(body, items, places, reader);
}

/** A word of the operation's name that says that it is no create. */
function otherVerbOf({ operation }: Exchange): string | undefined {
  const { value } = operation.node;
  const id = typeof value === "object" && value !== null && "operationId" in value ? value.operationId : undefined;
  const inPath = new Set(wordsOf(operation.path));
  return typeof id === "string"
    ? wordsOf(id.slice(0, 200)).find((word) => OTHER_VERBS.has(word) && !inPath.has(word) && !inPath.has(`${word}s`))
    : undefined;
}

const OTHER_VERBS = new Set([
  "search",
  "query",
  "find",
  "lookup",
  "batch",
  "bulk",
  "validate",
  "preview",
  "calculate",
  "estimate",
  "export",
  "test",
  "many",
  "multiple",
  "delete",
  "remove",
]);

/** Binds PUT where a DELETE undoes it and the response is empty: it adds the item, though its body may be unlike. */
function bindPut(exchange: Exchange, items: Items, search: Search): Effect {
  const requestEnvelope = placeInRequest(exchange, items, search)?.path ?? NOWHERE;
  return effect("replace", exchange, undefined, { requestEnvelope, createsMissing: true });
}

/** Whether a path tells, adds and removes that an item belongs to something, without showing or changing the item. */
function isMembership({ byMethod }: PathGroup): boolean {
  const [reading, writing] = [byMethod.get("GET"), byMethod.get("PUT")];
  const isTold = reading !== undefined && !reading.hasContent && reading.status === 204;
  const isAdded = writing !== undefined && !writing.hasBody && (writing.response?.properties.size ?? 0) === 0;
  return isTold || isAdded;
}

function bindRead(exchange: Exchange, items: Items, search: Search, refuse: Refuse): Effect[] {
  const place = placeInResponse(exchange, items, search);
  if (place !== undefined) return [effect("read", exchange, place.path)];
  refuse(exchange, "its response has no object like the items of the collection");
  return [];
}

function bindWrite(
  kind: "replace" | "update",
  exchange: Exchange,
  items: Items,
  search: Search,
  createsMissing: boolean,
  refuse: Refuse,
): Effect[] {
  const place = placeInResponse(exchange, items, search);
  const request = placeInRequest(exchange, items, search);
  const isPatch = kind === "update" && exchange.body?.kind === "array";
  if (!exchange.hasBody && place === undefined) {
    refuse(exchange, "it has no request body to change an item by");
    return [];
  }
  if (place === undefined && request === undefined && !isPatch && !hasCommon(exchange.body, items.item)) {
    refuse(exchange, "neither its body nor its response is like an item");
    return [];
  }
  const requestEnvelope = exchange.hasBody ? request?.path ?? NOWHERE : undefined;
  return [effect(kind, exchange, place?.path, { requestEnvelope, createsMissing })];
}

/** Whether at least half of a body's properties are those of the item. */
function hasCommon(body: Shape | undefined, item: Shape): boolean {
  if (body === undefined || body.properties.size === 0) return false;
  return commonProperties(body, item) >= body.properties.size / 2;
}

/** Binds POST on an item as an update, as Stripe has it: the response is the item, and the body has fields of it. */
function bindPostOnItem(exchange: Exchange, items: Items, search: Search, refuse: Refuse): Effect[] {
  const place = placeInResponse(exchange, items, search);
  const isLike = place !== undefined && search.reader.compare(place.shape, items.item) !== "none";
  const body = exchange.body;
  if (isLike && body !== undefined && commonProperties(body, items.item) >= Math.max(1, body.properties.size * 0.3)) {
    const request = placeInRequest(exchange, items, search);
    return [effect("update", exchange, place.path, { requestEnvelope: request?.path ?? NOWHERE })];
  }
  refuse(
    exchange,
    "POST on an item may be anything, where its response isn't the item or its body has no fields of it",
  );
  return [];
}

/** Binds PUT and PATCH on a collection whose body names the item by its id, and whose response is the item. */
function bindWithIdInBody(exchange: Exchange, items: Items, search: Search, refuse: Refuse): Effect[] {
  const place = placeInResponse(exchange, items, search);
  const request = placeInRequest(exchange, items, search);
  const isItem = request !== undefined && hasProperty(request.shape, items.id, search) &&
    (place !== undefined || exchange.response === undefined || !isLarge(exchange.response));
  if (isItem) {
    const kind = exchange.operation.method === "PUT" ? "replace" : "update";
    return [effect(kind, exchange, place?.path, { requestEnvelope: request.path })];
  }
  refuse(
    exchange,
    `${exchange.operation.method} of a whole collection isn't bound unless its body is an item with its id`,
  );
  return [];
}
