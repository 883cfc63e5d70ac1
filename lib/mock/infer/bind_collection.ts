/**
 * Binds the operations on a collection's path, such as `/pets`.
 *
 * @module
 */
import { NOT_CREATED, OF_LISTS } from "../../names/verb_names.ts";
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
import type { OperationMessages } from "./message.ts";
import type { Shape } from "./compare_shapes.ts";
import { wordsOf } from "../../names/words.ts";

export function bindCollectionPath(group: PathGroup, items: Items, search: Search, refuse: Refuse): Effect[] {
  const hasCreate = group.byMethod.has("POST");
  return exchangesOf(group, refuse).flatMap((exchange): Effect[] => {
    switch (exchange.operation.method) {
      case "GET":
        return bindList(exchange, items, search, refuse);
      case "POST":
        return bindCreate(exchange, items, search, refuse);
      case "PUT":
      case "PATCH":
        return bindWithIdInBody(exchange, items, search, hasCreate, refuse);
      default:
        refuse(exchange, `${exchange.operation.method} of a whole collection may mean some of its items only`);
        return [];
    }
  });
}

function bindList(exchange: OperationMessages, items: Items, search: Search, refuse: Refuse): Effect[] {
  const place = listInResponse(exchange, items, search);
  if (place !== undefined) return [effect("list", exchange, place.path, { element: place.element })];
  refuse(exchange, "its response has no list of objects like those of the item's path");
  return [];
}

/**
 * Binds a POST that makes an item, or each item of a list: its body is an item, a list, or either of them, and so is its
 * response.
 */
function bindCreate(given: OperationMessages, items: Items, search: Search, refuse: Refuse): Effect[] {
  const exchange = given.created() ?? given;
  const { operation, response, hasBody, status } = exchange;
  const elements = exchange.body?.kind === "array" ? exchange.body.items ?? "any" : undefined;
  const verb = otherVerbOf(exchange, elements !== undefined);
  if (verb !== undefined) {
    refuse(exchange, `its name says “${verb}”, so that it may not create anything`);
    return [];
  }
  if (elements === "any") {
    refuse(exchange, "its request body is a list of anything");
    return [];
  }
  const body = elements === undefined ? exchange.body : search.reader.read(elements);
  const one: OperationMessages = { ...exchange, body };
  const place = placeInResponse(exchange, items, search);
  const list = createdList(exchange, items, search);
  const request = placeInRequest(one, items, search);
  const takesItem = request !== undefined || hasCommon(body, items.item, search);
  const isLikeItem = place !== undefined && search.reader.compare(place.shape, items.item) !== "none";
  const many = list === undefined ? {} : { listEnvelope: list };
  const isSure = status === 201 || request !== undefined || !hasBody || isBodyOfItem(one, items, search);
  if (isLikeItem && isSure && elements === undefined) {
    const requestEnvelope = hasBody ? request?.path ?? WHOLE_BODY : undefined;
    return [effect("create", exchange, place.path, { requestEnvelope, ...many })];
  }
  // If the response has no item, the request body must be similar to an item.
  const answersOther = response !== undefined && place === undefined && list === undefined && isLarge(response);
  if (takesItem && !answersOther) {
    return [effect("create", exchange, place?.path, { requestEnvelope: request?.path ?? WHOLE_BODY, ...many })];
  }
  refuse(exchange, `neither its body nor its response is like an item that ${operation.method} would create`);
  return [];
}

/** The keys that lead to the list of created items in a response; `undefined` if it has none. */
function createdList(exchange: OperationMessages, items: Items, search: Search): readonly string[] | undefined {
  const list = listInResponse(exchange, items, search);
  const isOfItems = list !== undefined && list.element.length === 0 &&
    search.reader.compare(list.shape, items.item) !== "none";
  return isOfItems ? list.path : undefined;
}

/**
 * Whether a response contains more than a message about the result: a list, or an object with more than four
 * properties.
 */
function isLarge({ kind, properties }: Shape): boolean {
  return kind === "array" || properties.size > 4;
}

/** Whether the request body has a property of the item, or declares no properties. */
function isBodyOfItem({ body }: OperationMessages, { item }: Items, { reader }: Search): boolean {
  if (body === undefined || body.properties.size === 0) return true;
  return reader.sharedWith(body, item) > 0;
}

/**
 * A verb in the `operationId` that means that the operation doesn't create an item, such as `search`; `undefined` if
 * there is none.
 */
function otherVerbOf({ operation }: OperationMessages, takesList: boolean): string | undefined {
  const { value } = operation.node;
  const id = typeof value === "object" && value !== null && "operationId" in value ? value.operationId : undefined;
  const inPath = new Set(wordsOf(operation.path));
  return typeof id === "string"
    ? wordsOf(id.slice(0, 200)).find((word) =>
      NOT_CREATED.has(word) && !inPath.has(word) && !inPath.has(`${word}s`) && !(takesList && OF_LISTS.has(word))
    )
    : undefined;
}

/**
 * Binds PUT and PATCH on a collection if their request body is an item with its id, and their response is the item,
 * small or empty. A PUT whose response is the item needs no id: it finds the item by another property, or makes it.
 */
function bindWithIdInBody(
  exchange: OperationMessages,
  items: Items,
  search: Search,
  hasCreate: boolean,
  refuse: Refuse,
): Effect[] {
  const place = placeInResponse(exchange, items, search);
  const request = placeInRequest(exchange, items, search);
  const isPut = exchange.operation.method === "PUT";
  const hasId = request !== undefined && hasProperty(request.shape, items.id, search) &&
    (place !== undefined || exchange.response === undefined || !isLarge(exchange.response));
  const isUpsert = isPut && !hasCreate && place !== undefined &&
    search.reader.compare(place.shape, items.item) === "same" &&
    (request !== undefined || hasCommon(exchange.body, items.item, search));
  if (hasId || isUpsert) {
    const createsMissing = isPut && (!hasCreate || exchange.declaresCreated);
    const requestEnvelope = request?.path ?? WHOLE_BODY;
    return [effect(isPut ? "replace" : "update", exchange, place?.path, { requestEnvelope, createsMissing })];
  }
  refuse(
    exchange,
    `${exchange.operation.method} of a whole collection isn't bound unless its body is an item with its id`,
  );
  return [];
}
