/**
 * The resources of a definition: objects of one kind that its operations create, read, change and delete.
 *
 * @module
 */
import type { Document } from "../../openapi/document.ts";
import type { Operation } from "../../openapi/operation.ts";
import type { Node } from "../../schema/json/node.ts";

export type BindingKind = "list" | "count" | "create" | "read" | "replace" | "update" | "delete" | "action";

/** A path parameter before the id, which tells whose items are meant: `userId` of `/users/{userId}/orders`. */
export interface ScopeParameter {
  /** The name of the parameter in the collection's path. */
  readonly parameter: string;
  /**
   * The keys that lead to the parameter's value in an item: `["metadata", "namespace"]`; absent if items don't have it.
   */
  readonly property?: readonly string[];
  /** The resource whose id the parameter is; absent if no resource is bound for it. */
  readonly parent?: Resource;
}

/** Objects of one kind. A resource keeps its identity until the definition is reloaded. */
export interface Resource {
  /** Unique among all definitions of a server, and the same after a reload: `pets`, `users.orders`. */
  readonly name: string;
  readonly document: Document;
  /** Whether the resource has one item and no id: `/me`, `/settings`. */
  readonly isSingleton: boolean;
  /** The keys that lead to the id in an item: `["id"]`, `["metadata", "name"]`; empty for a singleton. */
  readonly id: readonly string[];
  /**
   * The path parameters before the id, outermost first, followed by parameters that only some paths have.
   * `/issues/{issue_number}/comments` creates comments, and `/comments/{id}` reads them: the scope is `issue_number`.
   */
  readonly scope: readonly ScopeParameter[];
  /** The schema of an item, from the body that shows most of it. */
  readonly schema: Node<"Schema">;
  readonly bindings: readonly Binding[];
  /** Sentences that explain why these operations are bound to one resource. */
  readonly evidence: readonly string[];
}

/** The effect of one operation on a resource. */
export interface Binding {
  readonly kind: BindingKind;
  readonly resource: Resource;
  readonly operation: Operation;
  /**
   * The status of the successful response: the lowest exact 2xx code, but 201 for a `create` that declares it. If only
   * the range `2XX` is declared: 204 without content, else 200.
   */
  readonly status: number;
  /** The path parameter with the id; `undefined` for lists, creates, and singletons. */
  readonly idParameter: string | undefined;
  /**
   * The properties of which one has the value of `idParameter`, the first that does: `id` and `name` for
   * `{id_or_name}`. Absent for the resource's id alone.
   */
  readonly keys?: readonly (readonly string[])[];
  /** Whether the operation reads the newest item: `/things/latest`. Default: false. */
  readonly isNewest?: boolean;
  /**
   * The path's parameter for each entry of the resource's `scope`. `undefined` means that the operation spans all
   * values of this entry.
   */
  readonly scopeParameters: readonly (string | undefined)[];
  /**
   * The keys that lead to the item, the list or the count in the response's body: `[]` for the whole body, `["data"]`.
   * `undefined` if the body has none, as with 204 or a status object.
   */
  readonly envelope: readonly string[] | undefined;
  /** For a list: the keys that lead from an element to the item; usually `[]`. */
  readonly element: readonly string[];
  /** The keys that lead to the item in the request body; `undefined` if it has no item. */
  readonly requestEnvelope: readonly string[] | undefined;
  /** For a create: the keys that lead to the list of created items in the response's body; absent if it has none. */
  readonly listEnvelope?: readonly string[];
  /** For `replace` and `update`: whether a request with an unknown id creates the item. */
  readonly createsMissing: boolean;
  /** For an action: the last literal segment of its path (`cancel`). */
  readonly action?: string;
}

export interface UnboundOperation {
  readonly operation: Operation;
  /** Why the operation belongs to no resource, as a sentence. */
  readonly reason: string;
}

/** The resources of all definitions of a server. */
export interface Resources {
  readonly all: readonly Resource[];
  /** The binding of an operation; `undefined` if the operation is answered without state. */
  readonly bindingOf: (operation: Operation) => Binding | undefined;
  readonly unbound: readonly UnboundOperation[];
}
