import { plainName } from "../infer/words.ts";
import { keywordOf, type QueryInput } from "./query_input.ts";

/** How a query parameter asks for a page. */
export type PagingRole =
  /** The most items of a page. */
  | "limit"
  /** The number of a page. */
  | "page"
  /** The number of items before the page. */
  | "offset"
  /** A text that the response before has told, or the id of an item: the page begins after it. */
  | "cursor"
  /** The id of an item: the page begins after it. */
  | "afterId"
  /** A cursor or id: the page ends before it. */
  | "before";

/** Names of parameters without case and separators. */
const NAMES: Readonly<Record<PagingRole, readonly string[]>> = {
  limit: [
    ..."limit perpage pagesize pagelimit pagelength maxresults maxitems maxkeys maxpagesize resultsperpage".split(" "),
    ..."itemsperpage recordsperpage numresults numitems numberofitems limitperpage maxrecords maxcount pageitems rowcount"
      .split(
        " ",
      ),
  ],
  page: "page pagenumber pageno pagenum pageindex pagenr currentpage".split(" "),
  offset: "offset skip startindex startat pageoffset firstresult startoffset startposition firstrow".split(" "),
  cursor: [
    ..."cursor after pagetoken nexttoken nextpagetoken nextcursor nextmarker continuationtoken continue".split(" "),
    ..."continuation marker startingtoken paginationtoken pagecursor pageafter aftercursor aftertoken".split(" "),
    ..."bookmark pagekey pagingtoken skiptoken startkey cursortoken pagemarker lastevaluatedkey starttoken".split(" "),
  ],
  afterId: "startingafter startafter afterid exclusivestartid lastid sinceid".split(" "),
  before: [
    ..."before endingbefore endbefore beforeid beforecursor prevcursor previouscursor pagebefore".split(" "),
    ..."prevtoken previoustoken prevpagetoken previouspagetoken".split(" "),
  ],
};

/** Names that mean the same only where the value is a number: each also has other meanings. */
const NUMERIC_NAMES: Readonly<Partial<Record<PagingRole, readonly string[]>>> = {
  limit: "size count first top rows take num max pagecount resultcount".split(" "),
  page: ["p", "pg"],
  offset: ["start", "from"],
  afterId: ["since"],
};

const ROLES: ReadonlyMap<string, PagingRole> = byName(NAMES);
const NUMERIC_ROLES: ReadonlyMap<string, PagingRole> = byName(NUMERIC_NAMES);

function byName(names: Readonly<Partial<Record<PagingRole, readonly string[]>>>): Map<string, PagingRole> {
  return new Map(Object.entries(names).flatMap(([role, list]) => list.map((name) => [name, role as PagingRole])));
}

/** The paging parameters of a list, each with what its schema says of its values. */
export interface PagingInputs {
  readonly limit: LimitInput | undefined;
  readonly page: NumberInput | undefined;
  readonly offset: NumberInput | undefined;
  readonly cursor: QueryInput | undefined;
  readonly afterId: QueryInput | undefined;
  readonly before: QueryInput | undefined;
}

/** The parameter that limits a page. */
export interface LimitInput extends QueryInput {
  /** The items of a page for which the request has no limit. */
  readonly otherwise: number;
  readonly least: number;
  readonly most: number;
}

/** A parameter that counts pages or items. */
export interface NumberInput extends QueryInput {
  /** The number of the first page or item: 0 or 1. */
  readonly first: 0 | 1;
}

/** The items of a page where the definition names no other number. */
const USUAL_LIMIT = 20;

/** Finds the paging parameters among the inputs of a list. Of several with one role, the first is taken. */
export function findPagingInputs(inputs: readonly QueryInput[]): PagingInputs {
  const byRole = new Map<PagingRole, QueryInput>();
  for (const input of inputs) {
    const role = pagingRoleOf(input);
    if (role !== undefined && !byRole.has(role)) byRole.set(role, input);
  }
  const of = (role: PagingRole): QueryInput | undefined => byRole.get(role);
  const [limit, page, offset] = [of("limit"), of("page"), of("offset")];
  return {
    limit: limit && readLimit(limit),
    page: page && { ...page, first: countsFromZero(page, "pageindex") ? 0 : 1 },
    offset: offset && { ...offset, first: countsFromOne(offset) ? 1 : 0 },
    cursor: of("cursor"),
    afterId: of("afterId"),
    before: of("before"),
  };
}

/** How an input asks for a page; `undefined` if it doesn't. */
export function pagingRoleOf(input: QueryInput): PagingRole | undefined {
  const { tokens, types } = input;
  const name = plainName(tokens.join(""));
  // The names of OData (`$top`) mean nothing else, whatever their type.
  const isNumeric = types.has("integer") || types.has("number") || tokens[0]?.startsWith("$") === true;
  const role = ROLES.get(name) ?? (isNumeric ? NUMERIC_ROLES.get(name) : undefined);
  if (role === undefined || types.has("object") && !isNumeric && !types.has("string")) return undefined;
  if (types.has("boolean") && types.size === 1) return undefined;
  // A time (`after=2025-01-01`) isn't a cursor.
  const isTime = /^(?:date|time)/.test(keywordOf(input, "format") ?? "");
  if (isTime) return undefined;
  // `offset` as a text is a cursor that the response before has told.
  if (role === "offset" && types.size === 1 && types.has("string")) return "cursor";
  return role;
}

function readLimit(input: QueryInput): LimitInput {
  const minimum = keywordOf(input, "minimum");
  const maximum = keywordOf(input, "maximum");
  const least = minimum !== undefined && minimum >= 0 ? Math.ceil(minimum) : 0;
  const most = maximum !== undefined && maximum >= 1 ? Math.floor(maximum) : Infinity;
  const otherwise = numberOf(keywordOf(input, "default")?.value) ?? describedDefault(input.description) ?? USUAL_LIMIT;
  return { ...input, least, most, otherwise: Math.min(Math.max(otherwise, least, 1), most) };
}

/** The default that a description names: `the default is 10`, `Defaults to 30.`, `Default: 25`. */
function describedDefault(description: string): number | undefined {
  const [, digits] = /\bdefaults?\b(?: value)?(?: of| is| to| page size)*[\s:=`'"(*_]*(\d{1,4})\b/i
    .exec(description.slice(0, MOST_DESCRIPTION)) ?? [];
  const number = Number(digits);
  return number >= 1 ? number : undefined;
}

/** The most characters of a description that are read. */
const MOST_DESCRIPTION = 1_000;

function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && number >= 1 ? number : undefined;
}

function countsFromZero(input: QueryInput, name: string): boolean {
  const [minimum, start] = [keywordOf(input, "minimum"), keywordOf(input, "default")?.value];
  if (minimum !== undefined || start !== undefined) return start === 0 || start === undefined && minimum === 0;
  return plainName(input.tokens.join("")) === name ||
    /\b(?:zero|0)[- ](?:based|indexed)|\bstart(?:s|ing)? (?:at|from|with) (?:0|zero)\b/i
      .test(input.description.slice(0, MOST_DESCRIPTION));
}

/** Whether the first item has the number 1, as that of SCIM's `startIndex` (RFC 7644, section 3.4.2.4). */
function countsFromOne(input: QueryInput): boolean {
  const [minimum, start] = [keywordOf(input, "minimum"), keywordOf(input, "default")?.value];
  if (minimum !== undefined || start !== undefined) return start === 1 || start === undefined && minimum === 1;
  return plainName(input.tokens.join("")) === "startindex";
}
