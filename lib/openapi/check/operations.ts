import type { Document } from "../document.ts";
import type { Extension, ExtensionSettings } from "../extension.ts";
import { child, stringOf } from "../node.ts";
import type { Operation } from "../operation.ts";
import { parsePointer } from "../pointer.ts";
import type { Finding } from "../source.ts";
import { quote } from "../wording.ts";
import type { PlacedObject } from "./objects.ts";
import { shapeOfPath } from "./paths.ts";
import { atKey, error } from "./report.ts";

/** Finds operations of one definition that have the same `operationId`. */
export function checkOperationIds(objects: readonly PlacedObject[]): Finding[] {
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

/** Finds operations that several definitions have: one of them would never be asked. */
export function checkDuplicates(operations: readonly ConfiguredOperation[]): Finding[] {
  const byRequest = Map.groupBy(operations, ({ operation: { method, path }, extension: { settings } }) => {
    return `${method} ${shapeOfPath((settings.path?.prefix ?? "") + path)}`;
  });
  return [...byRequest.values()].flatMap((alike) => {
    const firsts = new Map<Document, ConfiguredOperation>();
    return alike.flatMap((one) => {
      const { document, method, path, node } = one.operation;
      const others = [...firsts].filter(([other]) => other !== document).map(([, first]) => first);
      if (!firsts.has(document)) firsts.set(document, one);
      const other = others.find((first) => shareHosts(first.extension.settings, one.extension.settings));
      if (other === undefined) return [];
      const message = `${method} ${path} is also in ${other.operation.document.uri}; remove it from one of the two.`;
      return [atKey(error("duplicate-operation", message, node))];
    });
  });
}

/** Hosts are those of the whole definition: all its operations have the same. */
function shareHosts(a: ExtensionSettings, b: ExtensionSettings): boolean {
  const [some = ["*"], others = ["*"]] = [a.hosts, b.hosts];
  return some.includes("*") || others.includes("*") || some.some((host) => others.includes(host));
}
