import { decodeStrictly } from "../../http/decode_strictly.ts";
import { encodeBase64 } from "../../http/base64.ts";
import { splitTarget } from "../../http/url/url.ts";
import type { HeaderList } from "../../http/handler.ts";
import type { RequestViolation } from "../validation/violation.ts";
import type { OperationNames } from "../../openapi/operation.ts";
import type { FaultKind } from "../../openapi/extension/rule.ts";
import type { JournalEntry, JournalMessage } from "./entry.ts";
import { readJsonText } from "../../schema/json/json.ts";

/** An entry of the journal as JSON: the schema `Entry` of the control API's description. */
export interface EntryJson {
  /** The number of the request, from 1 on; greater for later requests of the server. */
  readonly id: number;
  /** The time when the answer was ready (RFC 3339). */
  readonly time: string;
  /**
   * The milliseconds until the answer was ready. If a rule delayed the answer or disturbed sending it: until it was sent,
   * or its connection broken. Absent if durations aren't measured.
   */
  readonly duration?: number;
  /** The session of the request; empty for the shared session. */
  readonly session: string;
  /** The operation of the request; absent if no definition has its path and method. */
  readonly operation?: OperationNames;
  /** The recorded request. */
  readonly request: MessageJson & {
    readonly method: string;
    readonly url: string;
    readonly path: string;
    readonly pathParameters: Readonly<Record<string, string>>;
    readonly lacksDetails?: boolean;
  };
  /** The recorded answer. */
  readonly response: MessageJson & {
    readonly status: number;
    readonly mediaType: string;
    readonly source: string;
    readonly detail?: string;
    /** The milliseconds by which a rule delayed the answer. */
    readonly delay?: number;
    /** The fault with which a rule disturbed sending the answer. */
    readonly fault?: FaultKind;
    /** The names of the rules that applied. */
    readonly rules?: readonly string[];
    /** The seed of a generated body. */
    readonly seed?: number;
    /** The resource of an answer from state. */
    readonly resource?: string;
  };
  /** The violations of the request; empty if it is valid or wasn't checked. */
  readonly violations: readonly RequestViolation[];
}

/** Headers and body of a message as JSON. */
export interface MessageJson {
  /** Headers by name in lower case. Several values of one name are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as a JSON value, or as text if it isn't JSON. */
  readonly body?: unknown;
  /** A body that isn't text, in base64. */
  readonly bodyBase64?: string;
  /** The length of the whole body in bytes, if only its beginning is given. */
  readonly bodyLength?: number;
}

/** Represents an entry of the journal as JSON. */
export function representEntry(
  { id, time, duration, session, operation, request, response, violations }: JournalEntry,
): EntryJson {
  const { method, url, pathParameters, lacksDetails } = request;
  const { status, mediaType, source, detail, delay, fault, rules, seed, resource } = response;
  return {
    id,
    time: new Date(time).toISOString(),
    ...duration === undefined ? {} : { duration: Math.round(duration * 1000) / 1000 },
    session,
    ...operation === undefined ? {} : { operation },
    request: {
      method,
      url,
      path: splitTarget(url).path,
      pathParameters,
      ...messageOf(request, headerOf(request.headers, "content-type")),
      ...lacksDetails === true ? { lacksDetails } : {},
    },
    response: {
      status,
      mediaType,
      source,
      ...detail === undefined ? {} : { detail },
      ...delay === undefined ? {} : { delay },
      ...fault === undefined ? {} : { fault },
      ...rules === undefined ? {} : { rules },
      ...seed === undefined ? {} : { seed },
      ...resource === undefined ? {} : { resource },
      ...messageOf(response, mediaType),
    },
    violations,
  };
}

function messageOf({ headers, body, bodyLength }: JournalMessage, mediaType: string): MessageJson {
  return {
    headers: joinHeaders(headers),
    ...body === undefined ? {} : bodyJson(body, mediaType, bodyLength),
    ...bodyLength === undefined ? {} : { bodyLength },
  };
}

function bodyJson(
  body: Uint8Array,
  mediaType: string,
  bodyLength: number | undefined,
): Pick<MessageJson, "body" | "bodyBase64"> {
  const text = decodeStrictly(body, { isStart: bodyLength !== undefined });
  if (text === undefined) return { bodyBase64: encodeBase64(body) };
  // Without a media type, as when headers weren't recorded, a text that begins with `{` or `[` may be JSON.
  const mayBeJson = mediaType === "" ? /^\s*[{[]/.test(text) : /[/+]json\b/i.test(mediaType);
  if (!mayBeJson || bodyLength !== undefined) return { body: text };
  try {
    return { body: readJsonText(text) };
  } catch {
    return { body: text };
  }
}

/** The value of a header; empty if it is absent. */
export function headerOf(headers: HeaderList, name: string): string {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? "";
}

function joinHeaders(headers: HeaderList): Record<string, string> {
  const joined = new Map<string, string>();
  for (const [written, value] of headers) {
    const name = written.toLowerCase();
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(joined);
}
