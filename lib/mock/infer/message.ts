/**
 * Reads the shapes of an operation's request body, and of its successful response's body.
 *
 * @module
 */
import type { Operation } from "../../openapi/operation.ts";
import { child, entries, isObject, type Node } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";
import { type SelectedResponse, selectResponse } from "../answer/select_response.ts";
import type { PathShape } from "./path_shape.ts";
import type { Shape } from "./compare_shapes.ts";
import type { ShapeReader } from "./shape.ts";

/** An operation, with the shapes of its bodies. */
export interface OperationMessages {
  readonly operation: Operation;
  readonly path: PathShape;
  /**
   * The lowest exact 2xx code. If only the range `2XX` is declared: 204 without content, else 200. `undefined` if there
   * is neither.
   */
  readonly status: number | undefined;
  readonly declaresCreated: boolean;
  /** The same operation read with its response 201; `undefined` if 201 was read already, or isn't declared. */
  readonly created: () => OperationMessages | undefined;
  /** The shape of the response's body; `undefined` if there is no body or no schema. */
  readonly response: Shape | undefined;
  readonly hasContent: boolean;
  /** The shape of the request body; `undefined` if there is no body or no schema. */
  readonly body: Shape | undefined;
  /** Whether the operation declares a request body, with or without a schema. */
  readonly hasBody: boolean;
}

/**
 * Reads the bodies of an operation.
 *
 * @param code The status of the response. Default: the status that the mock server selects.
 */
export function readExchange(
  operation: Operation,
  path: PathShape,
  reader: ShapeReader,
  code?: number,
): OperationMessages {
  const { document, node } = operation;
  const selected = code === undefined ? selectSuccess(operation) : selectResponse(operation, { code });
  const status = selected.kind === "response" ? selected.status : undefined;
  const content = selected.kind === "response" ? entries(child(selected.node, "content")) : [];
  const bodyContent = hasMethodBody(operation)
    ? entries(child(follow(document, child(node, "requestBody")), "content"))
    : [];
  const response = schemaIn(operation, content);
  const body = schemaIn(operation, bodyContent);
  const declaresCreated = declares(operation, "201");
  const hasOther = declaresCreated && status !== 201;
  return {
    operation,
    path,
    status,
    declaresCreated,
    created: () => hasOther ? readExchange(operation, path, reader, 201) : undefined,
    response: response && reader.read(response),
    hasContent: content.length > 0,
    body: body && reader.read(body),
    hasBody: bodyContent.length > 0,
  };
}

/**
 * Selects the response that the mock server would select without state. If the operation declares only the range `2XX`,
 * which a mock without state doesn't answer, the status is 204 without content, else 200.
 */
function selectSuccess(operation: Operation): SelectedResponse {
  const selected = selectResponse(operation, {});
  if (selected.kind !== "none" || !selected.found.some((key) => key.toUpperCase() === "2XX")) return selected;
  const range = selectResponse(operation, { code: 200 });
  if (range.kind !== "response") return range;
  const isEmpty = child(range.node, "content").value === undefined;
  return { ...range, status: isEmpty ? 204 : 200 };
}

function hasMethodBody({ method }: Operation): boolean {
  return method !== "GET" && method !== "HEAD";
}

function declares({ document, node }: Operation, code: string): boolean {
  const { value } = follow(document, child(node, "responses"));
  return isObject(value) && Object.hasOwn(value, code);
}

type MediaTypes = [string, Node<"MediaType">][];

/**
 * The schema of the media type that a client gets without `Accept`: JSON, else `+json`, else the first with a schema.
 */
function schemaIn({ document }: Operation, content: MediaTypes): Node<"Schema"> | undefined {
  let best: Node<"Schema"> | undefined;
  let bestRank = 3;
  for (const [mediaType, written] of content) {
    const rank = /^application\/json\b/i.test(mediaType) ? 0 : /\+json\b/i.test(mediaType) ? 1 : 2;
    if (rank >= bestRank) continue;
    const schema = child(follow(document, written), "schema");
    if (!isObject(schema.value)) continue;
    best = schema;
    bestRank = rank;
  }
  return best;
}
