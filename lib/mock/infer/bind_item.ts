/**
 * Binds the operations on an item's path, such as `/pets/{petId}`.
 *
 * @module
 */
import type { PathGroup, Search } from "./draft.ts";
import type { ItemPlace } from "./envelope.ts";
import {
  type Effect,
  effect,
  exchangesOf,
  hasCommon,
  type Items,
  placeInRequest,
  placeInResponse,
  type Refuse,
  WHOLE_BODY,
} from "./locate_item.ts";
import type { OperationMessages } from "./message.ts";

export function bindItemPath(
  group: PathGroup,
  items: Items,
  search: Search,
  hasCreate: boolean,
  refuse: Refuse,
): Effect[] {
  if (isMembership(group)) {
    for (const exchange of group.byMethod.values()) {
      refuse(exchange, "its path is about a membership, and neither shows nor changes an item");
    }
    return [];
  }
  const effects = exchangesOf(group, refuse).flatMap((exchange): Effect[] => {
    switch (exchange.operation.method) {
      case "GET":
        return bindRead(exchange, items, search, refuse);
      case "PUT": {
        // Without a create by POST, clients choose the ids.
        const createsMissing = !hasCreate || exchange.declaresCreated;
        return exchange.hasBody && group.byMethod.has("DELETE") && (exchange.response?.properties.size ?? 0) === 0
          ? [bindPut(exchange, items, search, createsMissing)]
          : bindWrite("replace", exchange, items, search, createsMissing, refuse);
      }
      case "PATCH":
        return bindWrite("update", exchange, items, search, exchange.declaresCreated, refuse);
      case "POST":
        return bindPostOnItem(exchange, items, search, refuse);
      case "DELETE":
        return [effect("delete", exchange, placeInResponse(exchange, items, search)?.path)];
      case "HEAD":
        return [effect("read", exchange, undefined)];
      default:
        refuse(exchange, `${exchange.operation.method} of an item has no fixed meaning`);
        return [];
    }
  });
  return effects.filter(({ exchange }) => {
    const isUnknown = exchange.operation.method === "HEAD" && !isAboutItem(group, effects);
    if (isUnknown) refuse(exchange, "it tells about the response to GET, which isn't bound");
    return !isUnknown;
  });
}

/** Whether HEAD of a path tells if there is an item: GET is bound, or not declared. */
function isAboutItem({ byMethod }: PathGroup, effects: readonly Effect[]): boolean {
  return !byMethod.has("GET") || effects.some(({ exchange }) => exchange.operation.method === "GET");
}

/**
 * Binds a PUT without properties in its response, on a path with a DELETE. Its request body needn't be similar to the
 * item.
 */
function bindPut(exchange: OperationMessages, items: Items, search: Search, createsMissing: boolean): Effect {
  const requestEnvelope = placeInRequest(exchange, items, search)?.path ?? WHOLE_BODY;
  return effect("replace", exchange, placeInAny(exchange, items, search)?.path, { requestEnvelope, createsMissing });
}

/** The place of the item in the response to a write, else in that to a write that creates the item. */
function placeInAny(exchange: OperationMessages, items: Items, search: Search): ItemPlace | undefined {
  const place = placeInResponse(exchange, items, search);
  const created = place === undefined ? exchange.created() : undefined;
  return created === undefined ? place : placeInResponse(created, items, search);
}

/**
 * Whether a path is about membership, such as GitHub's `/orgs/{org}/members/{username}`: GET answers 204 without a
 * body, or PUT takes no body. These operations neither show nor change an item.
 */
function isMembership({ byMethod }: PathGroup): boolean {
  const [reading, writing] = [byMethod.get("GET"), byMethod.get("PUT")];
  const isTold = reading !== undefined && !reading.hasContent && reading.status === 204;
  const isAdded = writing !== undefined && !writing.hasBody && (writing.response?.properties.size ?? 0) === 0;
  return isTold || isAdded;
}

function bindRead(exchange: OperationMessages, items: Items, search: Search, refuse: Refuse): Effect[] {
  const place = placeInResponse(exchange, items, search);
  if (place !== undefined) return [effect("read", exchange, place.path)];
  refuse(exchange, "its response has no object like the items of the collection");
  return [];
}

function bindWrite(
  kind: "replace" | "update",
  exchange: OperationMessages,
  items: Items,
  search: Search,
  createsMissing: boolean,
  refuse: Refuse,
): Effect[] {
  const place = placeInAny(exchange, items, search);
  const request = placeInRequest(exchange, items, search);
  const isPatch = kind === "update" && exchange.body?.kind === "array";
  if (!exchange.hasBody && place === undefined) {
    refuse(exchange, "it has no request body");
    return [];
  }
  if (place === undefined && request === undefined && !isPatch && !hasCommon(exchange.body, items.item, search)) {
    refuse(exchange, "neither its body nor its response is like an item");
    return [];
  }
  const requestEnvelope = exchange.hasBody ? request?.path ?? WHOLE_BODY : undefined;
  return [effect(kind, exchange, place?.path, { requestEnvelope, createsMissing })];
}

/**
 * Binds POST on an item as an update, as in Stripe's API. The response must be the item, and at least 30 % of the
 * request body's properties must be properties of the item.
 */
function bindPostOnItem(exchange: OperationMessages, items: Items, search: Search, refuse: Refuse): Effect[] {
  const place = placeInResponse(exchange, items, search);
  const isLike = place !== undefined && search.reader.compare(place.shape, items.item) !== "none";
  const body = exchange.body;
  const shared = body === undefined ? 0 : search.reader.sharedWith(body, items.item);
  if (isLike && body !== undefined && shared >= Math.max(1, body.properties.size * 0.3)) {
    const request = placeInRequest(exchange, items, search);
    return [effect("update", exchange, place.path, { requestEnvelope: request?.path ?? WHOLE_BODY })];
  }
  refuse(
    exchange,
    "POST on an item isn't bound unless its response is the item and its body has properties of the item",
  );
  return [];
}
