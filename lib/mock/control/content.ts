import { readBody } from "../../http/body.ts";
import { UnreadBodyError } from "../../http/body_limits.ts";
import { essence, parseMediaType } from "../../http/media_type.ts";
import { parseJson, writeJson } from "../../schema/json.ts";
import { formatPointer } from "../../schema/pointer.ts";
import type { ControlCall, ControlContext } from "./context.ts";
import { ControlError, invalidBody } from "./control_error.ts";

/** Limit of a request body, in bytes. */
export const MOST_CONTENT = 16 * 1024 * 1024;

/** Limit of the values of a JSON body. A state may have many. */
export const MOST_VALUES = 1_000_000;

/** The text of a request body, and its media type without parameters. */
export interface Content {
  readonly mediaType: string;
  readonly text: string;
}

/**
 * Reads a request body as text.
 *
 * @param accepted The accepted media types.
 * @throws {ControlError} With 400, 408, 413, 415 or 503.
 */
export async function readContent(
  { request }: Pick<ControlCall, "request">,
  { server: { handlers: { bodies } } }: Pick<ControlContext, "server">,
  accepted: readonly string[],
): Promise<Content> {
  const written = request.headers.get("content-type");
  const parsed = written === null ? undefined : parseMediaType(written);
  const mediaType = parsed === undefined ? "" : essence(parsed);
  if (!accepted.includes(mediaType)) {
    const given = written === null ? "has no Content-Type" : `is ${writeJson(written.slice(0, 100))}`;
    throw new ControlError(415, `The body ${given}. Send ${accepted.join(" or ")}.`);
  }
  const body = await readBody(request, MOST_CONTENT, bodies).catch(refuseUnread);
  switch (body.kind) {
    case "too-large":
      throw new ControlError(413, `The body is larger than ${MOST_CONTENT} bytes.`);
    case "unknown-coding":
      throw new ControlError(415, `The body ${body.message}.`);
    case "broken":
      throw new ControlError(400, `The body can't be read: ${body.message}.`);
    case "bytes":
      return { mediaType, text: decode(body.bytes) };
  }
}

function refuseUnread(error: unknown): never {
  if (!(error instanceof UnreadBodyError)) throw error;
  const { problem: { status, detail }, headers } = error;
  throw new ControlError(status, detail, {}, headers);
}

/** Reads a JSON body, and validates it against the schema in the API's description. */
export async function readJson(
  call: ControlCall,
  context: ControlContext,
  accepted: readonly string[] = ["application/json"],
): Promise<unknown> {
  const { text } = await readContent(call, context, accepted);
  const value = parseContent(text);
  const { checkOf } = await context.description();
  const violations = checkOf(call.operationId)(value);
  if (violations.length === 0) return value;
  throw invalidBody(violations.map(({ path, message }) => ({
    pointer: formatPointer(path),
    detail: path.length === 0 ? `The body ${message}.` : `\`${path.join(".")}\` ${message}.`,
  })));
}

/**
 * Parses the text of a JSON body.
 *
 * @throws {ControlError} With 400 or 413.
 */
export function parseContent(text: string): unknown {
  const parsed = parseJson(text, { values: { most: MOST_VALUES, left: MOST_VALUES } });
  if (parsed.kind === "value") return parsed.value;
  throw new ControlError(parsed.kind === "too-large" ? 413 : 400, `The body ${parsed.reason}.`);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ControlError(400, "The body is not UTF-8.");
  }
}
