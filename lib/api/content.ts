import { readBody } from "../http/body.ts";
import { type BodyLimits, UnreadBodyError } from "../http/limits/body_limits.ts";
import type { Bytes } from "../http/handler.ts";
import { essence, parseMediaType } from "../http/media_type.ts";
import { type ErrorResponse, errorResponse } from "./error_response.ts";

/** The body of a request, and its media type without parameters. */
export interface RequestContent {
  readonly mediaType: string;
  readonly bytes: Bytes;
}

/** How the body of a request is read. */
export interface ContentOptions {
  /** The accepted media types. */
  readonly accepted: readonly string[];
  /** Further media types that are accepted, without being advised. Default: none. */
  readonly tolerated?: readonly string[];
  /** The most bytes of the body. */
  readonly limit: number;
  readonly bodies: BodyLimits;
  /** Makes the error for a body that doesn't come in time. Default: a problem with 408. */
  readonly late?: () => ErrorResponse;
}

/**
 * Reads the body of a request.
 *
 * @throws {ErrorResponse} With 400, 408, 413, 415 or 503.
 */
export async function readContent(
  request: Request,
  { accepted, tolerated = [], limit, bodies, late }: ContentOptions,
): Promise<RequestContent> {
  const written = request.headers.get("content-type");
  const parsed = written === null ? undefined : parseMediaType(written);
  const mediaType = parsed === undefined ? "" : essence(parsed);
  if (!accepted.includes(mediaType) && !tolerated.includes(mediaType)) throw unaccepted(written, accepted);
  const body = await readBody(request, limit, bodies).catch((error: unknown): never => {
    if (!(error instanceof UnreadBodyError)) throw error;
    const { problem: { status, detail }, headers } = error;
    throw status === 408 && late !== undefined ? late() : errorResponse(status, detail, headers);
  });
  switch (body.kind) {
    case "too-large":
      throw errorResponse(413, `The body is larger than ${limit} bytes.`);
    case "unknown-coding":
      throw errorResponse(415, `The body ${body.message}.`);
    case "broken":
      throw errorResponse(400, `The body can't be read: ${body.message}.`);
    case "bytes":
      return { mediaType, bytes: body.bytes };
  }
}

/** Makes the error for a body of another media type, with what is accepted. */
export function unaccepted(written: string | null, accepted: readonly string[]): ErrorResponse {
  const given = written === null ? "has no Content-Type" : `is ${JSON.stringify(written.slice(0, 100))}`;
  return errorResponse(415, `The body ${given}. Send ${accepted.join(" or ")}.`);
}
