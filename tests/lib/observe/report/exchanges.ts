/**
 * Makes exchanges (a request and its response, both validated) without a server.
 *
 * @module
 */
import { listOperations, type Operation } from "../../../../lib/openapi/operation.ts";
import { type Document, parseDocument } from "../../../../lib/openapi/document.ts";
import type { Exchange } from "../../../../lib/observe/exchange.ts";

/** A definition with three operations, an API key in the query, and a secret in a path. */
export const TODO = `openapi: 3.1.0
info: { title: Todo, version: 1.0.0 }
components:
  securitySchemes:
    key: { type: apiKey, in: query, name: k }
    own: { type: apiKey, in: header, name: X-Own }
paths:
  /todos:
    get:
      parameters: [{ name: limit, in: query, schema: { maximum: 100 } }]
      responses:
        "200": { description: All., content: { application/json: { schema: { type: array } } } }
        "404": { description: None. }
        4XX: { description: Wrong. }
    post:
      requestBody: { content: { application/json: { schema: { properties: { word: { format: password } } } } } }
      responses: { "201": { description: Made. }, default: { description: Failed. } }
  /resets/{token}:
    put: { responses: { "204": { description: Done. } } }
`;

export async function parseTodo(text = TODO): Promise<Document> {
  return await parseDocument(text, { uri: "file:///todo.yaml" });
}

/** An exchange in short form; absent properties have defaults. */
export interface Given {
  document?: Document;
  /** The name of the operation: `GET /todos`. Absent if the request matches no operation. */
  operation?: string;
  /** The request line: `GET /todos?limit=3`. Default: the name of the operation. */
  request?: string;
  requestHeaders?: Record<string, string>;
  requestBody?: unknown;
  pathParameters?: Record<string, string>;
  status?: number;
  headers?: Record<string, string>;
  /** The body of the response, as JSON or as text. */
  body?: unknown;
  requestViolations?: Exchange["requestViolations"];
  responseViolations?: Exchange["responseViolations"];
  unchecked?: string;
  failure?: string;
}

export function exchange(document: Document, given: Given): Exchange {
  const { operation: name, status = 200, body, requestBody, unchecked, failure, pathParameters = {} } = given;
  const [method = "", target = ""] = (given.request ?? name ?? "").split(" ");
  const operation = listOperations(document).find((operation) => nameOf(operation) === name);
  return {
    ...(operation === undefined ? {} : { operation }),
    pathParameters,
    request: {
      method,
      url: `http://ada:pass@localhost:8080${target}`,
      ...messageOf(given.requestHeaders ?? {}, requestBody),
    },
    response: { status, isUpstream: failure === undefined, ...messageOf(given.headers ?? {}, body) },
    requestViolations: given.requestViolations ?? [],
    responseViolations: given.responseViolations ?? [],
    ...(unchecked === undefined ? {} : { unchecked }),
    ...(failure === undefined ? {} : { failure }),
  };
}

function nameOf({ method, path }: Operation): string {
  return `${method} ${path}`;
}

function messageOf(headers: Record<string, string>, body: unknown): { headers: Headers; body?: Uint8Array } {
  if (body === undefined) return { headers: new Headers(headers) };
  const isText = typeof body === "string";
  return {
    headers: new Headers({ ...(isText ? {} : { "content-type": "application/json; charset=utf-8" }), ...headers }),
    body: new TextEncoder().encode(isText ? body : JSON.stringify(body)),
  };
}

/** Makes a violation at the given place. */
export function violation(
  location: string,
  code: string,
  message: string,
): { location: string[]; severity: "Error"; code: string; message: string } {
  return { location: location.split("."), severity: "Error", code, message };
}
