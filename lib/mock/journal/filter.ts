import { decodeStrictly } from "../../http/decode_strictly.ts";
import { decodeQueryText, splitQuery, splitTarget } from "../../http/url/url.ts";
import { isSecretName } from "../../names/secret_names.ts";
import { isEqual } from "../../schema/json/equal.ts";
import { parsePointer, valueAt } from "../../schema/json/pointer.ts";
import { fitsWildcards } from "../rules/rule_target.ts";
import type { HeaderList } from "../../http/handler.ts";
import type { JournalEntry } from "./entry.ts";
import { readJsonText, writeJson } from "../../schema/json/json.ts";

/**
 * A filter of recorded requests. A request matches if it meets every given part; an empty filter matches all requests.
 */
export interface RequestFilter {
  /** An `operationId`, or method and path as the definition writes them: `GET /pets/{petId}`. */
  readonly operation?: string;
  /** The HTTP method. */
  readonly method?: string;
  /** The path of the request, without query. `*` stands for any text: `/pets/*`. */
  readonly path?: string;
  /** The values of query parameters by name, decoded. */
  readonly query?: Readonly<Record<string, string>>;
  /** The values of the request's headers by name, in any case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The status of the answer: `201`, or a range such as `4XX`. */
  readonly status?: number | string;
  /** Values in the JSON body of the request by JSON Pointer: `{"/name": "Tom"}`. The empty pointer is the whole body. */
  readonly body?: Readonly<Record<string, unknown>>;
  /**
   * A text that the request or its answer contains, in any case: in the URL, a header, a body, a violation, or the
   * `detail` of a problem.
   */
  readonly text?: string;
  /** The source of the answer: `state`, `rule`, `problem`. `examples` stands for all named examples. */
  readonly source?: string;
  /** The name of a rule that applied. */
  readonly rule?: string;
  /** Whether the request fits an operation. */
  readonly matched?: boolean;
  /** Whether the request has violations. */
  readonly violations?: boolean;
}

/**
 * A condition of a filter. Returns `undefined` if the request meets it, else the difference: `the status is 404, not
 * 200`.
 */
export type FilterCondition = (entry: JournalEntry) => string | undefined;

/** The conditions of a filter, the fastest first. */
export function filterConditions(filter: RequestFilter): FilterCondition[] {
  const { operation, method, path, query = {}, headers = {}, status, body = {} } = filter;
  const { text, source, rule, matched, violations } = filter;
  const readBody = createBodyReader();
  return [
    ...method === undefined ? [] : [methodIs(method)],
    ...operation === undefined ? [] : [operationIs(operation)],
    ...status === undefined ? [] : [statusIs(String(status))],
    ...source === undefined ? [] : [sourceIs(source)],
    ...rule === undefined ? [] : [ruleIs(rule)],
    ...matched === undefined ? [] : [isMatched(matched)],
    ...violations === undefined ? [] : [hasViolations(violations)],
    ...path === undefined ? [] : [pathIs(path)],
    ...Object.entries(query).map(([name, value]) => queryHas(name, value)),
    ...Object.entries(headers).map(([name, value]) => headerIs(name, value)),
    ...Object.entries(body).map(([pointer, value]) => bodyHas(pointer, value, readBody)),
    ...text === undefined || text === "" ? [] : [contains(text)],
  ];
}

export function fulfils(entry: JournalEntry, conditions: readonly FilterCondition[]): boolean {
  return conditions.every((differs) => differs(entry) === undefined);
}

function methodIs(wanted: string): FilterCondition {
  const method = wanted.toUpperCase();
  return ({ request }) => request.method === method ? undefined : `the method is ${request.method}, not ${method}`;
}

function operationIs(wanted: string): FilterCondition {
  return ({ operation }) => {
    if (operation === undefined) return "no operation has its path and method";
    const { operationId, method, path } = operation;
    const name = `${method} ${path}`;
    return operationId === wanted || name === wanted
      ? undefined
      : `the operation is ${operationId ?? name}, not ${wanted}`;
  };
}

function statusIs(wanted: string): FilterCondition {
  const range = /^([1-5])XX$/i.exec(wanted)?.[1];
  return ({ response: { status } }) =>
    String(status) === wanted || range !== undefined && String(status).startsWith(range)
      ? undefined
      : `the status is ${status}, not ${wanted}`;
}

function sourceIs(wanted: string): FilterCondition {
  return ({ response: { source } }) =>
    source === wanted || source.startsWith(`${wanted}.`) ? undefined : `the source is ${source}, not ${wanted}`;
}

function ruleIs(wanted: string): FilterCondition {
  return ({ response: { rules = [] } }) =>
    rules.includes(wanted) ? undefined : `the rules that applied are ${rules.join(", ") || "none"}, not ${wanted}`;
}

function isMatched(wanted: boolean): FilterCondition {
  return ({ operation }) =>
    (operation !== undefined) === wanted
      ? undefined
      : wanted
      ? "no operation has its path and method"
      : "an operation has its path and method";
}

function hasViolations(wanted: boolean): FilterCondition {
  return ({ violations: { length } }) =>
    length > 0 === wanted ? undefined : length > 0 ? "it has violations" : "it has no violations";
}

