import type { Extension } from "../extension/extension.ts";
import { child, stringOf } from "../../schema/node.ts";
import type { Operation } from "../operation.ts";
import { parsePointer } from "../../schema/pointer.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { quote } from "../../schema/wording.ts";
import type { PlacedObject } from "./objects.ts";
import { error } from "./report.ts";

/** Finds operations of one definition that have the same `operationId`. */
export function checkOperationIds(objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  const firsts = new Map<string, PlacedObject>();
  return objects.filter(({ kind }) => kind === "Operation").flatMap((object) => {
    const at = child(object.node, "operationId");
    const id = stringOf(at);
    if (id === undefined) return [];
    const first = firsts.get(id);
    if (first === undefined) {
      firsts.set(id, object);
      return [];
    }
    const message = `The operationId ${quote(id)} is also that of ${
      requestOf(first)
    }; give this operation another one.`;
    return [error("duplicate-operation-id", message, at)];
  });
}

/** `GET /pets`, as far as the place of an Operation Object tells. */
function requestOf({ node }: PlacedObject): string {
  const [path, method = ""] = parsePointer(node.pointer).slice(-2);
  return path === undefined ? node.source.uri : `${method.toUpperCase()} ${path}`;
}

/** An operation, and what `x-svc` says of it. */
export interface ConfiguredOperation {
  readonly operation: Operation;
  readonly extension: Extension;
}
