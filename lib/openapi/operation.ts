import type { Document } from "./document.ts";
import type { Node } from "./node.ts";

/** One method of one path (Operation Object). */
export interface Operation {
  readonly document: Document;
  /** HTTP method, in upper case. */
  readonly method: string;
  /** Path template as written: `/pets/{petId}`. */
  readonly path: string;
  /** The Operation Object. */
  readonly node: Node;
  /** The Path Item Object, its `$ref` followed. */
  readonly pathItem: Node;
}
