import { METHODS } from "./methods.ts";
import { isToken } from "../http/token.ts";
import type { Document } from "./document.ts";
import { child, entries, isObject, type Node, stringOf } from "../schema/json/node.ts";
import { follow, referenceOf } from "../schema/json/reference.ts";

/** An operation: one method of one path (OpenAPI 3.1, section 4.8.10, Operation Object). */
export interface Operation {
  /** The definition that declares the operation. */
  readonly document: Document;
  /** HTTP method, in upper case. */
  readonly method: string;
  /** The path key as written: `/pets/{petId}`. */
  readonly path: string;
  /** The Operation Object. */
  readonly node: Node<"Operation">;
  /**
   * The Path Item Object of the path and, if it has a `$ref`, the target of the `$ref`. Fields of the first override
   * those of the second.
   */
  readonly pathItems: readonly Node<"PathItem">[];
}

/** The names by which a definition identifies an operation. */
export interface OperationNames {
  /** The `operationId`; absent where the definition has none. */
  readonly operationId?: string;
  /** HTTP method, in upper case. */
  readonly method: string;
  /** The path key: `/pets/{petId}`. */
  readonly path: string;
}

/** A path of a definition, with or without operations. */
export interface DeclaredPath {
  /** The path key as written: `/pets/{petId}`. */
  readonly path: string;
  /** The Path Item Objects of the path: see {@linkcode Operation}. */
  readonly pathItems: readonly Node<"PathItem">[];
}

export function namesOf({ method, path, node }: Operation): OperationNames {
  const operationId = stringOf(child(node, "operationId"));
  return operationId === undefined ? { method, path } : { operationId, method, path };
}

export { METHODS };

/** Lists the operations of a definition, in the order of its text. */
export function listOperations(document: Document): Operation[] {
  return writtenPaths(document).flatMap(([path, pathItem]) => operationsOf(document, path, pathItem));
}

/** Lists the paths of a definition, in the order of its text. */
export function listPaths(document: Document): DeclaredPath[] {
  return writtenPaths(document).map(([path, written]) => ({ path, pathItems: withReferences(document, written) }));
}

function writtenPaths(document: Document): [string, Node<"PathItem">][] {
  return entries(child(document.root, "paths")).filter(([path]) => path.startsWith("/"));
}

/** Lists the operations of one Path Item Object, which may belong to a path, a webhook or a callback. */
export function operationsOf(document: Document, path: string, written: Node<"PathItem">): Operation[] {
  const pathItems = withReferences(document, written);
  const operations = new Map<string, Operation>();
  for (const pathItem of pathItems) {
    for (const [method, node] of methodsOf(pathItem)) {
      if (!operations.has(method)) operations.set(method, { document, method, path, node, pathItems });
    }
  }
  return [...operations.values()];
}

/** A Path Item Object and, if it has a `$ref`, the target of the `$ref`. */
function withReferences(document: Document, written: Node<"PathItem">): Node<"PathItem">[] {
  if (referenceOf(written) === undefined) return [written];
  return [written, follow(document, written)];
}

function methodsOf(pathItem: Node<"PathItem">): [string, Node<"Operation">][] {
  const { value } = pathItem;
  if (!isObject(value)) return [];
  const fixed = METHODS.filter((field) => Object.hasOwn(value, field) && isObject(value[field]))
    .map((field): [string, Node<"Operation">] => [field.toUpperCase(), child(pathItem, field)]);
  const additional = entries(child(pathItem, "additionalOperations"))
    // No request has a method that isn't a token (RFC 9110, section 9.1).
    .filter(([method, node]) => isToken(method) && isObject(node.value));
  return [...fixed, ...additional];
}

/** The name of an operation in messages: its `operationId`, or `GET /pets` where there is none. */
export function nameOf(operation: Operation): string {
  const id = child(operation.node, "operationId").value;
  return typeof id === "string" && id !== "" ? id : `${operation.method} ${operation.path}`;
}
