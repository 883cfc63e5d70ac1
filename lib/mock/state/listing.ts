/**
 * The types of list operations: the request for a page, and the page.
 *
 * @module
 */
import type { HeaderList } from "../../http/handler.ts";
import type { JsonObject } from "../../schema/node.ts";
import type { RequestTarget } from "../../wire/parameter_reader.ts";
import type { Binding } from "../infer/resource.ts";

/** The parts of a binding from which a list plan is made. */
export type ListBinding = Pick<Binding, "operation" | "status" | "envelope" | "element"> & {
  readonly resource: Pick<Binding["resource"], "id" | "schema" | "document" | "name">;
};

/** An item in a list. */
export interface ListedItem {
  /** The id as text. */
  readonly key: string;
  readonly value: JsonObject;
}

/** The items of a collection in the order of their creation, with the searches that it supports. */
export interface ItemSource<Item extends ListedItem> {
  /** All items. They are only read as far as needed. */
  readonly all: () => Iterable<Item>;
  /** The number of items; `undefined` if they must be counted. */
  readonly size?: number | undefined;
  /** Finds the item with an id. Default: all items are searched. */
  readonly get?: (key: string) => Item | undefined;
  /**
   * Finds the items with a string, number or boolean at a path, in the order of their creation; `text` is this value as
   * text. The result may contain other items as well. `undefined` if there is no index. Default: no index.
   */
  readonly find?: (path: readonly string[], text: string) => Iterable<Item> | undefined;
}

/** The parts of a request that a list depends on. */
export interface ListRequest {
  /** The absolute URL as the client sent it, from which the URLs of other pages are made. */
  readonly url: string;
  readonly headers: Pick<Headers, "get">;
  readonly target: RequestTarget;
}

/** A value in the body besides the items, such as a total. */
export interface EnvelopeValue {
  readonly path: readonly string[];
  /** The value; `undefined` removes the property, such as `next` on the last page. */
  readonly value: unknown;
}

/** The page that a request asks for. */
export interface ListPage<Item extends ListedItem> {
  readonly kind: "page";
  readonly items: readonly Item[];
  /**
   * The number of items on all pages that pass the filters; `undefined` if the response doesn't show it and the items
   * weren't counted.
   */
  readonly total: number | undefined;
  readonly values: readonly EnvelopeValue[];
  /** Headers that the response declares: `link`, `x-total-count`. An empty value removes the header. */
  readonly headers: HeaderList;
  /** Remarks for the log about parameters that had no effect. */
  readonly remarks: readonly string[];
}

/** The reason why a request gets no list: its cursor is invalid. */
export interface RefusedList {
  readonly kind: "refused";
  /** The status for this among those that the definition declares: 400, 422, 404 or 410. */
  readonly status: number;
  /** The name of the query parameter. */
  readonly parameter: string;
  /** The detail of the problem. */
  readonly detail: string;
}
