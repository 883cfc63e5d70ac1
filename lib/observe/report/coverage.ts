import { essence, parseMediaType } from "../../http/media_type.ts";
import { splitTarget } from "../../http/url/url.ts";
import type { Document } from "../../openapi/document.ts";
import { listOperations, type Operation } from "../../openapi/operation.ts";
import type { Exchange } from "../exchange.ts";
import { listResponses } from "../../mock/answer/select_response.ts";
import { NO_SECRETS } from "../secrets/declared_secrets.ts";
import { RequestRedactor } from "../secrets/request_redactor.ts";
import { FirstExamples, shorten } from "./first_example.ts";
import {
  isError,
  type OperationSummary,
  type ResponseSummary,
  type Summary,
  type UnmatchedSummary,
  type ViolationSummary,
} from "./summary.ts";

/** The most operations that are counted. The limit bounds the memory, since each reload may add operations. */
const MOST_OPERATIONS = 20_000;
/** The most responses that are counted for one operation; they differ in status or media type. */
const MOST_RESPONSES = 50;
/** The most different violations that are counted for one operation, and for all operations together. */
const MOST_VIOLATIONS = { operation: 50, all: 5_000 };
/** The most requests to no operation that are listed; they differ in method, path or status. */
const MOST_UNMATCHED = 200;
/** The most characters of a short text in a report, such as a media type, a method or the place of a violation. */
const MOST_NAME = 120;
/** The most characters of a path that are searched for secrets. */
const MOST_PATH = 2_000;
const MOST_MESSAGE = 300;

/**
 * The most characters of the key by which violations are counted. Violations whose longer keys begin alike count as
 * one.
 */
const MOST_KEY = 1_000;

/** A violation whose `count` can still grow. */
type CountedViolation = { -readonly [Key in keyof ViolationSummary]: ViolationSummary[Key] };

/** The counters of one operation. */
interface Count {
  /** The operation, as the latest definition that contains it declares it. */
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

export interface NamedDefinition {
  readonly name: string;
  readonly document: Document;
}

/**
 * Counts exchanges by operation. An operation keeps its counts when its definition is reloaded: the URI of the
 * definition, the method and the path identify it. All lists are bounded, so that clients and upstreams can't exhaust
 * the memory.
 */
export class Coverage {
  readonly #counts = new Map<string, Count>();
  /** Caches the counters by operation, so that their key need not be made for each exchange. */
  readonly #known = new WeakMap<Operation, Count>();
  /** Caches the operations of each definition. */
  readonly #declared = new WeakMap<Document, readonly DeclaredOperation[]>();
  readonly #unmatched = new Map<string, UnmatchedSummary & { count: number }>();
  #requests = 0;
  #unmatchedRequests = 0;
  #invalidRequests = 0;
  #invalidResponses = 0;
  #unanswered = 0;
  #unansweredReason: string | undefined;
  #differentViolations = 0;

  get requests(): number {
    return this.#requests;
  }

  observe(exchange: Exchange): void {
    const { operation, response, requestViolations, responseViolations, unchecked, failure } = exchange;
    let examples: FirstExamples | undefined;
    const make = (): FirstExamples => examples ??= new FirstExamples(exchange);
    this.#requests++;
    if (failure !== undefined) {
      this.#unanswered++;
      this.#unansweredReason ??= shorten(make().sentence(failure), MOST_MESSAGE);
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
      count.unansweredReason ??= shorten(make().sentence(failure), MOST_MESSAGE);
    }
    if (unchecked !== undefined) {
      count.unchecked++;
      count.uncheckedReason ??= shorten(make().sentence(unchecked), MOST_MESSAGE);
    }
    for (const violation of requestViolations) this.#countViolation(count, "request", violation, make);
    for (const violation of responseViolations) this.#countViolation(count, "response", violation, make);
  }

  /** Summarises the exchanges so far, with all operations that the definitions have now. */
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

  /** The counters of an operation; `undefined` if too many operations are counted. */
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
    if (count.violations.size >= MOST_VIOLATIONS.operation || this.#differentViolations >= MOST_VIOLATIONS.all) {
      if (severity === "Error") count.unlisted++;
      return;
    }
    this.#differentViolations++;
    count.violations.set(key, {
      side,
      severity,
      code: shorten(code, MOST_NAME),
      location: shorten(examples().sentence(location), MOST_NAME),
      message: shorten(examples().sentence(message), MOST_MESSAGE),
      count: 1,
      first: examples().at(violation.location),
    });
  }

  #countUnmatched({ request, response: { status } }: Exchange): void {
    const { method, url } = request;
    this.#unmatchedRequests++;
    const { path } = splitTarget(url);
    const key = `${method} ${status} ${shorten(path, MOST_PATH)}`;
    const known = this.#unmatched.get(key);
    if (known !== undefined) known.count++;
    else if (this.#unmatched.size < MOST_UNMATCHED) {
      const short = { url: `http://localhost${shorten(path, MOST_PATH)}`, headers: request.headers };
      const redacted = shorten(new RequestRedactor(short, NO_SECRETS).target, MOST_NAME);
      this.#unmatched.set(key, { method: shorten(method, MOST_NAME), path: redacted, status, count: 1 });
    }
  }
}

/**
 * What reports need of an operation. It holds no reference to the definition, so that the old definition can be garbage
 * collected after a reload.
 */
interface DeclaredOperation {
  readonly key: string;
  readonly uri: string;
  readonly method: string;
  readonly path: string;
  /** The keys of the operation's Responses Object: `200`, `4XX`, `default`. */
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

/** The media type of a message, without parameters; empty if it has none. */
function mediaTypeOf(headers: Headers): string {
  const written = headers.get("content-type");
  if (written === null) return "";
  const mediaType = parseMediaType(written);
  return shorten(mediaType === undefined ? written : essence(mediaType), MOST_NAME);
}

/**
 * The place and the message of a violation, with `*` for array indexes. So the same violation of several items of an
 * array counts as one.
 */
function withoutIndexes(
  { location, message }: { location: readonly string[]; message: string },
): { location: string; message: string } {
  const general = location.map((token) => INDEX.test(token) ? "*" : token);
  // A message contains the place without its first token (`body`), or in responses without its first two (`response`,
  // `body`).
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

/**
 * The keys of the declared responses that no exchange had. A status counts for its own key; if that isn't declared, for
 * its range (`4XX`); otherwise for `default`.
 */
function unseenResponses(keys: readonly string[], responses: readonly ResponseSummary[]): string[] {
  const isDeclared = (key: string): boolean => keys.includes(key);
  const seen = new Set(responses.map(({ status }) => {
    const range = `${Math.floor(status / 100)}XX`;
    return isDeclared(String(status)) ? String(status) : isDeclared(range) ? range : "default";
  }));
  return keys.filter((key) => !seen.has(key));
}
