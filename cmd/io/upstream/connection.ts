import { Buffer } from "node:buffer";
import { isNullBodyStatus } from "../../../lib/http/null_body.ts";
import { createResponseReader, type ResponseHead } from "./response_reader.ts";

/** A request as it goes over a connection. */
export interface SentRequest {
  readonly method: string;
  /** Request line and fields, with the empty line after them. */
  readonly head: string;
  readonly body: ReadableStream<Uint8Array> | Uint8Array | null;
  /** Whether the body goes in chunks, since nothing says how long it is. */
  readonly isChunked: boolean;
  readonly signal: AbortSignal;
}

/** A connection to an upstream, which carries one request after the other. */
export interface Connection {
  /**
   * Sends a request, and gives the response as soon as its head is there; its body is read as it is asked for.
   *
   * @throws {Error} When the connection is lost or what comes back is no response, and the signal's reason.
   */
  send(request: SentRequest): Promise<Response>;
  /** Whether nothing has come back of the last request. */
  readonly isUntouched: boolean;
  close(): void;
}

/** What becomes of a connection. */
export interface ConnectionEvents {
  /** It can carry another request. */
  idle(connection: Connection): void;
  /** It can't any more. */
  closed(connection: Connection): void;
}

/** Bytes that are read at a time. */
const BUFFER_SIZE = 64 * 1024;
/** Shorter bodies go with the head. */
const SMALL_BODY = 16 * 1024;

/** Speaks HTTP/1.1 (RFC 9112) over a connection that is open. */
export function createConnection(socket: Deno.TcpConn | Deno.TlsConn, events: ConnectionEvents): Connection {
  const reader = createResponseReader();
  const buffer = new Uint8Array(BUFFER_SIZE);
  let isOpen = true;
  let isBusy = false;
  let isUploaded = true;
  /** Why the body of the request can't be had. */
  let bodyError: unknown;
  /** What reads while nothing is expected: it tells that the other side has closed the connection. */
  let listening: Promise<number | null> | undefined;

  const connection: Connection = {
    send,
    close,
    get isUntouched() {
      return reader.isUntouched;
    },
  };
  return connection;

  async function send(request: SentRequest): Promise<Response> {
    const { signal } = request;
    isBusy = true;
    reader.begin(request.method);
    signal.addEventListener("abort", close);
    if (signal.aborted) close();
    const uploading = upload(request);
    try {
      while (reader.head === undefined) await read(signal);
      return responseOf(reader.head);
    } catch (error) {
      finish();
      throw error;
    }

    function responseOf({ status, headers }: ResponseHead): Response {
      const init = { status, headers: headers.filter(([name, value]) => !isSettled(name, value)) };
      if (!reader.isComplete && !isNullBodyStatus(status)) return new Response(rest(), init);
      const response = new Response(isNullBodyStatus(status) ? null : joined(reader.body()), init);
      finish();
      return response;
    }

    /** The body from here on. */
    function rest(): ReadableStream<Uint8Array<ArrayBuffer>> {
      return new ReadableStream({
        async pull(controller) {
          let pieces = reader.body();
          try {
            while (pieces.length === 0 && !reader.isComplete) {
              await read(signal);
              pieces = reader.body();
            }
          } catch (error) {
            finish();
            throw error;
          }
          for (const piece of pieces) controller.enqueue(piece);
          if (!reader.isComplete) return;
          controller.close();
          finish();
        },
        cancel: close,
      }, { highWaterMark: 0 });
    }

    function finish(): void {
      signal.removeEventListener("abort", close);
      // The head of a request is on its way for a moment only; whoever answers before the body is there wants no more of it.
      if (isUploaded || request.body !== null) settle();
      else uploading.then(settle);
    }
  }

  /** Lets the connection carry another request, if it can. */
  function settle(): void {
    if (!isOpen || !isUploaded || !reader.isClean) return close();
    isBusy = false;
    listening = socket.read(buffer);
    // Nothing was asked for: it is the end, or what no request is to be mixed up with.
    const heard = (): void => isBusy ? undefined : close();
    listening.then(heard, heard);
    events.idle(connection);
  }

  async function read(signal: AbortSignal): Promise<void> {
    let count: number | null;
    try {
      const reading = listening ?? socket.read(buffer);
      listening = undefined;
      count = await reading;
    } catch (error) {
      throw signal.aborted ? signal.reason : bodyError ?? error;
    }
    if (count === null) reader.end();
    else reader.take(buffer.subarray(0, count));
  }

  /** Sends a request. What goes wrong on the connection is told by reading from it. */
  async function upload({ head, body, isChunked }: SentRequest): Promise<void> {
    isUploaded = false;
    const written = Buffer.from(head, "latin1");
    try {
      if (body instanceof Uint8Array) {
        if (body.length < SMALL_BODY) await write(Buffer.concat([written, body]));
        else {
          await write(written);
          await write(body);
        }
      } else {
        await write(written);
        if (body !== null) await writeStream(body, isChunked);
      }
      isUploaded = true;
    } catch {
      // See above.
    }
  }

  async function writeStream(body: ReadableStream<Uint8Array>, isChunked: boolean): Promise<void> {
    const pieces = body.getReader();
    try {
      for (;;) {
        const { done, value } = await pieces.read().catch(lose);
        if (done) break;
        if (value.length > 0) await write(isChunked ? chunkOf(value) : value);
      }
      if (isChunked) await write(LAST_CHUNK);
    } catch (error) {
      await pieces.cancel(error).catch(() => {});
      throw error;
    }
  }

  function lose(error: unknown): never {
    bodyError = error;
    close();
    throw error;
  }

  async function write(bytes: Uint8Array): Promise<void> {
    for (let sent = 0; sent < bytes.length;) {
      sent += await socket.write(sent === 0 ? bytes : bytes.subarray(sent));
    }
  }

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    socket.close();
    events.closed(connection);
  }
}

const LAST_CHUNK = new TextEncoder().encode("0\r\n\r\n");

function chunkOf(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}

/** Fields that concern the connection alone (RFC 9110, section 7.6.1), unless they speak of other fields. */
function isSettled(name: string, value: string): boolean {
  return name === "transfer-encoding" || name === "keep-alive" ||
    name === "connection" && /^(?:keep-alive|close)$/i.test(value);
}

function joined(pieces: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> | null {
  const [only] = pieces;
  return pieces.length > 1 ? Buffer.concat(pieces) : only ?? null;
}
