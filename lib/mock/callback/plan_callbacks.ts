/**
 * Plans the requests that an operation's callbacks, or a webhook, make. The caller sends them.
 *
 * @module
 */
import { joinBytes } from "../../http/content_coding.ts";
import type { Bytes } from "../../http/handler.ts";
import type { Document } from "../../openapi/document.ts";
import type { Operation } from "../../openapi/operation.ts";
import { listParameters, type Parameter } from "../../openapi/parameter.ts";
import { expand, type ExpressionContext } from "../../openapi/runtime_expression.ts";
import { child, entries, type Node } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";
import { encodeBody } from "../../wire/encode.ts";
import { styledFields } from "../../wire/form.ts";
import type { Callback, CallbackPlan, PlannedRequest } from "./callback.ts";
import { firstExample } from "../answer/example.ts";
import type { BodyGenerator } from "../generate/generate.ts";
import { toFieldValue } from "../../http/field_value.ts";
import { toSimpleStyle } from "../answer/header.ts";
import { negotiate } from "../answer/negotiate.ts";
import { writeJson } from "../../schema/json/json.ts";

export interface PlanOptions {
  /** The generator of a document's values. Used for parameters and bodies without an example. */
  generatorOf: (document: Document) => Promise<BodyGenerator>;
  /** Seed of generated values. Default: 0. */
  seed?: number;
}

/**
 * Plans the requests that an operation's callbacks make after an answer.
 *
 * @param callbacks The result of `listCallbacks` for the operation.
 * @param context The request and its answer, with decoded bodies.
 */
export async function planCallbacks(
  callbacks: readonly Callback[],
  context: ExpressionContext,
  options: PlanOptions,
): Promise<CallbackPlan[]> {
  return await Promise.all(callbacks.map(async ({ name, expression, operation }): Promise<CallbackPlan> => {
    const url = resolveUrl(expression, context);
    return url instanceof URL
      ? { name, operation, kind: "request", request: await planRequest(operation, url, options) }
      : { name, operation, kind: "impossible", reason: url.reason };
  }));
}

/**
 * Plans the request of an operation of a callback or webhook: its body from an example or its schema, and the query,
 * header and cookie parameters that are required or have examples.
 *
 * @param url The URL that the request is sent to; query parameters are added to it.
 */
export async function planRequest(
  operation: Operation,
  url: URL,
  { generatorOf, seed = 0 }: PlanOptions,
): Promise<PlannedRequest> {
  const { document, method } = operation;
  const make = async (schema: Node<"Schema">): Promise<unknown> => {
    const body = (await generatorOf(document)).generate(schema, { seed, direction: "request" });
    return body.kind === "body" ? body.value : undefined;
  };
  const headers: [string, string][] = [];
  const fields: string[] = [];
  const cookies: string[] = [];
  for (const parameter of listParameters(operation)) {
    const value = await parameterValue(document, parameter, make);
    if (value === undefined) continue;
    if (parameter.in === "header") headers.push([parameter.name.toLowerCase(), toHeader(parameter, value)]);
    if (parameter.in === "query") fields.push(...toFields(parameter, value));
    if (parameter.in === "cookie") cookies.push(toFields(parameter, value).join("&").replaceAll("+", "%20"));
  }
  if (cookies.length > 0) headers.push(["cookie", cookies.join("; ")]);
  const target = new URL(url);
  if (fields.length > 0) target.search = [target.search.slice(1), ...fields].filter((field) => field !== "").join("&");
  // The Fetch API allows no body for GET and HEAD.
  const content = method === "GET" || method === "HEAD" ? undefined : await planBody(operation, make);
  if (content !== undefined) headers.unshift(["content-type", content.contentType]);
  return { method, url: target, headers, body: content?.body ?? null };
}

function resolveUrl(expression: string, context: ExpressionContext): URL | { reason: string } {
  const expansion = expand(expression, context);
  if (expansion.kind === "unresolved") {
    return {
      reason: `Its URL ${expression} has no value: the request and its answer have no ${expansion.expression}.`,
    };
  }
  const url = URL.canParse(expansion.text) ? new URL(expansion.text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  return {
    reason: `Its URL is to be ${expression}, which is ${writeJson(expansion.text)}: no http or https URL.`,
  };
}

/** The value of a parameter: its example, or a generated value if it is required. */
async function parameterValue(
  document: Document,
  parameter: Parameter,
  make: (schema: Node<"Schema">) => Promise<unknown>,
): Promise<unknown> {
  const { node, content, required } = parameter;
  const example = firstExample(document, node) ?? (content && firstExample(document, content.node));
  if (example !== undefined) return example.value;
  const schema = parameter.schema ?? content?.schema;
  return required && schema !== undefined ? await make(schema) : undefined;
}

function toHeader({ content, explode }: Parameter, value: unknown): string {
  return toFieldValue(content === undefined ? toSimpleStyle(value, explode) : writeJson(value));
}

function toFields({ name, content, style, explode, allowReserved }: Parameter, value: unknown): string[] {
  if (content !== undefined) {
    return styledFields(name, writeJson(value), { style: "form", explode, allowReserved });
  }
  switch (style) {
    case "spaceDelimited":
    case "pipeDelimited":
    case "deepObject":
      return styledFields(name, value, { style, explode, allowReserved });
    default:
      return styledFields(name, value, { style: "form", explode, allowReserved });
  }
}

async function planBody(
  { document, node }: Operation,
  make: (schema: Node<"Schema">) => Promise<unknown>,
): Promise<{ body: Bytes | null; contentType: string } | undefined> {
  const contents = entries(child(follow(document, child(node, "requestBody")), "content"));
  const chosen = negotiate(null, contents.map(([mediaType]) => mediaType));
  const written = chosen && contents[chosen.index]?.[1];
  if (chosen === undefined || written === undefined) return undefined;
  const mediaTypeObject = follow(document, written);
  const schema = child(mediaTypeObject, "schema");
  const context = { document, mediaTypeObject, schema: schema.value === undefined ? undefined : schema };
  const example = firstExample(document, mediaTypeObject);
  if (example === undefined && schema.value === undefined) return undefined;
  const { body, contentType } = example === undefined
    ? await encodeBody(await make(schema), chosen.mediaType, context, "data")
    : await encodeBody(example.value, chosen.mediaType, context, example.form);
  return { body: body === null || body instanceof Uint8Array ? body : joinBytes(body), contentType };
}
