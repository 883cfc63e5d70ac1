import { essence, parseMediaType } from "../../http/media_type.ts";
import { splitTarget } from "../../http/url.ts";
import type { Document } from "../../openapi/document.ts";
import { listOperations, type Operation } from "../../openapi/operation.ts";
import type { Exchange } from "../exchange.ts";
import { listResponses } from "../select_response.ts";
import { redactUrl } from "../secrets/redact_url.ts";
import { FirstExamples, shorten } from "./first_example.ts";
import {
  isError,
  type OperationSummary,
  type ResponseSummary,
  type Summary,
  type UnmatchedSummary,
  type ViolationSummary,
} from "./summary.ts";

/** The most operations that have counts of their own: each reload may add operations. */
const MOST_OPERATIONS = 20_000;
/** The most responses of different status or media type of one operation. */
const MOST_RESPONSES = 50;
/** The most different violations of one operation, and of all. */
const MOST_VIOLATIONS = { operation: 50, all: 5_000 };
/** The most requests to no operation that are listed: they differ in method, path or status. */
const MOST_UNMATCHED = 200;
/** The most characters of a short text in a report, such as a media type, a method or the place of a violation. */
const MOST_NAME = 120;
/** The most characters of a path that are searched for secrets. */
const MOST_PATH = 2_000;
/** The most characters of a violation's message. */
const MOST_MESSAGE = 300;

/**
 * The most characters of the key by which violations are counted; longer keys with the same start count as one
 * violation.
 */
const MOST_KEY = 1_000;

/** A violation of a summary while its `count` still grows. */
type CountedViolation = { -readonly [Key in keyof ViolationSummary]: ViolationSummary[Key] };

/** The exchanges of an operation while they are counted. */
interface Count {
  /** The operation as the definition that had it last declares it. */
  declared: DeclaredOperation;
  requests: number;
  readonly responses: Map<string, { status: number; mediaType: string; count: number }>;
  readonly violations: Map<string, CountedViolation>;
  unlisted: number;
  unchecked: number;
  uncheckedReason?: string;
  unanswered: number;
  unansweredReason?: string;
}

/** A definition, and its name in reports. */
export interface NamedDefinition {
  readonly name: string;
  readonly document: Document;
}

/**
 * Counts exchanges by operation. An operation keeps its counts over reloads: the URI of its definition, its method and
 * its path identify it. All lists are bounded, so that clients and upstreams can't exhaust the memory.
 */
export class Coverage {
  readonly #counts = new Map<string, Count>();
  /** A cache of the counts by operation, which saves making the key. */
  readonly #known = new WeakMap<Operation, Count>();
  /** A cache of the operations of each definition. */
  readonly #declared = new WeakMap<Document, readonly DeclaredOperation[]>();
  readonly #unmatched = new Map<string, UnmatchedSummary & { count: number }>();
  #requests = 0;
  #unmatchedRequests = 0;
  #invalidRequests = 0;
  #invalidResponses = 0;
  #unanswered = 0;
  #unansweredReason: string | undefined;
  #different = 0;

  /** The number of exchanges. */
  get requests(): number {
    return this.#requests;
  }

  /** Counts an exchange. */
  observe(exchange: Exchange): void {
    const { operation, response, requestViolations, responseViolations, unchecked, failure } = exchange;
    let examples: FirstExamples | undefined;
    const make = (): FirstExamples => examples ??= new FirstExamples(exchange);
    this.#requests++;
    if (failure !== undefined) {
      this.#unanswered++;
      this.#unansweredReason ??= shorten(make().text(failure), MOST_MESSAGE);
    }
    if (operation === undefined) return this.#countUnmatched(exchange);
    if (requestViolations.some(isError)) this.#invalidRequests++;
    if (responseViolations.some(isError)) this.#invalidResponses++;
    const count = this.#countOf(operation);
    if (count === undefined) return;

    count.requests++;
    if (failure === undefined) countResponse(count, response.status, mediaTypeOf(response.headers));
    else {
      count.unanswered++;
      count.unansweredReason ??= shorten(make().text(failure), MOST_MESSAGE);
    }
    if (unchecked !== undefined) {
      count.unchecked++;
      count.uncheckedReason ??= shorten(unchecked, MOST_MESSAGE);
    }
    for (const violation of requestViolations) this.#countViolation(count, "request", violation, make);
    for (const violation of responseViolations) this.#countViolation(count, "response", violation, make);
  }

