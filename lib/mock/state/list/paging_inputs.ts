import { plainName } from "../../../names/words.ts";
import { keywordOf, type QueryInput } from "./query_input.ts";

/** The role of a query parameter that selects a page. */
export type PagingRole =
  /** The page size. */
  | "limit"
  | "page"
  /** The number of items before the page. */
  | "offset"
  /** An opaque text from an earlier response, or the id of an item. The page begins after the item that it names. */
  | "cursor"
  /** The id of the item after which the page begins. */
  | "afterId"
  /** A cursor or id of the item before which the page ends. */
  | "before";

/** Parameter names by role, in lower case without separators. */
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

/** Parameter names that have a role only if the parameter is a number, since they have other meanings as well. */
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

/** The paging parameters of a list operation. */
export interface PagingInputs {
  readonly limit: LimitInput | undefined;
  readonly page: NumberInput | undefined;
  readonly offset: NumberInput | undefined;
  readonly cursor: QueryInput | undefined;
  readonly afterId: QueryInput | undefined;
  readonly before: QueryInput | undefined;
}

/** The parameter with the page size. */
export interface LimitInput extends QueryInput {
  /** The page size for a request without this parameter. */
  readonly defaultValue: number;
  readonly least: number;
  readonly most: number;
}

/** A parameter with the number of a page or item. */
export interface NumberInput extends QueryInput {
  /** The number of the first page or item. */
  readonly first: 0 | 1;
}

/** The page size if the definition mentions no default. */
const USUAL_LIMIT = 20;

/** Finds the paging parameters of a list operation. Of several with the same role, the first is used. */
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

/** The role of a query parameter; `undefined` if it doesn't select a page. */
export function pagingRoleOf(input: QueryInput): PagingRole | undefined {
  const { tokens, types } = input;
  const name = plainName(tokens.join(""));
  // OData's parameter names (`$top`) are unambiguous, so they needn't be numbers.
  const isNumeric = types.has("integer") || types.has("number") || tokens[0]?.startsWith("$") === true;
  const role = ROLES.get(name) ?? (isNumeric ? NUMERIC_ROLES.get(name) : undefined);
  if (role === undefined || types.has("object") && !isNumeric && !types.has("string")) return undefined;
  if (types.has("boolean") && types.size === 1) return undefined;
  // A time, as in `after=2025-01-01`, is a filter, not a cursor.
  const isTime = /^(?:date|time)/.test(keywordOf(input, "format") ?? "");
  if (isTime) return undefined;
  // An `offset` that is a text is a cursor from an earlier response.
  if (role === "offset" && types.size === 1 && types.has("string")) return "cursor";
  return role;
}

function readLimit(input: QueryInput): LimitInput {
  const minimum = keywordOf(input, "minimum");
  const maximum = keywordOf(input, "maximum");
  const least = minimum !== undefined && minimum >= 0 ? Math.ceil(Number(minimum)) : 0;
  const most = maximum !== undefined && maximum >= 1 ? Math.floor(Number(maximum)) : Infinity;
  const defaultValue = numberOf(keywordOf(input, "default")?.value) ?? describedDefault(input.description) ??
    USUAL_LIMIT;
  return { ...input, least, most, defaultValue: Math.min(Math.max(defaultValue, least, 1), most) };
}

/** The default page size in a parameter's description: `the default is 10`, `Defaults to 30.`, `Default: 25`. */
function describedDefault(description: string): number | undefined {
  const [, digits] = /\bdefaults?\b(?: value)?(?: of| is| to| page size)*[\s:=`'"(*_]*(\d{1,4})\b/i
    .exec(description.slice(0, MOST_DESCRIPTION)) ?? [];
  const number = Number(digits);
  return number >= 1 ? number : undefined;
}

/** Limit of the characters of a description that are searched. */
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

/** Whether the first item has the number 1, as with SCIM's `startIndex` (RFC 7644, section 3.4.2.4). */
function countsFromOne(input: QueryInput): boolean {
  const [minimum, start] = [keywordOf(input, "minimum"), keywordOf(input, "default")?.value];
  if (minimum !== undefined || start !== undefined) return start === 1 || start === undefined && minimum === 1;
  return plainName(input.tokens.join("")) === "startindex";
}
