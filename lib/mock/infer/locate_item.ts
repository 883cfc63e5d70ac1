/**
 * Finds the items of a resource in the bodies of an operation.
 *
 * @module
 */
import type { DraftBinding, PathGroup, Search } from "./draft.ts";
import { itemIn, type ItemPlace, type ListPlace, placeAmong } from "./envelope.ts";
import type { OperationMessages } from "./message.ts";
import type { BindingKind } from "./resource.ts";
import type { Shape } from "./compare_shapes.ts";

/** The items of a collection, as far as known when its operations are bound. */
export interface Items {
  readonly item: Shape;
  readonly id: readonly string[];
  /** The possible names of an item, in lower case without separators: `pet`, `pets`. */
  readonly nouns: readonly string[];
}

/** Records why an operation isn't bound. */
export type Refuse = (exchange: OperationMessages, reason: string) => void;

/** The operations of a path that declare a 2xx response. The others are refused. */
export function exchangesOf({ byMethod }: PathGroup, refuse: Refuse): OperationMessages[] {
  return [...byMethod.values()].filter((exchange) => {
    if (exchange.status === undefined) refuse(exchange, "it has no response with an exact 2xx code");
    return exchange.status !== undefined;
  });
}

/** The effect of an operation on a resource: its binding without the path parameters. */
export type Effect = Omit<DraftBinding, "idParameter" | "scopeParameters">;

/** The envelope of a body that is the item or the list itself: no keys. */
export const WHOLE_BODY: readonly string[] = [];

export function effect(
  kind: BindingKind,
  exchange: OperationMessages,
  envelope: readonly string[] | undefined,
  more: Partial<Effect> = {},
): Effect {
  return { kind, exchange, envelope, element: WHOLE_BODY, requestEnvelope: undefined, createsMissing: false, ...more };
}

export function listInResponse(
  { response }: OperationMessages,
  items: Items,
  search: Search,
): ListPlace | undefined {
  if (response === undefined) return undefined;
  const { places, reader } = search;
  const lists = places.listsIn(response);
  const fitting = placeAmong(lists, items, reader);
  if (fitting !== undefined) return fitting;
  // A list may show only a few properties of each item. It is accepted if it is the body's only list and shows the id.
  return lists.length === 1 ? lists.find(({ shape }) => hasProperty(shape, items.id, search)) : undefined;
}

export function placeInResponse(
  { response }: OperationMessages,
  items: Items,
  search: Search,
): ItemPlace | undefined {
  if (response === undefined) return undefined;
  const { id, nouns } = items;
  const fitting = itemIn(response, items, search.places, search.reader);
  // A similar whole body must also have the id: Kubernetes' `Status` has most properties of a `Namespace`, but no
  // `name`.
  const isItem = fitting !== undefined &&
    (fitting.path.length > 0 || hasProperty(fitting.shape, id, search) ||
      search.reader.compare(fitting.shape, items.item) === "same");
  if (isItem) return fitting;
  // A response may show only the id: `{ "id": "4" }`, or `{ "pet": { "id": "4" } }`.
  return search.places.itemsIn(response).find(({ path, shape }) =>
    hasProperty(shape, id, search) &&
    (path.length === 0 ? shape.properties.size <= 3 : nouns.includes(path.at(-1)?.toLowerCase() ?? ""))
  );
}

export function hasProperty(shape: Shape, path: readonly string[], { reader }: Search): boolean {
  let at = shape;
  for (const name of path) {
    const property = at.properties.get(name);
    if (property === undefined) return false;
    at = reader.read(property);
  }
  return true;
}

export function placeInRequest(
  { body }: OperationMessages,
  items: Items,
  { places, reader }: Search,
): ItemPlace | undefined {
  if (body === undefined) return undefined;
  return itemIn(body, items, places, reader);
}

/** Whether at least half of the properties of a request body are properties of the item. */
export function hasCommon(body: Shape | undefined, item: Shape, { reader }: Search): boolean {
  if (body === undefined || body.properties.size === 0) return false;
  return reader.sharedWith(body, item) >= body.properties.size / 2;
}
