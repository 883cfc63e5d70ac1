import { decodeStrictly } from "../../http/decode_strictly.ts";
import { readContent, unaccepted } from "../../api/content.ts";
import { errorResponse } from "../../api/error_response.ts";
import { parseJson } from "../../schema/json/json.ts";
import { formatPointer } from "../../schema/json/pointer.ts";
import type { ControlCall, ControlContext } from "./context.ts";
import { invalidBody } from "./invalid_body.ts";

/** Limit of a request body, in bytes. */
export const MOST_CONTENT = 16 * 1024 * 1024;

/** Limit of the values of a JSON body. A state may have many. */
export const MOST_CONTROL_VALUES = 1_000_000;

/** The text of a request body, and its media type without parameters. */
export interface TextContent {
  readonly mediaType: string;
  readonly text: string;
}

/**
 * The media types of texts whose sender named none: `curl -d` and urllib send text as a form, `fetch` as plain text. Such
 * a text is read as what it looks like. The control API takes no forms.
 */
const UNNAMED: readonly string[] = ["application/x-www-form-urlencoded", "text/plain"];

/**
 * Reads a request body as text.
 *
 * @param accepted The accepted media types: JSON, plain text, or both.
 * @throws {ErrorResponse} With 400, 408, 413, 415 or 503.
 */
export async function readControlText(
  { request }: Pick<ControlCall, "request">,
  { server: { handlers: { bodies } } }: Pick<ControlContext, "server">,
  accepted: readonly string[],
): Promise<TextContent> {
  const options = { accepted, tolerated: UNNAMED, limit: MOST_CONTENT, bodies };
  const { mediaType, bytes } = await readContent(request, options);
  const text = decodeStrictly(bytes);
  if (text === undefined) throw errorResponse(400, "The body is not UTF-8.");
  if (!UNNAMED.includes(mediaType)) return { mediaType, text };
  const looksLike = /^\s*[{[]/.test(text) ? "application/json" : "text/plain";
  if (!accepted.includes(looksLike)) throw unaccepted(request.headers.get("content-type"), accepted);
  return { mediaType: looksLike, text };
}

/** Reads a JSON body, and validates it against the schema in the API's description. */
export async function readJson(
  call: ControlCall,
  context: ControlContext,
  accepted: readonly string[] = ["application/json"],
): Promise<unknown> {
  const { text } = await readControlText(call, context, accepted);
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
 * @throws {ErrorResponse} With 400 or 413.
 */
export function parseContent(text: string): unknown {
  const parsed = parseJson(text, { values: { most: MOST_CONTROL_VALUES, left: MOST_CONTROL_VALUES } });
  if (parsed.kind === "value") return parsed.value;
  throw errorResponse(parsed.kind === "too-large" ? 413 : 400, `The body ${parsed.reason}.`);
}
