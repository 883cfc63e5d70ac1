/**
 * Values of response headers that a standard or a wide convention defines, for headers whose schema has only a type.
 *
 * @module
 */
import { essence, parseMediaType } from "../../http/media_type.ts";
import { child, isObject, type JsonObject, stringOf } from "../../schema/json/node.ts";
import type { Operation } from "../../openapi/operation.ts";
import { hashWith } from "../generate/random.ts";
import { writeJson } from "../../schema/json/json.ts";
import { isNumber } from "../../schema/json/value.ts";

export interface HeaderContext {
  readonly operation: Operation;
  readonly status: number;
  /** Media type of the body; empty if there is no body. */
  readonly mediaType: string;
  /** The decoded body; `undefined` if there is none. */
  readonly body: unknown;
  readonly seed: number;
}

type Write = (context: HeaderContext) => string | undefined;

const EXTENSIONS: Readonly<Record<string, string>> = {
  "application/json": "json",
  "application/pdf": "pdf",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/xml": "xml",
  "application/yaml": "yaml",
  "application/zip": "zip",
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/svg+xml": "svg",
  "text/csv": "csv",
  "text/html": "html",
  "text/plain": "txt",
};

/** A time for `Last-Modified`: a day of 2025 that depends on the seed, in milliseconds since the epoch. */
function changedAt({ operation, seed }: HeaderContext): number {
  const days = hashWith(hashWith(0, operation.path), seed) % 365;
  return Date.UTC(2025, 0, 1 + days, 12);
}

const DAY = 24 * 60 * 60 * 1000;

function httpDate(milliseconds: number): string {
  return new Date(milliseconds).toUTCString();
}

/** An entity tag (RFC 9110, section 8.8.3) that changes with the body. */
const entityTag: Write = ({ operation, body, seed }) => {
  const hash = hashWith(hashWith(hashWith(0, operation.path), writeJson(body) ?? ""), seed);
  return `"${(hash >>> 0).toString(16).padStart(8, "0")}"`;
};

const attachment: Write = ({ mediaType }) => {
  const parsed = parseMediaType(mediaType);
  const extension = parsed === undefined ? undefined : EXTENSIONS[essence(parsed)];
  return `attachment; filename="file.${extension ?? "bin"}"`;
};

const challenge: Write = ({ operation }) => {
  const title = stringOf(child(child(operation.document.root, "info"), "title")) ?? "API";
  return `Bearer realm="${title.replace(/[^ -~]/g, "").replace(/["\\]/g, "\\$&")}"`;
};

/** Functions that make a header's value, by its name in lower case. */
const HEADERS: Readonly<Record<string, Write>> = {
  "cache-control": () => "no-cache",
  "content-disposition": attachment,
  "content-language": () => "en",
  "etag": entityTag,
  "expires": (context) => httpDate(changedAt(context) + 2 * DAY),
  "last-modified": (context) => httpDate(changedAt(context)),
  // A relative reference (RFC 3986, section 4.2), since the answer is cached for all paths of the operation.
  "link": () => '<?page=2>; rel="next"',
  "location": locationOf,
  "retry-after": () => "30",
  "vary": () => "Accept",
  "www-authenticate": challenge,
};

/** Rate limit headers, in all spellings: `X-RateLimit-Limit`, `X-Rate-Limit-Remaining`, `RateLimit-Reset`. */
const RATE_LIMIT = /^(?:x-)?rate-?limit-(limit|remaining|reset|used|policy)$/;
const RATES: Readonly<Record<string, string>> = {
  limit: "100",
  remaining: "99",
  reset: "60",
  used: "1",
  policy: "100;w=60",
};

/**
 * The standard value of a header.
 *
 * @param name The header's name in lower case.
 * @returns `undefined` if no standard header has this name, or if its value depends on more than the response.
 */
export function standardHeader(name: string, context: HeaderContext): string | undefined {
  const [, rate = ""] = RATE_LIMIT.exec(name) ?? [];
  return RATES[rate] ?? (Object.hasOwn(HEADERS, name) ? HEADERS[name]?.(context) : undefined);
}

/**
 * The URI of the item that a request created (RFC 9110, section 10.2.2): the operation's path and the item's id. If the
 * path has parameters, the URI is relative to the path of the request, since the answer is cached for all their values.
 */
function locationOf({ operation: { path, document }, status, body }: HeaderContext): string | undefined {
  if (status >= 300 && status < 400) return "https://example.com/";
  const last = path.slice(path.lastIndexOf("/") + 1);
  const isItem = last.includes("{");
  const names = isItem
    ? parametersOf(last)
    : itemParametersOf(Object.keys(valueOf(child(document.root, "paths"))), path);
  const id = encodeURIComponent((idIn(body, names) ?? "1").toWellFormed());
  if (isItem) return id;
  return path.includes("{") ? `${last}/${id}` : `${path.replace(/\/$/, "")}/${id}`;
}

/** Names of the parameters that follow a collection's path: `petId` for `/pets` and `/pets/{petId}`. */
function itemParametersOf(paths: readonly string[], collection: string): string[] {
  const start = `${collection.replace(/\/$/, "")}/{`;
  return paths.filter((path) => path.startsWith(start) && !path.slice(start.length).includes("/")).flatMap(
    parametersOf,
  );
}

function parametersOf(template: string): string[] {
  const last = template.slice(template.lastIndexOf("/") + 1);
  return [...last.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name);
}

/** Usual names of an item's id, tried after the name of the path parameter. */
const IDS = ["id", "uuid", "_id", "key", "slug", "name"];

/** The id in a body, or in an object in the body, such as `{"pet": {"id": 7}}`. */
function idIn(body: unknown, names: readonly string[]): string | undefined {
  const objects = [body, ...isObject(body) ? Object.values(body) : []].filter(isObject);
  for (const object of objects) {
    for (const name of [...names, ...IDS]) {
      const id = Object.hasOwn(object, name) ? object[name] : undefined;
      if ((typeof id === "string" && id !== "") || isNumber(id)) return String(id);
    }
  }
  return undefined;
}

function valueOf({ value }: { value: unknown }): JsonObject {
  return isObject(value) ? value : {};
}
