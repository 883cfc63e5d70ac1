import { splitTarget } from "../../http/url.ts";
import type { HeaderList } from "../../http/handler.ts";
import type { RequestViolation } from "../validation/violation.ts";
import type { JournalEntry, JournalMessage, JournalOperation } from "./entry.ts";

/** A recorded request as JSON: schema `Entry` of the control API's description. */
export interface EntryJson {
  /** Number of the request: 1 for the server's first. */
  readonly id: number;
  /** When the answer was ready (RFC 3339). */
  readonly time: string;
  /** The session of the request; empty for the one of requests without a name. */
  readonly session: string;
  /** The operation that the request is for; absent where no definition has its path and method. */
  readonly operation?: JournalOperation;
  /** The request of the client. */
  readonly request: MessageJson & {
    readonly method: string;
    readonly url: string;
    readonly path: string;
    readonly pathParameters: Readonly<Record<string, string>>;
    readonly lacksHeaders?: boolean;
  };
  /** The answer. */
  readonly response: MessageJson & {
    readonly status: number;
    readonly mediaType: string;
    readonly source: string;
    readonly detail?: string;
  };
  /** The violations of the request; empty where it was valid or not checked. */
  readonly violations: readonly RequestViolation[];
}

/** Headers and body of a message as JSON. */
export interface MessageJson {
  /** Headers by name in lower case; several of one name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body: a JSON value, else its text. */
  readonly body?: unknown;
  /** A body that isn't text, in base64. */
  readonly bodyBase64?: string;
  /** Bytes of the whole body, where only its start is there. */
  readonly bodyLength?: number;
}

/** The JSON of a recorded request. */
export function representEntry(
  { id, time, session, operation, request, response, violations }: JournalEntry,
): EntryJson {
  const { method, url, pathParameters, lacksHeaders } = request;
  const { status, mediaType, source, detail } = response;
  return {
    id,
    time: new Date(time).toISOString(),
    session,
    ...operation === undefined ? {} : { operation },
    request: {
      method,
      url,
      path: splitTarget(url).path,
      pathParameters,
      ...messageOf(request, headerOf(request.headers, "content-type")),
      ...lacksHeaders === true ? { lacksHeaders } : {},
    },
    response: {
      status,
      mediaType,
      source,
      ...detail === undefined ? {} : { detail },
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
  const text = textOf(body, bodyLength !== undefined);
  if (text === undefined) return { bodyBase64: encodeBase64(body) };
  // Without a header, as when headers were left out, the text decides.
  const mayBeJson = mediaType === "" ? /^\s*[{[]/.test(text) : /[/+]json\b/i.test(mediaType);
  if (!mayBeJson || bodyLength !== undefined) return { body: text };
  try {
    return { body: JSON.parse(text) };
  } catch {
    return { body: text };
  }
}

/** The text of a body in UTF-8; `undefined` if it is none. The last character of a start may be incomplete. */
export function textOf(body: Uint8Array, isStart: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body, { stream: isStart });
  } catch {
    return undefined;
  }
}

/** Bytes in base64 (RFC 4648, section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x2000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x2000));
  return btoa(binary);
}

/** The value of a header; empty without one. */
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
