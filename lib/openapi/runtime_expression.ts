/**
 * Runtime expressions such as `$request.body#/url`, by which callbacks and links take values from a request and its
 * response.
 *
 * @module
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#runtime-expressions OpenAPI 3.1, Runtime Expressions}
 */
import { isToken } from "../http/token.ts";
import { decodeQueryText, splitQuery } from "../http/url/url.ts";
import { parsePointer, valueAt } from "../schema/json/pointer.ts";
import { writeJson } from "../schema/json/json.ts";

/** The request and response from which runtime expressions take their values. */
export interface ExpressionContext {
  readonly request: ExpressionRequest;
  /** The response. Absent while there is none; expressions of the response then have no value. */
  readonly response?: ExpressionResponse;
}

/** The request from which runtime expressions take their values. */
export interface ExpressionRequest {
  /** The absolute URL, as sent. */
  readonly url: string;
  readonly method: string;
  /** The query without `?`, still percent-encoded. */
  readonly query: string;
  /** Values of path parameters, percent-decoded, by name. */
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly headers: Pick<Headers, "get">;
  /** The parsed body; `undefined` where there is none. */
  readonly body?: unknown;
}

/** The response from which runtime expressions take their values. */
export interface ExpressionResponse {
  readonly status: number;
  readonly headers: Pick<Headers, "get">;
  /** The parsed body; `undefined` where there is none. */
  readonly body?: unknown;
}

/** A runtime expression, parsed. */
export type RuntimeExpression =
  | { kind: "url" }
  | { kind: "method" }
  | { kind: "status-code" }
  | { kind: "header"; of: "request" | "response"; name: string }
  | { kind: "query"; name: string }
  | { kind: "path"; name: string }
  | {
    kind: "body";
    of: "request" | "response";
    /** The reference tokens of the JSON Pointer after `#`; empty for the whole body. */
    tokens: string[];
  };

/**
 * Parses a runtime expression.
 *
 * @returns `undefined` if the text is no runtime expression.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(parseRuntimeExpression("$request.body#/user/id"), {
 *   kind: "body",
 *   of: "request",
 *   tokens: ["user", "id"],
 * });
 * assert.equal(parseRuntimeExpression("request.body"), undefined);
 * ```
 */
export function parseRuntimeExpression(text: string): RuntimeExpression | undefined {
  switch (text) {
    case "$url":
      return { kind: "url" };
    case "$method":
      return { kind: "method" };
    case "$statusCode":
      return { kind: "status-code" };
    default: {
      const [, of, source = ""] = /^\$(request|response)\.(.+)$/su.exec(text) ?? [];
      return of === "request" || of === "response" ? parseSource(source, of) : undefined;
    }
  }
}

/** Whether a text is a runtime expression, such as `$request.body#/url`. */
export function isRuntimeExpression(text: string): boolean {
  return parseRuntimeExpression(text) !== undefined;
}

/** Parses the part after `$request.` or `$response.`. A response has no query and no path. */
function parseSource(source: string, of: "request" | "response"): RuntimeExpression | undefined {
  const [, part, name] = /^(header|query|path)\.(.+)$/su.exec(source) ?? [];
  if (part !== undefined && name !== undefined) {
    if (part === "header") return isToken(name) ? { kind: "header", of, name } : undefined;
    return of === "request" ? { kind: part === "query" ? "query" : "path", name } : undefined;
  }
  const [body, pointer = ""] = /^body(?:#(|\/.*))?$/su.exec(source) ?? [];
  return body === undefined ? undefined : { kind: "body", of, tokens: parsePointer(pointer) };
}

/** The value of an expression in a request and its response; `undefined` where it has none. */
export function evaluate(expression: RuntimeExpression, { request, response }: ExpressionContext): unknown {
  switch (expression.kind) {
    case "url":
      return request.url;
    case "method":
      return request.method;
    case "status-code":
      return response?.status;
    case "header":
      return (expression.of === "request" ? request : response)?.headers.get(expression.name) ?? undefined;
    case "query": {
      const [value] = splitQuery(request.query).get(expression.name) ?? [];
      return value === undefined ? undefined : decodeQueryText(value);
    }
    case "path":
      return Object.hasOwn(request.pathParameters, expression.name)
        ? request.pathParameters[expression.name]
        : undefined;
    case "body":
      return valueAt((expression.of === "request" ? request : response)?.body, expression.tokens);
  }
}

/** A text whose runtime expressions were replaced by their values. */
export type Expansion =
  | { kind: "text"; text: string }
  | {
    kind: "unresolved";
    /** The first `{…}` in the text that isn't a runtime expression or has no value, without the braces. */
    expression: string;
  };

/**
 * Replaces the expressions in a text: those in curly brackets, or the whole text where it is one itself. Values that are
 * no strings are written as JSON.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const request = {
 *   url: "http://localhost/subscriptions?to=http%3A%2F%2Flocalhost%3A9000",
 *   method: "POST",
 *   query: "to=http%3A%2F%2Flocalhost%3A9000",
 *   pathParameters: {},
 *   headers: new Headers(),
 *   body: { id: 7 },
 * };
 * assert.deepEqual(expand("{$request.query.to}/events/{$request.body#/id}", { request }), {
 *   kind: "text",
 *   text: "http://localhost:9000/events/7",
 * });
 * ```
 */
export function expand(text: string, context: ExpressionContext): Expansion {
  if (text.startsWith("$")) return expand(`{${text}}`, context);
  let unresolved: string | undefined;
  const expanded = text.replace(/\{([^{}]*)\}/g, (_, written: string) => {
    const expression = parseRuntimeExpression(written);
    const value = expression && evaluate(expression, context);
    if (value === undefined) unresolved ??= written;
    return typeof value === "string" ? value : writeJson(value) ?? "";
  });
  return unresolved === undefined ? { kind: "text", text: expanded } : { kind: "unresolved", expression: unresolved };
}
