/**
 * The resources of a definition: objects of one kind that its operations create, read, change and delete.
 *
 * @module
 */
import type { Document } from "../../openapi/document.ts";
import type { Operation } from "../../openapi/operation.ts";
import type { Node } from "../../schema/node.ts";

/** The effect of an operation on a resource. */
export type BindingKind = "list" | "create" | "read" | "replace" | "update" | "delete" | "action";

/** A path parameter before the id that tells whose items are meant: `userId` of `/users/{userId}/orders`. */
export interface ScopeParameter {
  /** The name of the parameter in the collection's path. */
  readonly parameter: string;
  /**
   * The keys that lead to the parameter's value in an item: `["metadata", "namespace"]`; absent where items don't have
   * it.
   */
  readonly property?: readonly string[];
  /** The resource whose id the parameter holds; absent where no resource is bound for it. */
  readonly parent?: Resource;
}

/** Objects of one kind. The same object for as long as a definition is loaded. */
export interface Resource {
  /** Unique over all definitions of a server, and the same after a reload: `pets`, `users.orders`. */
  readonly name: string;
  readonly document: Document;
  /** Whether the resource is one item without an id: `/me`, `/settings`. */
  readonly isSingleton: boolean;
  /** The keys that lead to the id in an item: `["id"]`, `["metadata", "name"]`; empty for a singleton. */
  readonly id: readonly string[];
  /**
   * The path parameters before the id, outermost first. They are followed by parameters that only some paths have:
   * `/issues/{issue_number}/comments` creates comments, and `/comments/{id}` reads them.
   */
  readonly scope: readonly ScopeParameter[];
  /** The schema of an item, from the body that shows most of it. */
  readonly schema: Node<"Schema">;
  readonly bindings: readonly Binding[];
  /** Sentences that say why these operations belong together. */
  readonly evidence: readonly string[];
}

/** The effect of one operation on a resource. */
export interface Binding {
  readonly kind: BindingKind;
  readonly resource: Resource;
  readonly operation: Operation;
  /**
   * The status of the response that is bound: the lowest exact 2xx code, as mocking selects it, but 201 for a `create`
   * that declares it. Where the operation has only the range `2XX`, 204 without content, else 200. */
  readonly status: number;
  /** The path parameter that holds the id; `undefined` for lists, creates, and singletons. */
  readonly idParameter: string | undefined;
  /**
   * The path parameter for each entry of the resource's `scope`. Where an entry is `undefined`, the operation spans all
   * values.
   */
  readonly scopeParameters: readonly (string | undefined)[];
  /**
   * The keys that lead to the item or to the list in the body of the response: `[]` for the whole body, `["data"]`.
   * `undefined` where the body has neither, as with 204 or a status object.
   */
  readonly envelope: readonly string[] | undefined;
  /** In a list: the keys that lead from an element to the item; mostly `[]`. */
  readonly element: readonly string[];
  /** The keys that lead to the item in the body of the request; `undefined` where the body has no item. */
  readonly requestEnvelope: readonly string[] | undefined;
  /** For `replace` and `update`: whether a request with an unknown id creates the item. */
  readonly createsMissing: boolean;
  /** For an action: its name, the last literal segment of its path (`cancel`). */
  readonly action?: string;
}

/** An operation that belongs to no resource. */
export interface UnboundOperation {
  readonly operation: Operation;
  /** The reason, as a sentence. */
  readonly reason: string;
}

/** The resources of all definitions of a server. */
export interface Resources {
  readonly all: readonly Resource[];
  /** The binding of an operation; `undefined` for an operation that is answered without state. */
  readonly bindingOf: (operation: Operation) => Binding | undefined;
  readonly unbound: readonly UnboundOperation[];
}
