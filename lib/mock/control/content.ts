import { readBody } from "../../http/body.ts";
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
 * The media types of texts whose sender named none: `curl -d` and urllib send text as a form, `fetch` as plain text. Such
 * a text is read as what it looks like. The control API takes no forms.
 */
const UNNAMED: readonly string[] = ["application/x-www-form-urlencoded", "text/plain"];

/**
 * Reads a request body as text.
 *
 * @param accepted The accepted media types: JSON, plain text, or both.
 * @throws {ControlError} With 400, 413 or 415.
 */
export async function readContent(
  { request }: Pick<ControlCall, "request">,
  accepted: readonly string[],
): Promise<Content> {
  const written = request.headers.get("content-type");
  const parsed = written === null ? undefined : parseMediaType(written);
  const mediaType = parsed === undefined ? "" : essence(parsed);
  const isUnnamed = UNNAMED.includes(mediaType);
  if (!isUnnamed && !accepted.includes(mediaType)) {
    const given = written === null ? "has no Content-Type" : `is ${writeJson(written.slice(0, 100))}`;
    throw new ControlError(415, `The body ${given}. Send ${accepted.join(" or ")}.`);
  }
  const body = await readBody(request, MOST_CONTENT);
  switch (body.kind) {
    case "too-large":
      throw new ControlError(413, `The body is larger than ${MOST_CONTENT} bytes.`);
    case "unknown-coding":
      throw new ControlError(415, `The body ${body.message}.`);
    case "broken":
      throw new ControlError(400, `The body can't be read: ${body.message}.`);
    case "bytes":
      break;
  }
  const text = decode(body.bytes);
  if (!isUnnamed) return { mediaType, text };
  const looksLike = /^\s*[{[]/.test(text) ? "application/json" : "text/plain";
  if (accepted.includes(looksLike)) return { mediaType: looksLike, text };
  throw new ControlError(415, `The body is ${writeJson(written)}. Send ${accepted.join(" or ")}.`);
}

/** Reads a JSON body, and validates it against the schema in the API's description. */
export async function readJson(
  call: ControlCall,
  context: ControlContext,
  accepted: readonly string[] = ["application/json"],
): Promise<unknown> {
  const { text } = await readContent(call, accepted);
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