  /** Sums up the exchanges so far, with the operations of the definitions as they are now. */
  summarize(definitions: readonly NamedDefinition[]): Summary {
    const left = new Map(this.#counts);
    const names = new Map(definitions.map(({ name, document }) => [document.uri, name]));
    const current = definitions.flatMap(({ name, document }) =>
      this.#operationsOf(document).map((declared) => {
        const count = left.get(declared.key);
        left.delete(declared.key);
        return summaryOf(name, declared, count, false);
      })
    );
    const removed = [...left.values()].map((count) => {
      const { declared } = count;
      return summaryOf(names.get(declared.uri) ?? declared.uri, declared, count, true);
    });
    const operations = [...current, ...removed];
    return {
      operations,
      unmatched: [...this.#unmatched.values()].toSorted((a, b) => b.count - a.count),
      totals: {
        operations: operations.length,
        asked: operations.filter(({ requests }) => requests > 0).length,
        requests: this.#requests,
        unmatched: this.#unmatchedRequests,
        invalidRequests: this.#invalidRequests,
        invalidResponses: this.#invalidResponses,
        unanswered: this.#unanswered,
      },
      ...(this.#unansweredReason === undefined ? {} : { unansweredReason: this.#unansweredReason }),
    };
  }

  #operationsOf(document: Document): readonly DeclaredOperation[] {
    let declared = this.#declared.get(document);
    if (declared === undefined) {
      this.#declared.set(document, declared = listOperations(document).map(declaredOperation));
    }
    return declared;
  }

  /** The counts of an operation; `undefined` if there are too many operations. */
  #countOf(operation: Operation): Count | undefined {
    const known = this.#known.get(operation);
    if (known !== undefined) return known;
    const key = keyOf(operation);
    let count = this.#counts.get(key);
    if (count === undefined) {
      if (this.#counts.size >= MOST_OPERATIONS) return undefined;
      count = {
        declared: declaredOperation(operation),
        requests: 0,
        responses: new Map(),
        violations: new Map(),
        unlisted: 0,
        unchecked: 0,
        unanswered: 0,
      };
      this.#counts.set(key, count);
    } else count.declared = declaredOperation(operation);
    this.#known.set(operation, count);
    return count;
  }

  #countViolation(
    count: Count,
    side: "request" | "response",
    violation: Exchange["requestViolations"][number],
    examples: () => FirstExamples,
  ): void {
    const { severity, code } = violation;
    const { location, message } = withoutIndexes(violation);
    const key = shorten(`${side} ${severity} ${code} ${location} ${message}`, MOST_KEY);
    const known = count.violations.get(key);
    if (known !== undefined) {
      known.count++;
      return;
    }
    if (count.violations.size >= MOST_VIOLATIONS.operation || this.#different >= MOST_VIOLATIONS.all) {
      if (severity === "Error") count.unlisted++;
      return;
    }
    this.#different++;
    count.violations.set(key, {
      side,
      severity,
      code: shorten(code, MOST_NAME),
      location: shorten(examples().text(location), MOST_NAME),
      message: shorten(examples().text(message), MOST_MESSAGE),
      count: 1,
      first: examples().at(violation.location),
    });
  }

  #countUnmatched({ request: { method, url }, response: { status } }: Exchange): void {
    this.#unmatchedRequests++;
    const { path } = splitTarget(url);
    const key = `${method} ${status} ${shorten(path, MOST_PATH)}`;
    const known = this.#unmatched.get(key);
    if (known !== undefined) known.count++;
    else if (this.#unmatched.size < MOST_UNMATCHED) {
      const redacted = shorten(redactUrl(shorten(path, MOST_PATH)), MOST_NAME);
      this.#unmatched.set(key, { method: shorten(method, MOST_NAME), path: redacted, status, count: 1 });
    }
  }
}

