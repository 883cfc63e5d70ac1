/**
 * Names of properties and headers that describe a page of a list: totals, page numbers, cursors and links;
 * `page_flags.ts` has the flags. All names are in lower case without separators, as `plainName` returns them.
 *
 * @module
 */
import { plainName, singularOf, wordsOf } from "./words.ts";

/** The role of a property or header that describes the page. */
export type PageRole =
  | "total"
  | "totalPages"
  | "remaining"
  /** The number of items on this page. */
  | "count"
  | "limit"
  | "page"
  | "offset"
  /** The positions of this page's first and last item in the list, counted from 1. */
  | "firstItem"
  | "lastItem"
  | "hasNext"
  | "hasPrevious"
  | "isFirst"
  | "isLast"
  | "isEmpty"
  | "nextPage"
  | "previousPage"
  | "nextOffset"
  | "previousOffset"
  | "nextCursor"
  | "previousCursor"
  /** The cursors of the first and last item on this page. Unlike the next and previous cursors, every page has them. */
  | "startCursor"
  | "endCursor"
  | "selfUrl"
  | "firstUrl"
  | "lastUrl"
  | "nextUrl"
  | "previousUrl";

const COUNTS: ReadonlyMap<string, PageRole> = byName({
  total: [
    ..."total totalcount totalitems totalresults totalelements totalrecords totalsize totalhits totalnumber".split(" "),
    ..."recordcount itemcount nhits numfound found matches odatacount totalcountofitems resultcount".split(" "),
  ],
  totalPages: "totalpages pagecount pages numpages lastpage totalpage numberofpages pagestotal".split(" "),
  remaining: ["remainingitemcount", "remainingcount", "remainingitems"],
  count: "numberofelements returned returnedcount pageitems currentcount countonpage itemsonpage".split(" "),
  limit: "limit perpage pagesize size itemsperpage maxresults maxsize top take maxitems pagelimit resultsperpage".split(
    " ",
  ),
  page: "page currentpage pagenumber pageno pagenum number pageindex pagenr index".split(" "),
  offset: "offset skip start startindex startat startposition pageoffset".split(" "),
  firstItem: ["from"],
  lastItem: ["to"],
  nextPage: ["next", "nextpage", "nextpagenumber"],
  previousPage: ["prev", "previous", "prevpage", "previouspage", "prevpagenumber", "previouspagenumber"],
  nextOffset: ["nextoffset", "nextstart", "nextskip"],
  previousOffset: ["prevoffset", "previousoffset"],
});

/** Words, in the singular, that name the items of any list: `total_entries`, `rowCount`. */
const ITEM_WORDS: ReadonlySet<string> = new Set([
  ..."all available complete document element entity entry filter filtered found full grand hit item list".split(" "),
  ..."match matched matching number object of overall query record resource result row search the unfiltered".split(
    " ",
  ),
]);
/** Words, in the singular, of totals and counts of other things than the items of all pages: `total_price`. */
const OTHER_WORDS: ReadonlySet<string> = new Set([
  ..."amount attempt balance byte charge cost currency day deleted discount down duration error failed failure".split(
    " ",
  ),
  ..."fee hour inserted latency limit max memory millisecond min minute ms new price quantity quota rate read".split(
    " ",
  ),
  ..."remaining retry score second shard size skipped success successful sum tax time token unread updated".split(" "),
  ..."usage value view warning weight".split(" "),
]);
/** Words of counts of the items on this page: `current_item_count`. */
const PAGE_WORDS: ReadonlySet<string> = new Set(["current", "displayed", "page", "returned", "shown", "this"]);

/** The role of a number by the words of its name: `total_entries`, `filterCount`; `undefined` if it isn't a count. */
export function countRoleOf(name: string): { readonly role: PageRole; readonly isSure: boolean } | undefined {
  const listed = COUNTS.get(plainName(name));
  if (listed !== undefined) return { role: listed, isSure: true };
  const words = wordsOf(name).map(singularOf);
  const others = words.filter((word) => word !== "total" && word !== "count");
  if (others.length === words.length || others.some((word) => OTHER_WORDS.has(word))) return undefined;
  if (others.length === 1 && others[0] === "page") return { role: "totalPages", isSure: true };
  const isOfPage = others.some((word) => PAGE_WORDS.has(word));
  return { role: isOfPage ? "count" : "total", isSure: isOfPage || others.every((word) => ITEM_WORDS.has(word)) };
}

export const PAGE_CURSORS: ReadonlyMap<string, PageRole> = byName({
  nextCursor: [
    ..."nextcursor nextpagetoken nexttoken continuationtoken continue nextmarker cursor nextpagecursor".split(" "),
    ..."paginationtoken pagetoken continuation marker nextcontinuationtoken nextpagekey bookmark offset".split(" "),
    ..."after aftercursor nextstartkey lastevaluatedkey cursornext nextkey nextpageid".split(" "),
  ],
  previousCursor:
    "prevcursor previouscursor prevpagetoken previouspagetoken prevtoken previoustoken before beforecursor"
      .split(" "),
  startCursor: ["startcursor"],
  endCursor: ["endcursor"],
});

export const PAGE_URLS: ReadonlyMap<string, PageRole> = byName({
  nextUrl: [
    ..."next nexturl nextlink nextpage nextpageurl odatanextlink nexthref nexturi nextpagelink nextpageuri".split(" "),
    "nextpath",
  ],
  previousUrl: [
    ..."prev previous prevurl previousurl prevlink previouslink prevpage previouspage prevpageurl".split(" "),
    ..."previouspageurl prevhref previoushref prevuri previouspageuri prevpagelink previouspagelink".split(" "),
  ],
  firstUrl: ["first", "firstpage", "firsturl", "firstpageurl", "firstlink", "firstpageuri"],
  lastUrl: ["last", "lastpage", "lasturl", "lastpageurl", "lastlink"],
  selfUrl: ["self", "selflink", "selfurl"],
});

/** Names of objects that may contain page fields, in lower case without separators. */
export const PAGE_CONTAINERS: ReadonlySet<string> = new Set([
  ..."meta metadata pagination paging page pageinfo links cursors cursor info responsemetadata resultinfo".split(" "),
  ..."next previous prev first last self pageable paginationinfo pager pagemetadata listmetadata pages".split(" "),
  ..."collectionmeta resultset paginationmetadata searchmetadata pagingmetadata responsemeta".split(" "),
]);

/**
 * Properties with the URL of an object that is a link (`next: {href}`), and with the text of an object that is a
 * cursor.
 */
export const LINK_URLS: ReadonlySet<string> = new Set(["href", "url", "link", "uri"]);
export const LINK_CURSORS: ReadonlySet<string> = new Set(["after", "before", "cursor", "token", "startingafter"]);

/** The roles of headers that are flags. */
export const PAGE_HEADER_FLAGS: ReadonlyMap<string, PageRole> = byName({
  hasNext: ["hasmore", "hasnext", "hasnextpage"],
  hasPrevious: ["hasprev", "hasprevious", "haspreviouspage"],
});

function byName(names: Readonly<Partial<Record<PageRole, readonly string[]>>>): Map<string, PageRole> {
  return new Map(Object.entries(names).flatMap(([role, list]) => list.map((name) => [name, role as PageRole])));
}
