import { equalBytes } from "../../http/bytes.ts";
import { formatDataUri } from "../../http/data_uri.ts";
import { latin1Bytes, latin1Text } from "../../http/latin1.ts";
import { essence, type MediaType, parseMediaType } from "../../http/media_type.ts";
import type { Operation } from "../../openapi/operation.ts";
import { child, entries, isObject, type Node } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";
import { decodeStrictly } from "../../http/decode_strictly.ts";
import { textEncoder } from "../../wire/charset.ts";
import { isTextOfBody } from "../../wire/encode.ts";
import { formatOf, type WireFormat } from "../../wire/format.ts";
import { fromJson } from "../../wire/json.ts";
import { toValue } from "../../wire/text_value.ts";
import { readHints } from "../../schema/hints.ts";
import type { Exchange } from "../exchange.ts";
import { redactBody, redactBytes } from "../secrets/redact_body.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { declaredResponse, schemaOf } from "./declared_response.ts";
import { type ExampleField, sizeInYaml } from "./recorded_answer.ts";

export const MOST_RECORDED_BODY = 1024 * 1024;

/**
 * Matches a number with more digits than a double holds. JSON with such a number is recorded as text, so that no digit
 * is lost.
 */
const LONG_NUMBER = /(?<![\w."-])-?(?:\d{16,}|\d+\.\d{15,})/;

/** Headers that aren't recorded: they differ from response to response, or describe the message itself. */
const IGNORED_HEADERS =
  /^(?:age|alt-svc|cf-.*|connection|content-encoding|content-length|content-type|date|etag|keep-alive|last-modified|server|set-cookie|transfer-encoding|vary|via|x-.*request-id|x-correlation-id|x-request-.*|x-runtime|x-trace.*)$/;

/** A response in the form in which it is recorded, or the reason why it isn't recorded. */
export type ReadResponse =
  | {
    kind: "answer";
    /** The key under `content` of the response: the media type as declared, else its essence; empty without a body. */
    mediaType: string;
    contentType?: string | undefined;
    value: unknown;
    field: ExampleField;
    size: number;
    redacted: string[][];
    headers: Record<string, unknown>;
  }
  /** The end of the sentence `Answers of GET /pets are not recorded: …`. */
  | { kind: "skipped"; reason: string };

/** Reads the response of an exchange, and redacts its secrets. */
export async function readResponse(
  operation: Operation,
  { response }: Exchange,
  redactor: Redactor,
): Promise<ReadResponse> {
  const { status, body } = response;
  const contentType = response.headers.get("content-type");
  const headers = readHeaders(operation, response, redactor);
  if (body === undefined || body.length === 0) {
    const length = response.headers.get("content-length");
    const isMissing = body === undefined && contentType !== null && length !== "0";
    if (isMissing) return { kind: "skipped", reason: "their body is too large to be kept, or broke off" };
    return { kind: "answer", mediaType: "", value: undefined, field: "value", size: 0, redacted: [], headers };
  }
  if (body.length > MOST_RECORDED_BODY) {
    return { kind: "skipped", reason: `their body has more than ${MOST_RECORDED_BODY} bytes` };
  }
  const sent = parseMediaType(contentType ?? "");
  if (sent === undefined) return { kind: "skipped", reason: "they have a body without a valid Content-Type" };
  const mediaType = keyOf(operation, status, sent);
  const common = {
    kind: "answer",
    mediaType,
    contentType: contentType === mediaType ? undefined : contentType ?? undefined,
    headers,
  } as const;
  const format = formatOf(sent);
  const text = await textOf(body, sent, format);
  if (text === undefined) {
    const value = formatDataUri(withoutSecrets(body, sent, format, redactor), essence(sent));
    return { ...common, value, field: "externalValue", size: value.length, redacted: [] };
  }
  const schema = schemaOf(operation, status, mediaType);
  const hints = readHints(operation.document, schema ?? { ...operation.node, value: undefined }, "response");
  /** Whether the mock server takes an example for the text of the body. */
  const isBody = (example: unknown): boolean => typeof example === "string" && isTextOfBody(example, format, hints);
  const read = format === "json" ? fromJson(text) : undefined;
  const size = read?.kind === "value" && !LONG_NUMBER.test(text) ? sizeInYaml(read.value) : undefined;
  if (read?.kind === "value" && size !== undefined) {
    const { value, paths } = redactor.value(read.value);
    const field = isBody(read.value) ? "dataValue" : "value";
    return { ...common, value, field, size, redacted: paths };
  }
  const value = redactBody(text, sent, redactor);
  const redacted = value === text ? [] : [[]];
  const field = isBody(text) ? "value" : "serializedValue";
  return { ...common, value, field, size: text.length, redacted };
}

/** The text of a body; `undefined` for bytes that aren't exactly those of a text in its charset. */
async function textOf(body: Uint8Array, sent: MediaType, format: WireFormat): Promise<string | undefined> {
  if (format === "binary" && !/xml|text/.test(sent.subtype)) return undefined;
  const charset = sent.parameters.get("charset");
  const decoded = decodeStrictly(body, { charset });
  if (decoded === undefined) return undefined;
  const encodeText = await textEncoder(charset);
  // JSON is sent anew from its value.
  if (format === "json") return decodeStrictly(encodeText(decoded), { charset }) === decoded ? decoded : undefined;
  const text = hasByteOrderMark(body) ? `\ufeff${decoded}` : decoded;
  return equalBytes(encodeText(text), body) ? text : undefined;
}

/** Redacts the secrets in a body that is no text, or not in all of its parts. */
function withoutSecrets(body: Uint8Array, sent: MediaType, format: WireFormat, redactor: Redactor): Uint8Array {
  if (format === "binary") return redactBytes(body, redactor);
  return redactBytes(latin1Bytes(redactBody(latin1Text(body), sent, redactor)), redactor);
}

/** Whether a text in UTF-8 begins with a byte order mark, which decoders leave out. */
function hasByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** The media type of a response as declared; if it isn't declared, as sent, without parameters. */
function keyOf(operation: Operation, status: number, sent: MediaType): string {
  const { content } = declaredResponse(operation, status);
  const same = content.find(({ mediaType }) => {
    const declared = parseMediaType(mediaType);
    return declared !== undefined && essence(declared) === essence(sent);
  });
  return same?.mediaType ?? essence(sent);
}

/** The values of the declared headers, with secrets redacted. */
function readHeaders(
  operation: Operation,
  { status, headers }: Exchange["response"],
  redactor: Redactor,
): Record<string, unknown> {
  const { node } = declaredResponse(operation, status);
  const declared = node === undefined ? [] : entries(child(node, "headers"));
  const found = declared.flatMap(([name, written]): [string, unknown][] => {
    const value = headers.get(name);
    if (value === null || IGNORED_HEADERS.test(name.toLowerCase()) || !isPlain(operation, written)) return [];
    const plain = redactor.header(name, value);
    const { document } = operation;
    return [[name, toValue(plain, readHints(document, child(follow(document, written), "schema"), "response"))]];
  });
  return Object.fromEntries(found);
}

/**
 * Whether an example can be added to a header: it is declared without a `$ref`, and has neither an example nor
 * `content`.
 */
function isPlain({ document }: Operation, written: Node<"Header">): boolean {
  const header = follow(document, written);
  return isObject(header.value) && header.pointer === written.pointer &&
    (["example", "examples", "content"] as const).every((field) => child(header, field).value === undefined);
}
