/**
 * Binds the operations on a collection's path, such as `/pets`.
 *
 * @module
 */
import type { PathGroup, Search } from "./draft.ts";
import {
  type Effect,
  effect,
  exchangesOf,
  hasCommon,
  hasProperty,
  type Items,
  listInResponse,
  placeInRequest,
  placeInResponse,
  type Refuse,
  WHOLE_BODY,
} from "./locate_item.ts";
import type { Exchange } from "./message.ts";
import { commonProperties, type Shape } from "./compare_shapes.ts";
import { wordsOf } from "../../names/words.ts";

export function bindCollectionPath(group: PathGroup, items: Items, search: Search, refuse: Refuse): Effect[] {
  return exchangesOf(group, refuse).flatMap((exchange): Effect[] => {
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

function bindList(exchange: Exchange, items: Items, search: Search, refuse: Refuse): Effect[] {
  const place = listInResponse(exchange, items, search);
  if (place !== undefined) return [effect("list", exchange, place.path, { element: place.element })];
  refuse(exchange, "its response has no list of objects like those of the item's path");
  return [];
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
      effect("create", exchange, place.path, { requestEnvelope: hasBody ? request?.path ?? WHOLE_BODY : undefined }),
    ];
  }
  // If the response has no item, the request body must be similar to an item.
  const answersOther = response !== undefined && place === undefined && isLarge(response);
  if (takesItem && !answersOther) {
    return [effect("create", exchange, place?.path, { requestEnvelope: request?.path ?? WHOLE_BODY })];
  }
  refuse(exchange, `neither its body nor its response is like an item that ${operation.method} would create`);
  return [];
}

/**
 * Whether a response contains more than a message about the result: a list, or an object with more than four
 * properties.
 */
function isLarge({ kind, properties }: Shape): boolean {
  return kind === "array" || properties.size > 4;
}

/** Whether the request body has a property of the item, or declares no properties. */
function isBodyOfItem({ body }: Exchange, { item }: Items): boolean {
  if (body === undefined || body.properties.size === 0) return true;
  return commonProperties(body, item) > 0;
}

/**
 * A verb in the `operationId` that means that the operation doesn't create an item, such as `search`; `undefined` if
 * there is none.
 */
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

/**
 * Binds PUT and PATCH on a collection if their request body is an item with its id, and their response is the item,
 * small or empty.
 */
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
