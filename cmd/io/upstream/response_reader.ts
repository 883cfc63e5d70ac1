import { Buffer } from "node:buffer";
import { HTTPParser } from "http-parser-js";

// Fields are bytes (RFC 9110, section 5.5), which `Headers` takes as characters up to U+00FF.
HTTPParser.encoding = "latin1";

/** The head of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: [name: string, value: string][];
  /** Whether the connection may be used for another request afterwards. */
  readonly isPersistent: boolean;
}

/** Reads the responses that come over a connection, one after the other. */
export interface ResponseReader {
  /** Begins to read the response to a request; the one before is complete. */
  begin(method: string): void;
  /**
   * Takes bytes of the connection.
   *
   * @throws {Error} When they are no HTTP/1.1, or nothing was asked for.
   */
  take(bytes: Uint8Array<ArrayBuffer>): void;
  /**
   * Takes the end of the connection, which ends a response that doesn't say how long it is.
   *
   * @throws {Error} When the response ought to go on.
   */
  end(): void;
  /** The head, when it is there. */
  readonly head: ResponseHead | undefined;
  readonly isComplete: boolean;
  /** Whether nothing of the response has come yet. */
  readonly isUntouched: boolean;
  /** Whether the connection has nothing on it that belongs to no response, and may carry another one. */
  readonly isClean: boolean;
  /** The bytes of the body that have come since this was last called. */
  body(): Uint8Array<ArrayBuffer>[];
}

/** Makes a reader of responses in HTTP/1.1 and 1.0 (RFC 9112). */
export function createResponseReader(): ResponseReader {
  const parser = new HTTPParser(HTTPParser.RESPONSE);
  let method: string | undefined;
  let head: ResponseHead | undefined;
  let isInformational = false;
  let isComplete = true;
  let isUntouched = true;
  let pieces: Uint8Array<ArrayBuffer>[] = [];

  parser[HTTPParser.kOnHeadersComplete] = ({ statusCode: status, headers: fields, shouldKeepAlive }) => {
    if (isComplete) throw new Error("it says more than it was asked");
    if (status === 101) throw new Error("it changes to a protocol that nobody asked for");
    isInformational = status < 200;
    if (isInformational) return undefined;
    const headers = pairsOf(fields);
    checkFraming(headers);
    head = { status, headers, isPersistent: shouldKeepAlive };
    // These have the fields of a body, and none (RFC 9112, section 6.3).
    return method === "HEAD" || status === 204 || status === 304 ? 1 : undefined;
  };
  parser[HTTPParser.kOnBody] = (bytes) => {
    // The bytes are those of the buffer that the next are read into.
    pieces.push(new Uint8Array(bytes));
  };
  parser[HTTPParser.kOnMessageComplete] = () => {
    if (isInformational) isInformational = false;
    else isComplete = true;
  };

  return {
    begin(next) {
      method = next;
      head = undefined;
      isComplete = false;
      isUntouched = true;
      pieces = [];
    },
    take(bytes) {
      isUntouched = false;
      const taken = parser.execute(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      if (taken instanceof Error) throw notHttp(taken);
    },
    end() {
      const error = isUntouched ? new Error("invalid state for EOF") : parser.finish();
      if (error instanceof Error || !isComplete) {
        throw new Error("it closed the connection before its answer was complete");
      }
    },
    get head() {
      return head;
    },
    get isComplete() {
      return isComplete;
    },
    get isUntouched() {
      return isUntouched;
    },
    get isClean() {
      // Of a line that hasn't ended the parser keeps what has come.
      return head?.isPersistent === true && isComplete && parser.finish() === undefined &&
        Reflect.get(parser, "line") === "";
    },
    body() {
      const taken = pieces;
      pieces = [];
      return taken;
    },
  };
}

function pairsOf(fields: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index < fields.length; index += 2) {
    pairs.push([(fields[index] ?? "").toLowerCase(), fields[index + 1] ?? ""]);
  }
  return pairs;
}

/** Refuses what leaves open where a body ends (RFC 9112, sections 6.1 and 6.3): the next response would begin there. */
function checkFraming(headers: readonly [name: string, value: string][]): void {
  const lengths = headers.filter(([name]) => name === "content-length").map(([, value]) => value);
  const codings = headers.filter(([name]) => name === "transfer-encoding").map(([, value]) => value);
  if (lengths.some((length) => !/^\d+$/.test(length))) throw new Error(`its Content-Length is ${lengths.join(", ")}`);
  if (codings.length > 1 || codings.some((coding) => coding.toLowerCase() !== "chunked")) {
    throw new Error(`its Transfer-Encoding is ${codings.join(", ")}`);
  }
  if (lengths.length > 0 && codings.length > 0) throw new Error("it has both a Content-Length and a Transfer-Encoding");
}

function notHttp(error: Error): Error {
  return "code" in error || error.message === "Expected empty line"
    ? new Error("it doesn't answer in HTTP/1.1")
    : error;
}
