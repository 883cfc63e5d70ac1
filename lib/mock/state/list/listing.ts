/**
 * The types of list operations: the request for a page, and the page.
 *
 * @module
 */
import type { HeaderList } from "../../../http/handler.ts";
import type { JsonObject } from "../../../schema/json/node.ts";
import type { RequestTarget } from "../../../wire/parameter_reader.ts";
import type { Binding } from "../../infer/resource.ts";

export type ListBinding = Pick<Binding, "kind" | "operation" | "status" | "envelope" | "element"> & {
  readonly resource: Pick<Binding["resource"], "id" | "schema" | "document" | "name">;
};

export interface ListedItem {
  readonly key: string;
  readonly value: JsonObject;
}

/** The items of a collection in creation order, with optional searches by id and by property. */
export interface ItemSource<Item extends ListedItem> {
  /** All items, read lazily. */
  readonly all: () => Iterable<Item>;
  /** The number of items; `undefined` if only iteration could tell it. */
  readonly size?: number | undefined;
  /** Finds the item with an id. Default: all items are searched. */
  readonly get?: (key: string) => Item | undefined;
  /**
   * Finds the items whose property at a path has this text as a string, number or boolean, in creation order. May
   * return further items. `undefined` if there is no index. Default: no index.
   */
  readonly find?: (path: readonly string[], text: string) => Iterable<Item> | undefined;
  /**
   * Returns the filtered and sorted items of a request from a cache, else those that `select` returns. Requests for
   * pages of the same list have the same key. Default: no cache.
   */
  readonly cached?: (key: string, select: () => readonly Item[]) => readonly Item[];
}

/** The parts of a request that a list depends on. */
export interface ListRequest {
  /** The absolute URL of the request, from which the URLs of other pages are made. */
  readonly url: string;
  readonly headers: Pick<Headers, "get">;
  readonly target: RequestTarget;
  /** The decoded body of a search by POST; absent if there is none. */
  readonly body?: unknown;
  /** The page size that the client prefers (`Prefer: array-size`), whatever the parameters say; absent for none. */
  readonly size?: number | undefined;
}

/** A value in the body outside the list, such as a total. */
export interface EnvelopeValue {
  readonly path: readonly string[];
  /** The value; `undefined` removes the property, such as `next` on the last page. */
  readonly value: unknown;
}

/** The page that a request asks for, with the values that describe it. */
export interface ListPage<Item extends ListedItem> {
  readonly kind: "page";
  readonly items: readonly Item[];
  /**
   * The number of items on all pages together; `undefined` if the response doesn't show it and nothing else needed it.
   */
  readonly total: number | undefined;
  readonly values: readonly EnvelopeValue[];
  /** Values of headers that the response declares: `link`, `x-total-count`. An empty value removes the header. */
  readonly headers: HeaderList;
  /** The names of the fields of items that the request wants to see; `undefined` for all. */
  readonly fields: ReadonlySet<string> | undefined;
  /** Remarks for the log about parameters that had no effect. */
  readonly remarks: readonly string[];
}

/** The error for a request whose page cursor is invalid. */
export interface RefusedList {
  readonly kind: "refused";
  /** The declared status of the error: 400, 422, 404 or 410. */
  readonly status: number;
  /** The query parameter with the invalid cursor. */
  readonly parameter: string;
  readonly detail: string;
}
