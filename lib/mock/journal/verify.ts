import { oneLine } from "../../http/one_line.ts";
import { splitTarget, targetOf } from "../../http/url/url.ts";
import type { JournalEntry } from "./entry.ts";
import type { EntryRedactor } from "./redact_entry.ts";
import { type FilterCondition, filterConditions, fulfils, type RequestFilter } from "./filter.ts";

/** An expectation: which requests should have come, and how many. Without a number, at least one. */
export interface Expectation extends RequestFilter {
  /** The exact number of requests. */
  readonly count?: number;
  /** The smallest number of requests. */
  readonly atLeast?: number;
  /** The greatest number of requests. */
  readonly atMost?: number;
  /**
   * Filters that requests must match in this order, maybe with other requests in between. Only requests that match the
   * rest of the expectation count.
   */
  readonly inOrder?: readonly RequestFilter[];
}

/** The result of a verification. */
export interface Verification {
  /** Whether the expectation is met. */
  readonly isMet: boolean;
  /** How many requests match the filter. */
  readonly count: number;
  /** The numbers (`id`) of the first matching requests. */
  readonly ids: readonly number[];
  /** Why the expectation isn't met, as sentences. */
  readonly detail?: string;
  /** If requests are missing: the requests most similar to the expected ones, the most similar first. */
  readonly nearest: readonly NearRequest[];
}

/** A request that meets most conditions of a filter, but not all. */
export interface NearRequest {
  /** Number of the request. */
  readonly id: number;
  /** HTTP method. */
  readonly method: string;
  /** Path and query as the client sent them. */
  readonly target: string;
  /** Status of the answer. */
  readonly status: number;
  /** The conditions that the request doesn't meet, as clauses: `the status is 404, not 200`. */
  readonly differences: readonly string[];
}

/** Limit of the similar requests in a result. */
const MOST_NEAREST = 5;
/** Limit of the matching requests that `detail` lists. */
const MOST_LISTED = 5;
/** Limit of the request numbers in a result. */
const MOST_IDS = 1000;
/** Limit of the filters in `inOrder`, since the journal is searched for each. */
export const MOST_VERIFY_STEPS = 100;

/**
 * Compares the requests of a journal with an expectation.
 *
 * @param redactor Redacts the secrets of requests in the result. Default: they are shown.
 */
export function verify(
  entries: Iterable<JournalEntry>,
  expectation: Expectation,
  redactor?: EntryRedactor,
): Verification {
  const conditions = filterConditions(expectation);
  const all = [...entries];
  const result = compare(all, conditions, expectation);
  return redactor === undefined || result.isMet ? result : redactVerification(result, all, redactor);
}

/** Redacts the secrets of the requests that a result names. */
function redactVerification(
  { detail = "", nearest, ...result }: Verification,
  entries: readonly JournalEntry[],
  redactor: EntryRedactor,
): Verification {
  const named = entries.filter(({ id }) =>
    detail.includes(`request ${id}, `) || nearest.some((near) => near.id === id)
  );
  return {
    ...result,
    detail: named.slice(0, MOST_LISTED + MOST_NEAREST).reduce((text, entry) => redactor.sentences(entry)(text), detail),
    nearest: nearest.map((near) => {
      const entry = entries.find(({ id }) => id === near.id);
      if (entry === undefined) return near;
      const redact = redactor.sentences(entry);
      return { ...near, target: redact(near.target), differences: near.differences.map(redact) };
    }),
  };
}

