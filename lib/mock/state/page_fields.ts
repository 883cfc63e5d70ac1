import type { Hints } from "../../schema/hints.ts";
import type { Type } from "../../schema/schema.ts";
import { plainName, singularOf, wordsOf } from "../../names/words.ts";

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

/** A property of the response's body that describes the page. */
export interface PageField {
  readonly path: readonly string[];
  readonly role: PageRole;
  readonly types: ReadonlySet<Type>;
  readonly absence: Absence;
}

/** How a body represents a page field without a value, such as the next page after the last. */
export interface Absence {
  /** The keys that lead to the property, or to the containing object that is left out. */
  readonly path: readonly string[];
  /** The value there; `undefined` if the property or object is left out. */
  readonly value: null | undefined | "" | 0;
}

const COUNTS: ReadonlyMap<string, PageRole> = byName({
  total: [
    ..."total totalcount totalitems totalresults totalelements totalrecords totalsize totalhits totalnumber".split(" "),
    ..."recordcount itemcount nhits numfound found matches odatacount totalcountofitems resultcount".split(" "),
  ],
  totalPages: "totalpages pagecount pages numpages lastpage totalpage numberofpages pagestotal".split(" "),
  remaining: ["remainingitemcount", "remainingcount", "remainingitems"],
  count: "numberofelements returned returnedcount pageitems currentcount countonpage itemsonpage".split(" "),
  limit: "limit perpage pagesize size itemsperpage maxresults top take maxitems pagelimit resultsperpage".split(" "),
  page: "page currentpage pagenumber pageno pagenum number pageindex pagenr".split(" "),
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
function countRoleOf(name: string): { readonly role: PageRole; readonly isSure: boolean } | undefined {
  const listed = COUNTS.get(plainName(name));
  if (listed !== undefined) return { role: listed, isSure: true };
  const words = wordsOf(name).map(singularOf);
  const others = words.filter((word) => word !== "total" && word !== "count");
  if (others.length === words.length || others.some((word) => OTHER_WORDS.has(word))) return undefined;
  if (others.length === 1 && others[0] === "page") return { role: "totalPages", isSure: true };
  const isOfPage = others.some((word) => PAGE_WORDS.has(word));
  return { role: isOfPage ? "count" : "total", isSure: isOfPage || others.every((word) => ITEM_WORDS.has(word)) };
}

const FLAGS: ReadonlyMap<string, PageRole> = byName({
  hasNext: [
    ..."hasmore hasnext hasnextpage hasmoreitems more moreresults hasmoreresults istruncated truncated".split(" "),
    ..."hasmorepages moreavailable hasmoredata hasmorerecords next nextpage".split(" "),
  ],
  hasPrevious: "hasprev hasprevious haspreviouspage hasprevpage haspreviousitems prev previous".split(" "),
  isFirst: ["first", "isfirst", "isfirstpage", "firstpage"],
  isLast: ["last", "islast", "islastpage", "lastpage"],
  isEmpty: ["empty", "isempty"],
});

const CURSORS: ReadonlyMap<string, PageRole> = byName({
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

const URLS: ReadonlyMap<string, PageRole> = byName({
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
const CONTAINERS: ReadonlySet<string> = new Set([
  ..."meta metadata pagination paging page pageinfo links cursors cursor info responsemetadata resultinfo".split(" "),
  ..."next previous prev first last self pageable paginationinfo pager pagemetadata listmetadata pages".split(" "),
  ..."collectionmeta resultset paginationmetadata searchmetadata pagingmetadata responsemeta".split(" "),
]);

/**
 * Properties with the URL of an object that is a link (`next: {href}`), and with the text of an object that is a
 * cursor.
 */
const OF_LINK: ReadonlySet<string> = new Set(["href", "url", "link", "uri"]);
const OF_CURSOR: ReadonlySet<string> = new Set(["after", "before", "cursor", "token", "startingafter"]);

/** Limit of the nesting of page fields below the envelope. */
const MOST_DEPTH = 3;
const MOST_FIELDS = 500;

function byName(names: Readonly<Partial<Record<PageRole, readonly string[]>>>): Map<string, PageRole> {
  return new Map(Object.entries(names).flatMap(([role, list]) => list.map((name) => [name, role as PageRole])));
}

/**
 * Finds the properties of a response's body that describe the page.
 *
 * @param body The schema of the body.
 * @param envelope The keys that lead to the list of items. Each object on this path is searched.
 */
export function findPageFields(body: Hints, envelope: readonly string[]): PageField[] {
  const fields: PageField[] = [];
  for (const [index, key] of envelope.entries()) {
    const hints = envelope.slice(0, index).reduce((at, outer) => at.property(outer), body);
    collect(fields, hints, { path: envelope.slice(0, index), except: key, depth: 0, absence: undefined });
  }
  return withCounts(fields);
}

/** An object of the body whose properties are searched. */
interface Place {
  readonly path: readonly string[];
  /** The property that is or contains the list of items, and isn't searched. */
  readonly except?: string;
  readonly depth: number;
  /** How the body represents the absence of this object. */
  readonly absence: Absence | undefined;
}

function collect(fields: PageField[], hints: Hints, { path, except, depth, absence }: Place): void {
  const parent = depth > 0 ? plainName(path.at(-1) ?? "") : "";
  for (const name of hints.propertyNames) {
    if (name === except || fields.length >= MOST_FIELDS) continue;
    const property = hints.property(name);
    const { types } = property;
    const own = absenceOf([...path, name], types, hints.required.has(name));
    const role = roleOf(name, property, parent);
    if (role !== undefined) {
      // A link object without a URL is left out whole: `next: {href}`.
      const isLeftOut = relationOf(parent) !== undefined && absence !== undefined && absence.value !== "";
      fields.push({ path: [...path, name], types, role, absence: isLeftOut ? absence : own });
    } else if (isContainer(property) && depth < MOST_DEPTH && CONTAINERS.has(plainName(name))) {
      collect(fields, property, { path: [...path, name], depth: depth + 1, absence: own });
    }
  }
}

/** Whether a property is an object. One branch of an `anyOf` may allow anything: `anyOf: [{properties: …}, {}]`. */
function isContainer({ types, propertyNames }: Hints): boolean {
  return types.has("object") || types.size === 0 && propertyNames.size > 0;
}

function absenceOf(path: readonly string[], types: ReadonlySet<Type>, isRequired: boolean): Absence {
  if (types.has("null")) return { path, value: null };
  if (!isRequired) return { path, value: undefined };
  return { path, value: types.has("integer") || types.has("number") ? 0 : "" };
}

/** The role of a property, by its name and type; `parent` is the name of the object that contains it. */
function roleOf(name: string, property: Hints, parent: string): PageRole | undefined {
  const { types, schemas } = property;
  const plain = plainName(name);
  const inLink = relationOf(parent);
  const isText = types.has("string");
  if (isContainer(property)) return undefined;
  if (inLink !== undefined && OF_LINK.has(plain) && isText) return `${inLink}Url`;
  if ((inLink === "next" || inLink === "previous") && OF_CURSOR.has(plain) && isText) return `${inLink}Cursor`;
  if (types.has("boolean") && types.size <= 2) return FLAGS.get(plain);
  if (types.has("integer") || types.has("number")) return countRoleOf(name)?.role;
  if (!isText) return undefined;
  const isUrl = schemas.some(({ format }) => /^(?:uri|url|iri)/.test(format ?? ""));
  const role = isUrl ? URLS.get(plain) : URLS.get(plain) ?? CURSORS.get(plain);
  if (role !== undefined) return role;
  // Totals may be texts: Google's APIs write int64 as a string.
  return schemas.some(({ format }) => /^u?int/.test(format ?? "")) ? countRoleOf(name)?.role : undefined;
}

function relationOf(parent: string): "next" | "previous" | "first" | "last" | "self" | undefined {
  switch (parent) {
    case "next":
    case "first":
    case "last":
    case "self":
      return parent;
    case "prev":
    case "previous":
      return "previous";
    default:
      return undefined;
  }
}

/**
 * `count` is the number of items on the page if another property is the total; else `count` is the total. A count of
 * something that a name calls otherwise, such as `likes_count`, is the total only if no other property is.
 */
function withCounts(fields: readonly PageField[]): PageField[] {
  const nameOf = ({ path }: PageField): string => path.at(-1) ?? "";
  const isCount = (field: PageField): boolean => field.role === "total" && plainName(nameOf(field)) === "count";
  const isSure = (field: PageField): boolean => field.role !== "total" || countRoleOf(nameOf(field))?.isSure !== false;
  const hasTotal = fields.some((field) => field.role === "total" && isSure(field) && !isCount(field));
  const sure = hasTotal ? fields.filter(isSure) : fields;
  return sure.map((field) => hasTotal && isCount(field) ? { ...field, role: "count" } : field);
}

/**
 * The role of a response header, by its name: `x-total-count`. `Link` and `Content-Range` have no role, since they
 * combine several values.
 */
export function headerRoleOf(name: string): PageRole | undefined {
  const bare = name.toLowerCase().replace(/^x-/, "").replace(/^(?:pagination|paging)-/, "");
  const plain = plainName(bare);
  const counted = countRoleOf(bare);
  return HEADER_FLAGS.get(plain) ?? (counted?.isSure === true ? counted.role : undefined) ?? CURSORS.get(plain);
}

const HEADER_FLAGS: ReadonlyMap<string, PageRole> = byName({
  hasNext: ["hasmore", "hasnext", "hasnextpage"],
  hasPrevious: ["hasprev", "hasprevious", "haspreviouspage"],
});
