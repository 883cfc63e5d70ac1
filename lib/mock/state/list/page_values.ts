import type { HeaderList } from "../../../http/handler.ts";
import { withoutParameters } from "../../../http/url/url.ts";
import { encodeCursor } from "./cursor.ts";
import type { ListPlan } from "./list_plan.ts";
import type { EnvelopeValue, ListedItem, ListRequest } from "./listing.ts";
import type { PageRole } from "../../../names/page_names.ts";
import type { PageField } from "./page_fields.ts";
import type { Start } from "./requested_page.ts";
import { isNumber } from "../../../schema/json/value.ts";

/** A page of items, with its position in the list. */
export interface FoundPage {
  readonly items: readonly ListedItem[];
  readonly offset: number;
  /** The page size; `Infinity` for all items. */
  readonly limit: number;
  readonly hasNext: boolean;
  /** The number of items on all pages; `undefined` if they weren't counted. */
  readonly total: number | undefined;
  readonly start: Start;
}

/** Computes the values of the page fields and headers that describe a page. */
export class PageValues {
  readonly #plan: ListPlan;
  readonly #page: FoundPage;
  readonly #request: ListRequest;

  constructor(plan: ListPlan, page: FoundPage, request: ListRequest) {
    this.#plan = plan;
    this.#page = page;
    this.#request = request;
  }