function compare(
  all: readonly JournalEntry[],
  conditions: readonly FilterCondition[],
  expectation: Expectation,
): Verification {
  const meant = conditions.length === 0 ? all : all.filter((entry) => fulfils(entry, conditions));
  const result = { count: meant.length, ids: meant.slice(0, MOST_IDS).map(({ id }) => id) };
  const wrongCount = countMistake(meant.length, expectation);
  if (wrongCount !== undefined) {
    const isShort = meant.length < (expectation.count ?? expectation.atLeast ?? 1);
    const nearest = isShort ? nearestTo(all, conditions) : [];
    return {
      ...result,
      isMet: false,
      detail: oneLine(wrongCount + describeMatching(meant) + describeNearest(nearest)),
      nearest,
    };
  }
  const missing = expectation.inOrder === undefined ? undefined : firstMissing(meant, expectation.inOrder);
  if (missing === undefined) return { ...result, isMet: true, nearest: [] };
  return {
    ...result,
    isMet: false,
    detail: oneLine(missing.detail + describeNearest(missing.nearest)),
    nearest: missing.nearest,
  };
}

function countMistake(
  count: number,
  { operation, count: exact, atLeast, atMost, inOrder }: Expectation,
): string | undefined {
  const target = operation === undefined ? "" : ` for ${operation}`;
  const came = `${count} ${count === 1 ? "request" : "requests"} came${target}`;
  if (exact !== undefined && count !== exact) return `${came}, not ${exact}.`;
  const hasNumber = exact !== undefined || atLeast !== undefined || atMost !== undefined || inOrder !== undefined;
  const least = atLeast ?? (hasNumber ? 0 : 1);
  if (count < least) return `${came}; at least ${least} should have.`;
  if (atMost !== undefined && count > atMost) return `${came}; at most ${atMost} should have.`;
  return undefined;
}

/** The first filter of `inOrder` that no request matches after the request that matched the filter before. */
function firstMissing(
  entries: readonly JournalEntry[],
  steps: readonly RequestFilter[],
): { detail: string; nearest: NearRequest[] } | undefined {
  let next = 0;
  for (const [index, step] of steps.entries()) {
    const conditions = filterConditions(step);
    let at = next;
    for (; at < entries.length; at++) {
      const entry = entries[at];
      if (entry !== undefined && fulfils(entry, conditions)) break;
    }
    if (at === entries.length) {
      const before = index === 0 ? "" : `, after request ${entries[next - 1]?.id}`;
      const detail = `No request fits step ${index + 1} of inOrder${before}.`;
      return { detail, nearest: nearestTo(entries.slice(next), conditions) };
    }
    next = at + 1;
  }
  return undefined;
}

/**
 * The requests that miss the fewest conditions, but at least one. Of equally similar requests, the latest comes first.
 */
function nearestTo(entries: readonly JournalEntry[], conditions: readonly FilterCondition[]): NearRequest[] {
  const nearest: NearRequest[] = [];
  for (const entry of [...entries].reverse()) {
    const differences = conditions.map((differs) => differs(entry)).filter((clause) => clause !== undefined);
    if (differences.length === 0) continue;
    const last = nearest[MOST_NEAREST - 1];
    if (last !== undefined && last.differences.length <= differences.length) continue;
    const { id, request: { method, url }, response: { status } } = entry;
    const before = nearest.findIndex((near) => near.differences.length > differences.length);
    nearest.splice(before === -1 ? nearest.length : before, 0, {
      id,
      method,
      target: targetOf(url),
      status,
      differences,
    });
    if (nearest.length > MOST_NEAREST) nearest.pop();
  }
  return nearest;
}

function describeMatching(entries: readonly JournalEntry[]): string {
  if (entries.length === 0) return "";
  const listed = entries.slice(0, MOST_LISTED).map(({ id, request: { method, url }, response: { status } }) =>
    `request ${id}, ${method} ${splitTarget(url).path} (${status})`
  );
  const more = entries.length > MOST_LISTED ? `; and ${entries.length - MOST_LISTED} more` : "";
  return ` Matching: ${listed.join("; ")}${more}.`;
}

function describeNearest([nearest]: readonly NearRequest[]): string {
  if (nearest === undefined) return "";
  const { id, method, target, differences } = nearest;
  const { path } = splitTarget(`http://localhost${target}`);
  return ` The nearest is request ${id}, ${method} ${path}: ${differences.join("; ")}.`;
}
