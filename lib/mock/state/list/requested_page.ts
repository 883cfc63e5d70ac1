import { type Cursor, decodeCursor } from "./cursor.ts";
import type { ListPlan } from "./list_plan.ts";
import type { NumberInput } from "./paging_inputs.ts";
import type { ListParts, QueryInput } from "./query_input.ts";

/** The page that a request asks for. */
export interface RequestedPage {
  /** The page size; `Infinity` for all items. */
  readonly limit: number;
  readonly start: Start;
}

/** The position of a page, by the kind of parameter that the request used. */
export type Start =
  | { readonly kind: "first" }
  | { readonly kind: "page" | "offset"; readonly offset: number }
  | { readonly kind: "after" | "before"; readonly input: QueryInput; readonly cursor: Cursor; readonly isOwn: boolean };

/** The page size of an operation that has a page number, offset or cursor, but no parameter for the page size. */
const USUAL_LIMIT = 20;
/** Limit of page numbers and offsets, so that page number times page size stays a safe integer. */
const MOST_NUMBER = 1_000_000_000;

/** Reads the page that a request asks for. Invalid values are ignored and passed to `remark`. */
export function readRequestedPage(
  { paging, most }: ListPlan,
  parts: ListParts,
  size: number | undefined,
  remark: (sentence: string) => void,
): RequestedPage {
  const { page, offset, cursor, afterId, before } = paging;
  const isPaged = (page ?? offset ?? cursor ?? afterId ?? before) !== undefined;
  const asked = size ?? (paging.limit === undefined ? isPaged ? USUAL_LIMIT : Infinity : readLimit());
  const limit = Math.min(asked, most);
  return { limit, start: readStart() };

  function readLimit(): number {
    const input = paging.limit;
    if (input === undefined) return Infinity;
    const number = readNumber(input, parts, remark);
    if (number === undefined) return input.defaultValue;
    const within = Math.min(Math.max(number, input.least), input.most);
    if (within !== number) {
      remark(`The parameter "${input.name}" is ${number}; the definition allows ${within}, which was taken.`);
    }
    return within;
  }

  function readStart(): Start {
    for (const [input, kind] of [[cursor, "after"], [afterId, "after"], [before, "before"]] as const) {
      const value = input?.read(parts);
      const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
      if (input === undefined || text === "") continue;
      // An integer cursor is an offset. Integer ids have a parameter of their own, such as `after_id`.
      const isCount = input === cursor && input.types.has("integer") && /^\d{1,10}$/.test(text);
      const own = isCount ? { offset: Number(text), key: "" } : decodeCursor(text);
      return { kind, input, cursor: own ?? { offset: NaN, key: text }, isOwn: own !== undefined };
    }
    const skipped = offset && count(offset);
    if (skipped !== undefined) return { kind: "offset", offset: skipped };
    const number = page && count(page);
    return number === undefined ? { kind: "first" } : { kind: "page", offset: number * limit };
  }

  /** The number of pages or items before the requested one. */
  function count(input: NumberInput): number | undefined {
    const number = readNumber(input, parts, remark);
    return number === undefined ? undefined : Math.max(0, number - input.first);
  }
}

function readNumber(input: QueryInput, parts: ListParts, remark: (sentence: string) => void): number | undefined {
  const value = input.read(parts);
  if (value === undefined || value === "") return undefined;
  const number = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= 0 && number <= MOST_NUMBER) return number;
  remark(`The parameter "${input.name}" is no whole number from 0 to ${MOST_NUMBER}, so it counts as missing.`);
  return undefined;
}
