/**
 * Writes recorded requests as an HTTP Archive (HAR), which browsers' developer tools and many test tools read.
 *
 * @module
 * @see {@link http://www.softwareishard.com/blog/har-12-spec/ HAR 1.2}
 */
import { decodeStrictly } from "../../http/decode_strictly.ts";
import { encodeBase64 } from "../../http/base64.ts";
import { decodeQueryText, splitQuery, splitTarget } from "../../http/url/url.ts";
import type { HeaderList } from "../../http/handler.ts";
import { reasonPhrase } from "../../http/reason_phrase.ts";
import type { JournalEntry, JournalMessage } from "./entry.ts";
import { headerOf } from "./represent.ts";
import { writeJson } from "../../schema/json/json.ts";

/** The media type of HTTP Archives. It isn't registered with IANA. */
export const HAR_MEDIA_TYPE = "application/har+json";

interface Pair {
  readonly name: string;
  readonly value: string;
}

/** Limit of the query parameters that are listed one by one. The URL contains all of them. */
const MOST_PARAMETERS = 1000;

/** HAR's value for an unknown size. */
const UNKNOWN = -1;

/**
 * Writes recorded requests as an HTTP Archive, in pieces of JSON text of one request each.
 *
 * @param shown How an entry is shown, such as without its secrets. Default: as recorded.
 */
export function* writeHar(
  entries: Iterable<JournalEntry>,
  shown: (entry: JournalEntry) => JournalEntry = (entry) => entry,
): Generator<string> {
  yield '{"log":{"version":"1.2","creator":{"name":"gw","version":"1"},"entries":[';
  let separator = "";
  for (const entry of entries) {
    yield separator + writeJson(harEntry(shown(entry)));
    separator = ",";
  }
  yield "]}}";
}

/** The time when a request began. The time of an entry is that when its answer was ready. */
function beginOf({ time, duration = 0, response: { delay = 0, fault } }: JournalEntry): number {
  return fault === undefined ? time - Math.max(0, duration - delay) : time;
}

function harEntry(entry: JournalEntry): unknown {
  const { duration = 0, request, response, operation } = entry;
  const { method, url, headers } = request;
  const { query } = splitTarget(url);
  const parameters = splitQuery(query, MOST_PARAMETERS);
  const { status, mediaType } = response;
  return {
    startedDateTime: new Date(beginOf(entry)).toISOString(),
    time: duration,
    request: {
      method,
      url,
      httpVersion: "HTTP/1.1",
      cookies: cookiesOf(headers),
      headers: pairs(headers),
      queryString: [...parameters].flatMap(([name, values]) =>
        values.map((value): Pair => ({ name, value: decodeQueryText(value) }))
      ),
      ...request.body === undefined ? {} : { postData: postData(request, request.body) },
      headersSize: UNKNOWN,
      bodySize: sizeOf(request),
    },
    response: {
      status,
      statusText: reasonPhrase(status) ?? "",
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: pairs(response.headers),
      content: { size: sizeOf(response), mimeType: mediaType, ...contentOf(response) },
      redirectURL: headerOf(response.headers, "location"),
      headersSize: UNKNOWN,
      bodySize: sizeOf(response),
    },
    cache: {},
    timings: { send: 0, wait: duration, receive: 0 },
    ...operation === undefined ? {} : { comment: operation.operationId ?? `${operation.method} ${operation.path}` },
  };
}

/**
 * The `postData` of a request. HAR has no field for binary request bodies, so they are written in base64, with a
 * comment.
 */
function postData({ headers, bodyLength }: JournalMessage, body: Uint8Array): unknown {
  const mimeType = headerOf(headers, "content-type");
  const text = decodeStrictly(body, { isStart: bodyLength !== undefined });
  const cut = bodyLength === undefined ? [] : [`The first ${body.length} of ${bodyLength} bytes.`];
  const comments = text === undefined ? ["In base64.", ...cut] : cut;
  return {
    mimeType,
    text: text ?? encodeBase64(body),
    ...comments.length === 0 ? {} : { comment: comments.join(" ") },
  };
}

function contentOf({ body, bodyLength }: JournalMessage): Readonly<Record<string, string>> {
  if (body === undefined) return {};
  const text = decodeStrictly(body, { isStart: bodyLength !== undefined });
  return {
    ...text === undefined ? { text: encodeBase64(body), encoding: "base64" } : { text },
    ...bodyLength === undefined ? {} : { comment: `The first ${body.length} of ${bodyLength} bytes.` },
  };
}

function sizeOf({ body, bodyLength }: JournalMessage): number {
  return bodyLength ?? body?.length ?? 0;
}

function pairs(headers: HeaderList): Pair[] {
  return headers.map(([name, value]) => ({ name, value }));
}

/** The cookies of a request (RFC 6265, section 4.2.1). */
function cookiesOf(headers: HeaderList): Pair[] {
  const written = headerOf(headers, "cookie");
  if (written === "") return [];
  return written.split(";").map((pair): Pair => {
    const equals = pair.indexOf("=");
    return equals < 0
      ? { name: pair.trim(), value: "" }
      : { name: pair.slice(0, equals).trim(), value: pair.slice(equals + 1).trim() };
  });
}
