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

/** A path parameter that tells which items of a resource are meant, before the id does: `userId` of `/users/{userId}/orders`. */
export interface ScopeParameter {
  /** The name of the parameter in the collection's path. */
  readonly parameter: string;
  /** The keys on the way to the same value in an item: `["metadata", "namespace"]`; absent where an item has none. */
  readonly property?: readonly string[];
  /** The resource that the parameter is the id of; absent where no resource is bound for it. */
  readonly parent?: Resource;
}

/** Objects of one kind. The same value for the whole time that a definition is loaded. */
export interface Resource {
  /** Unique over all definitions of a server, and the same after a reload: `pets`, `users.orders`. */
  readonly name: string;
  readonly document: Document;
  /** Whether there is one item only, without an id: `/me`, `/settings`. */
  readonly isSingleton: boolean;
  /** The keys on the way to the id in an item: `["id"]`, `["metadata", "name"]`; empty for a singleton. */
  readonly id: readonly string[];
  /**
   * The path parameters before the id, outermost first; behind them those that only some paths have, such as
   * `issue_number`, below which comments are created, though `/comments/{id}` reads them.
   */
  readonly scope: readonly ScopeParameter[];
  /** The schema of an item, as the response that shows most of it has it. */
  readonly schema: Node<"Schema">;
  readonly bindings: readonly Binding[];
  /** The reasons why these operations belong together, as sentences. */
  readonly evidence: readonly string[];
}

/** An operation that is bound to a resource. */
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
  /** The path parameter for each entry of the resource's `scope`; `undefined` where the operation spans all of its values. */
  readonly scopeParameters: readonly (string | undefined)[];
  /**
   * The keys on the way to the item, or to the list, in the body of the response: `[]` bare, `["data"]`. `undefined`
   * where the response has neither, as with 204 or a status object.
   */
  readonly envelope: readonly string[] | undefined;
  /** In a list: the keys on the way from an element to the item; mostly `[]`. */
  readonly element: readonly string[];
  /** The keys on the way to the item in the body of the request; `undefined` where there is no such body. */
  readonly requestEnvelope: readonly string[] | undefined;
  /** Of `replace` and `update`: whether an unknown id creates the item. */
  readonly createsMissing: boolean;
  /** Of an action: its name, the last literal segment of its path (`cancel`). */
  readonly action?: string;
}

/** An operation that belongs to no resource. */
export interface UnboundOperation {
  readonly operation: Operation;
  /** Why, as a sentence. */
  readonly reason: string;
}

/** The resources of all definitions of a server. */
export interface Resources {
  readonly all: readonly Resource[];
  /** The binding of an operation; `undefined` where it is answered without state. */
  readonly bindingOf: (operation: Operation) => Binding | undefined;
  readonly unbound: readonly UnboundOperation[];
}