  values(): EnvelopeValue[] {
    return this.#plan.fields.map((field) => {
      const value = this.#typed(field, this.#valueOf(field.role));
      return value === undefined ? field.absence : { path: field.path, value };
    });
  }

  /** The headers that describe the page. A header without a value is empty. */
  headers(): HeaderList {
    return this.#plan.headers.map(({ name, role }) => {
      if (role === "link") return [name, this.#link()];
      if (role === "contentRange") return [name, this.#contentRange()];
      return [name, String(this.#valueOf(role) ?? "")];
    });
  }

  /** Converts a number to text if the type of the page field is `string`. */
  #typed({ types }: PageField, value: unknown): unknown {
    const isText = types.has("string") && !types.has("integer") && !types.has("number");
    return isNumber(value) && isText ? String(value) : value;
  }

  /** The value of a page field; `undefined` if it has none, such as a next page after the last. */
  #valueOf(role: PageRole): unknown {
    const { items, offset, limit, hasNext, total } = this.#page;
    const size = Number.isFinite(limit) ? limit : undefined;
    const first = this.#plan.paging.page?.first ?? 1;
    const number = size === undefined || size === 0 ? 0 : Math.floor(offset / size);
    switch (role) {
      case "total":
        return total;
      case "totalPages":
        return this.#pages();
      case "remaining":
        return hasNext && total !== undefined ? total - offset - items.length : undefined;
      case "count":
        return items.length;
      case "limit":
        return size ?? items.length;
      case "page":
        return number + first;
      case "offset":
        return offset + (this.#plan.paging.offset?.first ?? 0);
      case "firstItem":
        return items.length === 0 ? undefined : offset + 1;
      case "lastItem":
        return items.length === 0 ? undefined : offset + items.length;
      case "hasNext":
        return hasNext;
      case "hasPrevious":
        return offset > 0;
      case "isFirst":
        return offset === 0;
      case "isLast":
        return !hasNext;
      case "isEmpty":
        return items.length === 0;
      case "nextPage":
        return hasNext ? number + first + 1 : undefined;
      case "previousPage":
        return offset > 0 ? Math.max(number - 1, 0) + first : undefined;
      case "nextOffset":
        return hasNext ? offset + items.length : undefined;
      case "previousOffset":
        return offset > 0 ? Math.max(0, offset - (size ?? offset)) : undefined;
      default:
        return this.#linkOrCursor(role);
    }
  }

  /** The cursor or URL of a page field. */
  #linkOrCursor(role: Exclude<PageRole, "total">): string | undefined {
    const { items, offset, hasNext } = this.#page;
    const [first, last] = [items[0], items.at(-1)];
    switch (role) {
      case "nextCursor":
        return hasNext ? this.#cursor(offset + items.length, last) : undefined;
      case "endCursor":
        return last && this.#cursor(offset + items.length, last);
      case "startCursor":
        return first && this.#cursor(offset, first);
      case "previousCursor":
        return offset > 0 ? this.#previousCursor() : undefined;
      case "selfUrl":
        return this.#withQuery(this.#request.target.query);
      case "firstUrl":
        return this.#url([]);
      case "nextUrl":
        return hasNext ? this.#urlAt(offset + items.length, last) : undefined;
      case "previousUrl":
        return offset > 0 ? this.#urlBefore() : undefined;
      case "lastUrl":
        return this.#lastUrl();
      default:
        return undefined;
    }
  }

  #pages(): number | undefined {
    const { limit, total } = this.#page;
    if (total === undefined) return undefined;
    return Number.isFinite(limit) && limit > 0 ? Math.ceil(total / limit) : 1;
  }

  /** The cursor of the page that begins at an offset. `last` is the item before that page. */
  #cursor(offset: number, last: ListedItem | undefined): string | undefined {
    const { cursor, afterId, page } = this.#plan.paging;
    if (cursor !== undefined) {
      return isNumeric(cursor) ? String(offset) : encodeCursor({ offset, key: last?.key ?? "" });
    }
    if (afterId !== undefined) return last?.key;
    if (page === undefined) return undefined;
    return String(Math.floor(offset / Math.max(1, this.#page.limit)) + page.first);
  }

  #previousCursor(): string | undefined {
    const { before, cursor } = this.#plan.paging;
    const { items: [first], offset, limit } = this.#page;
    if (before !== undefined) return first && encodeCursor({ offset, key: first.key });
    return cursor === undefined ? undefined : this.#cursor(Math.max(0, offset - limit), undefined);
  }

  /**
   * The URL of the page that begins at an offset, with the paging parameter that the request used, or else the first
   * that the operation declares.
   */
  #urlAt(offset: number, last: ListedItem | undefined): string | undefined {
    const { page, offset: skipped, cursor, afterId } = this.#plan.paging;
    const { start, limit } = this.#page;
    const asCursor = start.kind === "after" || start.kind === "before";
    const byPage = (): string | undefined =>
      page && this.#url([[page.name, String(Math.floor(offset / Math.max(1, limit)) + page.first)]]);
    const byOffset = (): string | undefined => skipped && this.#url([[skipped.name, String(offset + skipped.first)]]);
    const byCursor = (): string | undefined => {
      const text = this.#cursor(offset, last);
      const input = cursor ?? afterId;
      return input && text !== undefined ? this.#url([[input.name, text]]) : undefined;
    };
    if (asCursor) return byCursor();
    return start.kind === "offset" ? byOffset() : byPage() ?? byOffset() ?? byCursor();
  }

  #urlBefore(): string | undefined {
    const { before } = this.#plan.paging;
    const { items: [first], offset, limit, start } = this.#page;
    const asCursor = start.kind === "after" || start.kind === "before";
    if (asCursor && before !== undefined && first !== undefined) {
      const text = this.#plan.paging.cursor === undefined ? first.key : encodeCursor({ offset, key: first.key });
      return this.#url([[before.name, text]]);
    }
    return this.#urlAt(Math.max(0, offset - limit), undefined);
  }

  #lastUrl(): string | undefined {
    const { page, offset } = this.#plan.paging;
    const { limit, start } = this.#page;
    const pages = this.#pages();
    if (pages === undefined || start.kind === "after" || start.kind === "before") return undefined;
    if (page === undefined && offset === undefined) return undefined;
    return this.#urlAt(Math.max(0, pages - 1) * (Number.isFinite(limit) ? limit : 0), undefined);
  }

  /** The request's URL with other paging parameters. */
  #url(parameters: readonly [name: string, value: string][]): string {
    const { query } = this.#request.target;
    const { page, offset, cursor, afterId, before } = this.#plan.paging;
    const names = [page, offset, cursor, afterId, before].flatMap((input) => input === undefined ? [] : [input.name]);
    const rest = query === "" ? "" : withoutParameters(query, new Set(names));
    const added = parameters.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    return this.#withQuery([rest, ...added].filter((part) => part !== "").join("&"));
  }

  #withQuery(query: string): string {
    const [base = ""] = this.#request.url.split(/[?#]/, 1);
    return query === "" ? base : `${base}?${encodeQuery(query)}`;
  }

  /** The header `Link` with the URLs of the other pages (RFC 8288). */
  #link(): string {
    const { offset, hasNext } = this.#page;
    const links: [string, unknown][] = [
      ["prev", this.#valueOf("previousUrl")],
      ["next", this.#valueOf("nextUrl")],
      ["last", hasNext ? this.#valueOf("lastUrl") : undefined],
      ["first", offset > 0 ? this.#valueOf("firstUrl") : undefined],
    ];
    return links.flatMap(([relation, url]) => typeof url === "string" ? [`<${url}>; rel="${relation}"`] : []).join(
      ", ",
    );
  }

  #contentRange(): string {
    const { items, offset, total } = this.#page;
    const range = items.length === 0 ? "*" : `${offset}-${offset + items.length - 1}`;
    return `items ${range}/${total ?? "*"}`;
  }
}

/**
 * Percent-encodes characters that clients send as they are, but that a URI must not contain (RFC 3986, section 3.4):
 * `page[size]`.
 */
function encodeQuery(text: string): string {
  return text.replaceAll(/[[\]{}|^`"<>\\ ]/g, encodeURIComponent);
}

function isNumeric({ types }: { readonly types: ReadonlySet<string> }): boolean {
  return types.has("integer") && !types.has("string");
}
