/**
 * Parses what an API server sends: objects, lists, watch events, and errors (`metav1.Status`).
 *
 * @module
 */
import type { KubernetesObject } from "../../lib/cluster/object.ts";
import { isObject } from "../../lib/schema/json/node.ts";
import { KubeError, type ObjectList, type ResourceType, type WatchEvent } from "./client.ts";

/** The most characters of an error's message, since some messages quote a whole object. */
const MOST_MESSAGE = 1000;

export function readApiObject(value: unknown): KubernetesObject {
  if (isKubernetesObject(value)) return value;
  throw new KubeError(0, "", "The API server answered with something that is no object.");
}

/** Parses a list of objects. Its items get `apiVersion` and `kind`, which the API server writes only at the list. */
export function readList(value: unknown, { apiVersion, kind }: ResourceType): ObjectList {
  if (!isObject(value) || !isObject(value["metadata"])) {
    throw new KubeError(0, "", "The API server answered with something that is no list.");
  }
  const { metadata, items } = value;
  const { resourceVersion, continue: next } = metadata;
  return {
    items: (Array.isArray(items) ? items : []).map((item: unknown) =>
      readApiObject(isObject(item) ? { apiVersion, kind, ...item } : item)
    ),
    resourceVersion: String(resourceVersion ?? ""),
    ...(typeof next === "string" && next !== "" ? { continue: next } : {}),
  };
}

/** Parses an event of a watch. Throws the error of an `ERROR` event. */
export function readEvent(line: string): WatchEvent {
  const value: unknown = JSON.parse(line);
  const type = isObject(value) ? value["type"] : undefined;
  const object = isObject(value) ? value["object"] : undefined;
  if (type === "ERROR") throw errorOf(object, 500, undefined);
  if (type === "ADDED" || type === "MODIFIED" || type === "DELETED" || type === "BOOKMARK") {
    return { type, object: readApiObject(object) };
  }
  throw new KubeError(0, "", `The API server sent an event of an unknown type: ${type}.`);
}

/**
 * Splits a stream into lines, without line ends and empty lines.
 *
 * @param onPiece Called with each piece that arrives.
 */
export async function* readLines(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onPiece: () => void,
): AsyncGenerator<string> {
  // A line may have megabytes and arrive in hundreds of pieces. Each piece is searched for a line end only once, since to
  // search the whole line again after each piece would take quadratic time.
  let pieces: string[] = [];
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    onPiece();
    let start = 0;
    for (let end = piece.indexOf("\n"); end >= 0; end = piece.indexOf("\n", start)) {
      const line = [...pieces, piece.slice(start, end)].join("");
      pieces = [];
      start = end + 1;
      if (line !== "") yield line;
    }
    if (start < piece.length) pieces.push(piece.slice(start));
  }
}

/** Reads the error from a response whose status isn't 2xx. */
export async function readError(response: Response): Promise<KubeError> {
  const text = await response.text();
  let status: unknown = text;
  try {
    status = JSON.parse(text);
  } catch {
    // The text isn't JSON. A proxy in front of the API server may have sent it.
  }
  const seconds = Number(response.headers.get("retry-after") ?? NaN);
  return errorOf(status, response.status, Number.isFinite(seconds) ? seconds : undefined);
}

/** Makes an error from a `metav1.Status`, or from the text of a proxy in front of the API server. */
function errorOf(written: unknown, code: number, retryAfter: number | undefined): KubeError {
  const status = isObject(written)
    ? written
    : { message: `The API server answered ${code}: ${String(written).trim()}` };
  const { reason, message, details } = status;
  const seconds = isObject(details) ? details["retryAfterSeconds"] : undefined;
  const after = retryAfter ?? (typeof seconds === "number" ? seconds : undefined);
  return new KubeError(
    typeof status["code"] === "number" ? status["code"] : code,
    typeof reason === "string" ? reason : "",
    typeof message === "string" ? shorten(message) : `The API server answered ${code}.`,
    after === undefined ? {} : { retryAfter: after },
  );
}

/** Cuts out the middle of a long message, since the reason is at the beginning or at the end. */
function shorten(message: string): string {
  const half = MOST_MESSAGE / 2;
  return message.length > MOST_MESSAGE ? `${message.slice(0, half)} … ${message.slice(-half)}` : message;
}

function isKubernetesObject(value: unknown): value is KubernetesObject {
  return isObject(value) && typeof value["kind"] === "string" && isObject(value["metadata"]);
}
