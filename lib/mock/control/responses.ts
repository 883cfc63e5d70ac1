import type { Bytes, HeaderList } from "../../http/handler.ts";
import { writeJson } from "../../schema/json/json.ts";

/** Headers of all responses. They must not be cached, and browsers must not guess another media type such as HTML. */
const COMMON: HeaderList = [["cache-control", "no-store"], ["x-content-type-options", "nosniff"]];

export function jsonResponse(value: unknown, status = 200, headers: HeaderList = []): Response {
  return textResponse(writeJson(value), "application/json", status, headers);
}

export function textResponse(text: string, mediaType: string, status = 200, headers: HeaderList = []): Response {
  return new Response(text, { status, headers: headersOf(mediaType, headers) });
}

export function emptyResponse(): Response {
  return new Response(null, { status: 204, headers: [["cache-control", "no-store"]] });
}

export function streamResponse(stream: ReadableStream<Bytes>, mediaType: string): Response {
  return new Response(stream, { headers: headersOf(mediaType, []) });
}

/** The minimum size of a chunk of {@linkcode piecesResponse} in characters, except for the last. */
const CHUNK = 64 * 1024;

/** A response whose text is generated piece by piece, as fast as the client reads (back-pressure). */
export function piecesResponse(pieces: Iterator<string>, mediaType: string): Response {
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Bytes>({
    pull(controller) {
      let text = "";
      while (text.length < CHUNK) {
        const next = pieces.next();
        if (next.done === true) {
          if (text !== "") controller.enqueue(encoder.encode(text));
          return controller.close();
        }
        text += next.value;
      }
      controller.enqueue(encoder.encode(text));
    },
  });
  return streamResponse(stream, mediaType);
}

function headersOf(mediaType: string, headers: HeaderList): [string, string][] {
  return [["content-type", mediaType], ...COMMON, ...headers].map(([name, value]): [string, string] => [name, value]);
}