/** Limit of the texts of headers that a search remembers. */
const MOST_TEXTS = 10_000;

/**
 * Looks for a text in all parts of an exchange. What successive requests share is searched once: lists of headers,
 * answers, and the names and values of headers.
 */
function contains(text: string): FilterCondition {
  const wanted = text.toLowerCase();
  const decoder = new TextDecoder();
  const isIn = (part: string | undefined): boolean => part !== undefined && part.toLowerCase().includes(wanted);
  const texts = new Map<string, boolean>();
  const isInField = (part: string): boolean => {
    const known = texts.get(part);
    if (known !== undefined) return known;
    const found = isIn(part);
    if (texts.size < MOST_TEXTS) texts.set(part, found);
    return found;
  };
  const isInHeaders = onceInARow((headers: HeaderList) =>
    headers.some(([name, value]) => isInField(name) || isInField(value))
  );
  const isInBody = (body: Uint8Array | undefined): boolean => body !== undefined && isIn(decoder.decode(body));
  const isInResponse = onceInARow(({ headers, body, detail }: JournalEntry["response"]) =>
    headers.some(([name, value]) => isInField(name) || isInField(value)) || isIn(detail) || isInBody(body)
  );
  return ({ request, response, violations }) =>
    isIn(request.url) || isInHeaders(request.headers) || isInBody(request.body) || isInResponse(response) ||
      violations.some(({ message }) => isIn(message))
      ? undefined
      : "it doesn't contain the text that is wanted";
}

/** Makes a function that memoises its result for the last object. */
function onceInARow<Part extends object>(search: (part: Part) => boolean): (part: Part) => boolean {
  let last: Part | undefined;
  let found = false;
  return (part) => {
    if (part === last) return found;
    last = part;
    return found = search(part);
  };
}

function pathIs(wanted: string): FilterCondition {
  return ({ request: { url } }) => {
    const { path } = splitTarget(url);
    return fitsWildcards(wanted, path) ? undefined : `the path is ${path}, not ${wanted}`;
  };
}

/** Limit of the query parameters that are searched. */
const MOST_PARAMETERS = 1000;

function queryHas(name: string, wanted: string): FilterCondition {
  const shown = isSecretName(name) ? "the secret that is wanted" : writeJson(wanted);
  return ({ request: { url } }) => {
    const values = splitQuery(splitTarget(url).query, MOST_PARAMETERS).get(name);
    if (values === undefined) return `the query has no ${name}`;
    if (values.some((value) => decodeQueryText(value) === wanted)) return undefined;
    return `${name} in the query isn't ${shown}`;
  };
}

function headerIs(written: string, wanted: string): FilterCondition {
  const name = written.toLowerCase();
  const shown = isSecretName(name) ? "the secret that is wanted" : writeJson(wanted);
  return ({ request: { headers, lacksDetails } }) => {
    const values: string[] = [];
    for (const [key, value] of headers) if (key === name || key.toLowerCase() === name) values.push(value);
    if (lacksDetails === true) return "its headers weren't recorded: too many requests in that second";
    if (values.length === 0) return `it has no header ${name}`;
    // Lines of one name mean the same as one line with commas (RFC 9110, section 5.3).
    if (values.includes(wanted) || values.join(", ") === wanted) return undefined;
    return `its header ${name} isn't ${shown}`;
  };
}

function bodyHas(pointer: string, wanted: unknown, readBody: BodyReader): FilterCondition {
  const place = pointer === "" ? "the body" : `${pointer} of the body`;
  return ({ request }) => {
    const body = readBody(request);
    if (body === undefined) {
      return request.lacksDetails === true
        ? "its body wasn't recorded: too many requests in that second"
        : "its body is absent, incomplete or not JSON";
    }
    const value = valueAt(body.value, parsePointer(pointer));
    if (value === undefined) return `its body has no ${pointer}`;
    if (isEqual(value, wanted)) return undefined;
    if (isSecretName(parsePointer(pointer).at(-1) ?? "", value)) return `${place} isn't the secret that is wanted`;
    return `${place} is ${shorten(writeJson(value))}, not ${shorten(writeJson(wanted) ?? "")}`;
  };
}

type BodyReader = typeof jsonBodyOf;

/** Makes a reader that memoises the last parsed body, since several conditions read the body of one request. */
function createBodyReader(): BodyReader {
  let last: { request: JournalEntry["request"]; value: ReturnType<BodyReader> } | undefined;
  return (request) => {
    if (last?.request !== request) last = { request, value: jsonBodyOf(request) };
    return last.value;
  };
}

/** The parsed JSON body of a request; `undefined` if the body is absent, incomplete, or not JSON. */
function jsonBodyOf({ body, bodyLength }: JournalEntry["request"]): { value: unknown } | undefined {
  const text = body === undefined || bodyLength !== undefined ? undefined : decodeStrictly(body);
  try {
    return text === undefined ? undefined : { value: readJsonText(text) };
  } catch {
    return undefined;
  }
}

/** Limit of the characters of a value that a message shows. */
const MOST_SHOWN = 60;

function shorten(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
