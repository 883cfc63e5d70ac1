import { splitTarget } from "../../http/url/url.ts";
import { child, entries, type Node } from "../../schema/json/node.ts";
import type { Operation } from "../../openapi/operation.ts";
import { follow } from "../../schema/json/reference.ts";
import type { ExpressionRequest, ExpressionResponse } from "../../openapi/runtime_expression.ts";
import { createBodyReader, type DecodedBody } from "../../wire/decode.ts";
import { formatsOfForm, type FormFormats } from "../../wire/value_format.ts";
import { createContentChooser } from "../validation/content.ts";

/**
 * Reads the parts of a request that the runtime expressions of callbacks and the conditions of examples depend on.
 *
 * @param pathParameters The path parameters, percent-decoded, by name.
 * @param body The body in bytes; absent if there is no body, or if neither callbacks nor examples depend on it.
 * @param formats The formats of forms for which the definition declares none.
 */
export async function describeRequest(
  operation: Operation,
  request: Pick<Request, "url" | "method" | "headers">,
  pathParameters: Readonly<Record<string, string>>,
  body?: Uint8Array,
  formats?: FormFormats,
): Promise<ExpressionRequest> {
  const { url, method, headers } = request;
  const described = { url, method, headers, pathParameters, query: splitTarget(url).query };
  if (body === undefined || body.byteLength === 0) return described;
  const decoded = await decodeRequest(operation, headers, body, formats);
  return { ...described, body: decoded.kind === "value" ? decoded.value : undefined };
}

/** Decodes the body of a request by its operation. */
export async function decodeRequest(
  operation: Operation,
  headers: Headers,
  body: Uint8Array,
  formats?: FormFormats,
): Promise<DecodedBody> {
  const contents = entries(child(follow(operation.document, child(operation.node, "requestBody")), "content"));
  const contentType = headers.get("content-type") ?? contents[0]?.[0] ?? "";
  const content = contents[createContentChooser(contents.map(([mediaType]) => mediaType))(contentType)]?.[1];
  return await decode(operation, contentType, body, content, formats);
}

/**
 * Reads the parts of a response that the runtime expressions of callbacks depend on.
 *
 * @param body The body in bytes; absent if there is none.
 */
export async function describeResponse(
  operation: Operation,
  { status, headers }: Pick<Response, "status" | "headers">,
  body?: Uint8Array,
): Promise<ExpressionResponse> {
  if (body === undefined || body.byteLength === 0) return { status, headers };
  const decoded = await decode(operation, headers.get("content-type") ?? "", body);
  return { status, headers, body: decoded.kind === "value" ? decoded.value : undefined };
}

async function decode(
  { document }: Operation,
  contentType: string,
  body: Uint8Array,
  mediaType?: Node<"MediaType">,
  formats?: FormFormats,
): Promise<DecodedBody> {
  const mediaTypeObject = mediaType && follow(document, mediaType);
  const schema = mediaTypeObject && child(mediaTypeObject, "schema");
  const read = createBodyReader({
    document,
    mediaTypeObject,
    schema: schema?.value === undefined ? undefined : schema,
    formats: formatsOfForm(formats),
  });
  return await read(body, contentType);
}
