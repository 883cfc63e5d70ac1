import { toFieldValue } from "../../http/field_value.ts";
import { parseMediaType } from "../../http/media_type.ts";
import { isToken } from "../../http/token.ts";
import type { HeaderList } from "../../http/handler.ts";
import type { Document } from "../../openapi/document.ts";
import { child, entries, isObject, type Node } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";
import { type Example, firstExample } from "./example.ts";
import { type HeaderContext, standardHeader } from "./standard_header.ts";
import { type BodyGenerator, MOST_WORK } from "../generate/generate.ts";
import { writeJson } from "../../schema/json/json.ts";

/**
 * Headers that a mocked response never takes from its definition: they describe the message that is sent, so a
 * generated value could make the message invalid.
 */
const OF_THE_MESSAGE = new Set([
  "connection",
  "content-encoding",
  "content-type",
  "date",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-svc-mocked",
]);

/** Minimum step budget of a header. All headers of a response share the budget of one body. */
const LEAST_WORK = 1_000;

/**
 * CORS headers. Browsers enforce them, so their values are never generated: they come from an example, `default`,
 * `const` or `enum`.
 */
const CORS = /^access-control-/;

/**
 * The headers that a Response Object declares (OpenAPI 3.1, section 4.8.21), from their examples, else generated from
 * their schemas.
 *
 * @param context The response that has the headers.
 * @param generatorOf The generator of a document's values.
 */
export async function responseHeaders(
  response: Node<"Response">,
  context: HeaderContext,
  generatorOf: (document: Document) => Promise<BodyGenerator>,
): Promise<HeaderList> {
  const { operation: { document }, seed } = context;
  const declared = entries(follow(document, child(response, "headers")));
  const most = Math.max(LEAST_WORK, Math.floor(MOST_WORK / Math.max(1, declared.length)));
  const make = async (schema: Node<"Schema">): Promise<unknown> => {
    if (schema.value === undefined) return undefined;
    const body = (await generatorOf(document)).generate(schema, { seed, work: { left: most } });
    return body.kind === "body" ? body.value : undefined;
  };
  const headers: [string, string][] = [];
  for (const [written, reference] of declared) {
    const name = written.toLowerCase();
    const header = follow(document, reference);
    if (!isToken(name) || OF_THE_MESSAGE.has(name) || !isObject(header.value)) continue;
    if (name === "content-length" && !tellsLength(context, response, header)) continue;
    for (const value of await valuesOf(context, header, name, make)) headers.push([name, toFieldValue(value)]);
  }
  return headers.filter(([name, value]) => name !== "content-length" || /^\d{1,15}$/.test(value));
}

/**
 * Whether a definition tells the length of a body that isn't sent: the answer to HEAD has the `Content-Length` that GET
 * would have (RFC 9110, section 8.6). A generated length doesn't displace that of a declared body. Other answers have
 * the length of their body.
 */
function tellsLength(
  { operation: { document, method } }: HeaderContext,
  response: Node<"Response">,
  header: Node<"Header">,
): boolean {
  if (method !== "HEAD") return false;
  return inlineExample(document, header) !== undefined || namesValue(document, child(header, "schema")) ||
    child(response, "content").value === undefined;
}

type Make = (schema: Node<"Schema">) => Promise<unknown>;

/**
 * The values of a header: one, but for `Set-Cookie`, which needs a line for each cookie, as cookies can have commas (RFC
 * 9110, section 5.3; RFC 6265, section 3). The cookies of a text are its lines (OpenAPI 3.2, Header Object).
 */
async function valuesOf(context: HeaderContext, header: Node<"Header">, name: string, make: Make): Promise<string[]> {
  const explode = child(header, "explode").value === true;
  const value = await valueOf(context, header, name, make);
  if (value === undefined) return [];
  if (name !== "set-cookie") return [toSimpleStyle(value, explode)];
  const cookies = Array.isArray(value)
    ? value.map(toText)
    : isObject(value)
    ? Object.entries(value).map(([key, part]) => `${key}=${toText(part)}`)
    : toText(value).split(/\r?\n/);
  return cookies.filter((cookie) => cookie.trim() !== "");
}

/** The value of a header, or the text that represents it. */
async function valueOf(context: HeaderContext, header: Node<"Header">, name: string, make: Make): Promise<unknown> {
  const { document } = context.operation;
  const example = inlineExample(document, header);
  if (example !== undefined) return example.form === "serialized" ? String(example.value) : example.value;

  const [content] = entries(child(header, "content"));
  if (content !== undefined) {
    const [mediaType, media] = content;
    const example = inlineExample(document, media);
    const value = example?.value ?? await make(child(media, "schema"));
    const isText = example?.form === "serialized" || parseMediaType(mediaType)?.type === "text";
    return value === undefined || isText && typeof value === "string" ? value : writeJson(value);
  }
  // In Swagger 2.0, a header has the keywords of its schema itself; the conversion to OpenAPI 3 moves them to `schema`.
  const schema = child(header, "schema");
  if (schema.value === undefined || (CORS.test(name) && !namesValue(document, schema))) return undefined;
  const type = bareTypeOf(document, schema);
  const standard = type === undefined ? undefined : standardHeader(name, context);
  if (standard !== undefined && (type === "string" || /^\d+$/.test(standard))) return standard;
  return await make(schema);
}

/** The example of a header. The content of a file (`externalValue`) is none: it may have any bytes. */
function inlineExample(document: Document, owner: Node<"Header" | "MediaType">): Example | undefined {
  const example = firstExample(document, owner);
  return example?.value instanceof Uint8Array ? undefined : example;
}

/**
 * Keywords that don't restrict the value of a header. A schema with any other keyword gets a generated value, since it
 * could exclude the header's standard value.
 */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  "type",
  "title",
  "description",
  "deprecated",
  "readOnly",
  "$comment",
]);

/**
 * The type of a schema that asserts nothing but `type`; `string` if it has no `type`. `undefined` for other schemas.
 */
function bareTypeOf(document: Document, schema: Node<"Schema">): "string" | "number" | undefined {
  const { value } = follow(document, schema);
  if (value === true) return "string";
  if (!isObject(value) || Object.keys(value).some((key) => !ANNOTATIONS.has(key) && !key.startsWith("x-"))) {
    return undefined;
  }
  switch (value["type"]) {
    case undefined:
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    default:
      return undefined;
  }
}

/** Whether a schema tells a value, by `const`, `default`, `enum` or an example. */
function namesValue(document: Document, schema: Node<"Schema">): boolean {
  const { value } = follow(document, schema);
  return isObject(value) &&
    ["const", "default", "enum", "example", "examples"].some((keyword) => Object.hasOwn(value, keyword));
}

/** A value in style `simple` (OpenAPI 3.1, section 4.8.12.2), the only style of headers. */
export function toSimpleStyle(value: unknown, explode: boolean): string {
  if (Array.isArray(value)) return value.map(toText).join(",");
  if (!isObject(value)) return toText(value);
  return Object.entries(value).map(([key, part]) => `${key}${explode ? "=" : ","}${toText(part)}`).join(",");
}

function toText(value: unknown): string {
  return typeof value === "object" && value !== null ? writeJson(value) : String(value);
}
