/**
 * The callbacks of operations, the webhooks of definitions, and the requests that are planned for them.
 *
 * @module
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#callback-object OpenAPI 3.1, Callback Object}
 */
import type { Bytes, HeaderList } from "../../http/handler.ts";
import type { Document } from "../../openapi/document.ts";
import { type Operation, operationsOf } from "../../openapi/operation.ts";
import { child, entries, type Node } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";

/** The request of a callback or webhook. */
export interface PlannedRequest {
  readonly method: string;
  readonly url: URL;
  /** The headers, with names in lower case. */
  readonly headers: HeaderList;
  readonly body: Bytes | null;
}

/** The planned request for one operation of a callback or webhook, or the reason why there is none. */
export type CallbackPlan =
  & {
    /** The name of the callback or webhook in the definition. */
    readonly name: string;
    /** The operation of the callback or webhook, which describes the request. */
    readonly operation: Operation;
  }
  & (
    | { readonly kind: "request"; readonly request: PlannedRequest }
    | {
      readonly kind: "impossible";
      /** Why there is no request, as a sentence. */
      readonly reason: string;
    }
  );

/**
 * A callback of an operation: its name, the runtime expression of its URL, and the operation that describes its
 * request.
 */
export interface Callback {
  readonly name: string;
  readonly expression: string;
  readonly operation: Operation;
}

/** Lists the callbacks of an operation, in the order of the definition. */
export function listCallbacks({ document, node }: Operation): Callback[] {
  return entries(child(node, "callbacks")).flatMap(([name, written]) =>
    entries(follow(document, written))
      .filter(([expression]) => !expression.startsWith("x-"))
      .flatMap(([expression, pathItem]) =>
        operationsOf(document, expression, pathItem).map((operation) => ({ name, expression, operation }))
      )
  );
}

/** Lists the webhooks of a definition: `webhooks` of OpenAPI 3.1, or `x-webhooks` in earlier versions. */
export function listWebhooks(document: Document): { name: string; operation: Operation }[] {
  const custom = child(document.root, "x-webhooks") as Node<{ mapOf: "PathItem" }>;
  return [child(document.root, "webhooks"), custom].flatMap((webhooks) =>
    entries(webhooks).flatMap(([name, pathItem]) =>
      operationsOf(document, name, pathItem).map((operation) => ({ name, operation }))
    )
  );
}
