import type { Operation } from "../../openapi/operation.ts";
import { listParameters } from "../../openapi/parameter.ts";
import { child, entries, type JsonObject } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";
import { hashWith } from "../generate/random.ts";
import { writeJson } from "../../schema/json/json.ts";

/** The parts of an item from which its entity tag is made. Items are immutable: each write makes another object. */
export interface TaggedItem {
  readonly key: string;
  readonly revision: number;
  readonly value: JsonObject;
}

/**
 * Which conditional requests (RFC 9110, section 13) an operation supports. Only declared headers and statuses take
 * effect.
 */
export interface EtagRules {
  readonly sendsEtag: boolean;
  /** Whether `If-Match` is evaluated: the operation declares the header, or 412. */
  readonly matches: boolean;
  /** Whether `If-None-Match` is evaluated: the operation declares the header, or 304 for a read, or 412 for a write. */
  readonly noneMatches: boolean;
  /** Whether a request that changes an item needs `If-Match` or `If-None-Match`: the operation declares 428. */
  readonly requiresMatch: boolean;
}

/** `met` if the request is carried out, else the status of its answer. */
export type Precondition = "met" | 304 | 412 | 428;

/**
 * Reads which conditional requests an operation supports; `undefined` if it declares no ETag, precondition header or
 * status.
 */
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
 * The strong entity tag of an item (RFC 9110, section 8.8.3): revision and hash of the value. The revision alone isn't
 * enough, because different values can get the same revision after a session was restored or reset.
 */
export function etagOf(item: TaggedItem): string {
  const known = TAGS.get(item);
  if (known !== undefined) return known;
  const { key, revision, value } = item;
  const hash = hashWith(hashWith(0, key), writeJson(value));
  const tag = `"${revision}-${(hash >>> 0).toString(16).padStart(8, "0")}"`;
  TAGS.set(item, tag);
  return tag;
}

/**
 * Evaluates `If-Match` and `If-None-Match` (RFC 9110, section 13.2.2).
 *
 * @param item The item that the request concerns; `undefined` if it doesn't exist.
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

/**
 * Whether a list of entity tags contains the tag of an item. `*` matches any item; a weak tag (`W/`) matches only in
 * weak comparison.
 */
function isListed(field: string, item: TaggedItem | undefined, comparison: "strong" | "weak"): boolean {
  if (item === undefined) return false;
  if (field.trim() === "*") return true;
  const tag = etagOf(item);
  // Other servers' tags may contain commas. gw's don't, so splitting at commas finds them.
  return field.split(",").some((part) => {
    const listed = part.trim();
    return listed === tag || comparison === "weak" && listed === `W/${tag}`;
  });
}
