import type { Operation } from "../../openapi/operation.ts";
import { listParameters } from "../../openapi/parameter.ts";
import { child, entries, type JsonObject } from "../../schema/node.ts";
import { follow } from "../../schema/reference.ts";
import { hashWith } from "../generate/random.ts";

/** An item, as far as its entity tag depends on it. An item doesn't change: a new revision is another object. */
export interface TaggedItem {
  readonly key: string;
  readonly revision: number;
  readonly value: JsonObject;
}

/** The parts of conditional requests (RFC 9110, section 13) that an operation declares. */
export interface EtagRules {
  /** Whether the bound response has the header `ETag`. */
  readonly sendsEtag: boolean;
  /** Whether `If-Match` is declared, or 412. */
  readonly matches: boolean;
  /** Whether `If-None-Match` is declared, or 304; with 412, `If-None-Match: *` too. */
  readonly noneMatches: boolean;
  /** Whether a request without `If-Match` is refused: the operation declares 428. */
  readonly requiresMatch: boolean;
}

/** Whether a request is carried out, or the status that it gets instead. */
export type Precondition = "met" | 304 | 412 | 428;

/** Reads what an operation declares of conditional requests; `undefined` where it declares nothing. */
export function etagRulesOf(operation: Operation, status: number): EtagRules | undefined {
  const { document, node, method } = operation;
  const responses = entries(follow(document, child(node, "responses")));
  const codes = new Set(responses.map(([code]) => code));
  const headers = new Set(
    listParameters(operation).filter((parameter) => parameter.in === "header").map(({ name }) => name.toLowerCase()),
  );
  const bound = responses.find(([code]) => code === String(status))?.[1];
  const declared = bound === undefined ? [] : entries(child(follow(document, bound), "headers"));
  const reads = method === "GET" || method === "HEAD";
  const rules = {
    sendsEtag: declared.some(([name]) => name.toLowerCase() === "etag"),
    matches: headers.has("if-match") || codes.has("412"),
    noneMatches: headers.has("if-none-match") || (reads ? codes.has("304") : codes.has("412")),
    requiresMatch: codes.has("428") && !reads && method !== "POST",
  };
  return Object.values(rules).some(Boolean) ? rules : undefined;
}

const TAGS = new WeakMap<TaggedItem, string>();

/**
 * The strong entity tag of an item (RFC 9110, section 8.8.3). It depends on the revision and on the contents, since
 * revisions are counted anew in a state that was restored.
 */
export function etagOf(item: TaggedItem): string {
  const known = TAGS.get(item);
  if (known !== undefined) return known;
  const { key, revision, value } = item;
  const hash = hashWith(hashWith(0, key), JSON.stringify(value));
  const tag = `"${revision}-${(hash >>> 0).toString(16).padStart(8, "0")}"`;
  TAGS.set(item, tag);
  return tag;
}

/**
 * Evaluates `If-Match` and `If-None-Match` (RFC 9110, section 13.2.2).
 *
 * @param item The item that is there; `undefined` if there is none.
 */
export function checkPreconditions(
  { matches, noneMatches, requiresMatch }: EtagRules,
  { method, headers }: { readonly method: string; readonly headers: Pick<Headers, "get"> },
  item: TaggedItem | undefined,
): Precondition {
  const ifMatch = headers.get("if-match");
  const ifNoneMatch = headers.get("if-none-match");
  if (matches && ifMatch !== null && !isListed(ifMatch, item, "strong")) return 412;
  if (noneMatches && ifNoneMatch !== null && isListed(ifNoneMatch, item, "weak")) {
    return method === "GET" || method === "HEAD" ? 304 : 412;
  }
  if (requiresMatch && item !== undefined && ifMatch === null && ifNoneMatch === null) return 428;
  return "met";
}

/** Whether a list of entity tags, or `*`, has that of the item. Strong comparison never holds for a weak tag. */
function isListed(field: string, item: TaggedItem | undefined, comparison: "strong" | "weak"): boolean {
  if (item === undefined) return false;
  if (field.trim() === "*") return true;
  const tag = etagOf(item);
  // The tags made here have no commas and no spaces, so splitting at commas finds them in any list.
  return field.split(",").some((part) => {
    const listed = part.trim();
    return listed === tag || comparison === "weak" && listed === `W/${tag}`;
  });
}
