/**
 * Answers as journals record them: without nodes of the definition, so that the definition can be garbage-collected
 * after a reload. Requests with the same answer share one record.
 *
 * @module
 */
import type { Bytes, HeaderList } from "../../http/handler.ts";
import type { Answer } from "../answer/answer.ts";
import type { Reply } from "../operation/reply.ts";
import type { JournalEntry, JournalMessage } from "./entry.ts";

export interface RecordedAnswer {
  /** The answer as entries show it. */
  readonly response: JournalEntry["response"];
  /** Estimated memory of the record, in bytes. */
  readonly bytes: number;
}

/**
 * Makes the record of an answer. A reply without an answer, such as an upstream's response, is recorded without its
 * body.
 *
 * @param mostBody Limit of the bytes of the body.
 */
export function recordOf(reply: Reply, answer: Answer | undefined, mostBody: number): RecordedAnswer {
  return answer === undefined ? recordResponse(reply) : recordAnswer(answer, mostBody);
}

function recordAnswer(
  { status, headers, mediaType, source, detail, facts, body }: Answer,
  most: number,
): RecordedAnswer {
  const whole = body === null || body instanceof Uint8Array ? body ?? undefined : joinStart(body, most);
  const length = body === null ? 0 : body instanceof Uint8Array ? body.length : lengthOf(body);
  const kept = whole && bodyOf(startOf(whole, most), length);
  return sized({ status, headers, mediaType, source, ...detailOf(detail), ...facts, ...kept });
}

function recordResponse({ response, mediaType, source, detail }: Reply): RecordedAnswer {
  const { status, headers } = response;
  return sized({ status, headers: [...headers], mediaType, source, ...detailOf(detail) });
}

function detailOf(detail: string | undefined): { detail?: string } {
  return detail === undefined ? {} : { detail };
}

function sized(response: JournalEntry["response"]): RecordedAnswer {
  const { headers, detail = "", body } = response;
  return { response, bytes: 200 + 2 * detail.length + sizeOfHeaders(headers) + (body?.length ?? 0) };
}

/** @param length The length of the whole body, of which `body` may be the beginning. */
export function bodyOf(body: Uint8Array, length: number): Pick<JournalMessage, "body" | "bodyLength"> {
  return body.length < length ? { body, bodyLength: length } : { body };
}

export function sizeOfHeaders(headers: HeaderList): number {
  return headers.reduce((size, [name, value]) => size + 64 + name.length + value.length, 0);
}

/**
 * The beginning of a body. It is copied if the body's buffer is larger, since a view would keep the whole buffer in
 * memory.
 */
export function startOf(body: Uint8Array, most: number): Uint8Array {
  return body.length <= most && body.buffer.byteLength <= 2 * body.length ? body : body.slice(0, most);
}

function lengthOf(chunks: readonly Bytes[]): number {
  return chunks.reduce((length, chunk) => length + chunk.length, 0);
}

function joinStart(chunks: readonly Bytes[], most: number): Uint8Array {
  const start = new Uint8Array(Math.min(most, lengthOf(chunks)));
  let at = 0;
  for (const chunk of chunks) {
    if (at === start.length) break;
    const part = chunk.subarray(0, start.length - at);
    start.set(part, at);
    at += part.length;
  }
  return start;
}
