/**
 * The slots of a journal's ring buffer.
 *
 * @module
 */
import type { HeaderList } from "../../http/handler.ts";
import type { RequestViolation } from "../validation/violation.ts";
import type { OperationNames } from "../../openapi/operation.ts";
import type { JournalEntry } from "./entry.ts";
import type { FaultKind } from "../../openapi/extension/rule.ts";
import { MOST_HEADERS } from "./limits.ts";
import { bodyOf, type RecordedAnswer } from "./recorded_answer.ts";

/** A recorded request. Slots are mutable and reused, so that recording makes no garbage to collect. */
export interface Slot {
  id: number;
  time: number;
  method: string;
  url: string;
  headers: HeaderList | undefined;
  body: Uint8Array | undefined;
  bodyLength: number;
  pathParameters: Readonly<Record<string, string>>;
  operation: OperationNames | undefined;
  answer: RecordedAnswer | undefined;
  violations: readonly RequestViolation[];
  /** Milliseconds; 0 for none. */
  delay: number;
  fault: FaultKind | undefined;
  /** The names of the rules that applied. */
  rules: readonly string[] | undefined;
  duration: number | undefined;
  /** Estimated memory of the slot in bytes, without the answer. */
  bytes: number;
}

export const NO_KEPT_VIOLATIONS: readonly RequestViolation[] = Object.freeze([]);
export const NO_PARAMETERS: Readonly<Record<string, string>> = Object.freeze({});
const NO_HEADERS: HeaderList = Object.freeze([]);
const NO_RESPONSE: JournalEntry["response"] = { status: 0, headers: NO_HEADERS, mediaType: "", source: "" };

/** Estimated memory of a slot in bytes, without its strings. */
export const SLOT_BYTES = 256;

export function createSlot(): Slot {
  return {
    id: 0,
    time: 0,
    method: "",
    url: "",
    headers: undefined,
    body: undefined,
    bodyLength: 0,
    pathParameters: NO_PARAMETERS,
    operation: undefined,
    answer: undefined,
    violations: NO_KEPT_VIOLATIONS,
    delay: 0,
    fault: undefined,
    rules: undefined,
    duration: undefined,
    bytes: 0,
  };
}

export function entryOf(slot: Slot, session: string): JournalEntry {
  const { id, time, duration, operation, violations } = slot;
  return {
    id,
    time,
    ...duration === undefined ? undefined : { duration },
    session,
    ...operation === undefined ? undefined : { operation },
    request: requestOf(slot),
    response: responseOf(slot),
    violations,
  };
}

/**
 * Copies the headers of a request, which can't be read after its response was sent.
 *
 * @param last The copy of the last request's headers. It is returned if the headers are the same, which they often are:
 * a copy for each request would outlive many collections of garbage.
 */
export function copyHeaders(headers: Headers, last: HeaderList): HeaderList {
  let copied: (readonly [string, string])[] | undefined;
  let count = 0;
  let characters = 0;
  headers.forEach((value, name) => {
    characters += name.length + value.length;
    if (characters > MOST_HEADERS) return;
    const [lastName, lastValue] = last[count] ?? [];
    if (copied === undefined && (name !== lastName || value !== lastValue)) copied = last.slice(0, count);
    copied?.push([name, value]);
    count++;
  });
  return copied ?? (count === last.length ? last : last.slice(0, count));
}

function requestOf({ method, url, pathParameters, headers, body, bodyLength }: Slot): JournalEntry["request"] {
  const request = { method, url, pathParameters, headers: headers ?? NO_HEADERS };
  if (headers === undefined) return { ...request, lacksDetails: true };
  return body === undefined ? request : { ...request, ...bodyOf(body, bodyLength) };
}

function responseOf({ answer, delay, fault, rules }: Slot): JournalEntry["response"] {
  const response = answer?.response ?? NO_RESPONSE;
  if (delay === 0 && fault === undefined && rules === undefined) return response;
  return {
    ...response,
    ...delay === 0 ? undefined : { delay },
    ...fault === undefined ? undefined : { fault },
    ...rules === undefined ? undefined : { rules },
  };
}
