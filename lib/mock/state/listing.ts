/**
 * The vocabulary of lists: what a list operation is asked for, and its page of items.
 *
 * @module
 */
import type { HeaderList } from "../../http/handler.ts";
import type { JsonObject } from "../../schema/node.ts";
import type { RequestTarget } from "../../wire/parameter_reader.ts";
import type { Binding } from "../infer/resource.ts";

/** The parts of a binding that a plan is made from. */
export type ListBinding = Pick<Binding, "operation" | "status" | "envelope" | "element"> & {
  readonly resource: Pick<Binding["resource"], "id" | "schema" | "document" | "name">;
};

/** An item, as far as lists look at it. */
export interface ListedItem {
  /** The id, as in a path. */
  readonly key: string;
  readonly value: JsonObject;
}

/** The items of a collection, in the order of their creation. */
export interface ItemSource<Item extends ListedItem> {
  /** All items. A list without filters and without a sort order stops at the end of its page if `size` is known. */
  readonly all: () => Iterable<Item>;
  /** The number of items; `undefined` where it is found only by counting. */
  readonly size?: number | undefined;
  /** The item with an id. Default: found by searching. */
  readonly get?: (key: string) => Item | undefined;
  /**
   * The items with a text, number or boolean at a path of properties, in the order of their creation; `text` is the
   * value as a string. It may have others too. `undefined` where there is no index. Default: no index.
   */
  readonly find?: (path: readonly string[], text: string) => Iterable<Item> | undefined;
}

/** The parts of a request that its list depends on. */
export interface ListRequest {
  /** The absolute URL, as the client wrote it: links to other pages begin with it. */
  readonly url: string;
  readonly headers: Pick<Headers, "get">;
  readonly target: RequestTarget;
}

/** A value beside the items in the body, such as a total, by its path in the body. */
export interface EnvelopeValue {
  readonly path: readonly string[];
  /** `undefined`: the body has no such property, such as `next` on the last page. */
  readonly value: unknown;
}

/** The page of items that a request asks for. */
export interface ListPage<Item extends ListedItem> {
  readonly kind: "page";
  readonly items: readonly Item[];
  /** The items on all pages, once filtered; `undefined` where the response doesn't show it and it wasn't counted. */
  readonly total: number | undefined;
  readonly values: readonly EnvelopeValue[];
  /** Headers that the response declares: `link`, `x-total-count`. An empty value: the response has no such header. */
  readonly headers: HeaderList;
  /** Sentences for the log about parameters that were not followed. */
  readonly remarks: readonly string[];
}

/** The reason why a request gets no list: a cursor that names no item. */
export interface RefusedList {
  readonly kind: "refused";
  /** A status that the definition declares: 400, 422, 404 or 410. */
  readonly status: number;
  /** Name of the query parameter. */
  readonly parameter: string;
  /** The detail of the problem. */
  readonly detail: string;
}