/**
 * The parts of an operation that reports need. It has no reference to the definition, so that a reload can free the old
 * one.
 */
interface DeclaredOperation {
  readonly key: string;
  /** URI of the definition. */
  readonly uri: string;
  readonly method: string;
  readonly path: string;
  /** The keys of the operation's Responses Object. */
  readonly responses: readonly string[];
}

function declaredOperation(operation: Operation): DeclaredOperation {
  const { document: { uri }, method, path } = operation;
  return { key: keyOf(operation), uri, method, path, responses: listResponses(operation).map(([key]) => key) };
}

function keyOf({ document: { uri }, method, path }: Operation): string {
  return `${method} ${path} ${uri}`;
}

function countResponse({ responses }: Count, status: number, mediaType: string): void {
  const key = `${status} ${mediaType}`;
  const known = responses.get(key);
  if (known !== undefined) known.count++;
  else if (responses.size < MOST_RESPONSES) responses.set(key, { status, mediaType, count: 1 });
}

/** The media type of a message, without parameters; empty where it has none. */
function mediaTypeOf(headers: Headers): string {
  const written = headers.get("content-type");
  if (written === null) return "";
  const mediaType = parseMediaType(written);
  return shorten(mediaType === undefined ? written : essence(mediaType), MOST_NAME);
}

/**
 * The place and the message of a violation, with `*` for indexes: so the same violation counts as one for all items of
 * an array.
 */
function withoutIndexes(
  { location, message }: { location: readonly string[]; message: string },
): { location: string; message: string } {
  const general = location.map((token) => INDEX.test(token) ? "*" : token);
  // A message has only the rest of the place: without `body`, for instance, or without `response` and `body`.
  const start = location[0] === "response" ? 2 : 1;
  const written = location.slice(start).join(".");
  const isSame = general.every((token, at) => token === location[at]);
  return {
    location: general.join("."),
    message: isSame ? message : message.replace(written, () => general.slice(start).join(".")),
  };
}

const INDEX = /^\d+$/;

function summaryOf(
  definition: string,
  { method, path, responses: declared }: DeclaredOperation,
  count: Count | undefined,
  isRemoved: boolean,
): OperationSummary {
  const responses = [...count?.responses.values() ?? []]
    .toSorted((a, b) => a.status - b.status || (a.mediaType < b.mediaType ? -1 : 1));
  return {
    definition,
    method,
    path,
    isRemoved,
    requests: count?.requests ?? 0,
    responses,
    unseen: unseenResponses(declared, responses),
    violations: [...count?.violations.values() ?? []]
      .toSorted((a, b) => Number(isError(b)) - Number(isError(a)) || b.count - a.count),
    unlisted: count?.unlisted ?? 0,
    unchecked: count?.unchecked ?? 0,
    ...(count?.uncheckedReason === undefined ? {} : { uncheckedReason: count.uncheckedReason }),
    unanswered: count?.unanswered ?? 0,
    ...(count?.unansweredReason === undefined ? {} : { unansweredReason: count.unansweredReason }),
  };
}

/** The declared responses that weren't seen. A status belongs to its own key, else to its range, else to `default`. */
function unseenResponses(keys: readonly string[], responses: readonly ResponseSummary[]): string[] {
  const isDeclared = (key: string): boolean => keys.includes(key);
  const seen = new Set(responses.map(({ status }) => {
    const range = `${Math.floor(status / 100)}XX`;
    return isDeclared(String(status)) ? String(status) : isDeclared(range) ? range : "default";
  }));
  return keys.filter((key) => !seen.has(key));
}
