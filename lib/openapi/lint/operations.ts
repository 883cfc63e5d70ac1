import type { Document } from "../document.ts";
import type { Extension } from "../extension/extension.ts";
import { child, items, stringOf } from "../../schema/json/node.ts";
import { nameOf, type Operation } from "../operation.ts";
import { listParameters } from "../parameter.ts";
import { follow } from "../../schema/json/reference.ts";
import { parsePointer } from "../../schema/json/pointer.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { quote } from "../../schema/wording.ts";
import { ofKind, type PlacedObject } from "./objects.ts";
import { parametersOfKey } from "./paths.ts";
import { atKey, error, findAtEach, warning } from "./report.ts";
import { writeJson } from "../../schema/json/json.ts";

/** Finds operations with the same `operationId`. */
export function checkOperationIds(objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  const firsts = new Map<string, PlacedObject>();
  return ofKind(objects, "Operation").flatMap((object) => {
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

/** Names an operation in messages, such as `GET /pets`, by the JSON Pointer of its Operation Object. */
function requestOf({ node }: PlacedObject): string {
  const [path, method = ""] = parsePointer(node.pointer).slice(-2);
  return path === undefined ? node.source.uri : `${method.toUpperCase()} ${path}`;
}

/** An operation with its merged `x-svc` settings. */
export interface ConfiguredOperation {
  readonly operation: Operation;
  readonly extension: Extension;
}

/** Finds path parameters that the path template has but no parameter declares, and the reverse. */
export function checkPathParameters(operations: readonly Operation[], most?: number): UnlocatedDiagnostic[] {
  const known = new Map<unknown, Map<unknown, ReadonlySet<string>>>();
  return findAtEach(operations, (operation) => {
    const { inTemplate, inQuery } = parametersOfKey(operation.path);
    const declared = declaredIn(operation);
    const name = nameOf(operation);
    return [
      ...[...inTemplate].filter((name) => !declared.has(name)).map((parameter) => {
        const message = `${quote(name)} doesn't declare the parameter ${
          quote(parameter)
        } of its path; add it with \`in: path\`.`;
        return atKey(error("undeclared-parameter", message, operation.node));
      }),
      ...[...declared].filter((name) => !inTemplate.has(name) && !inQuery.has(name)).map((parameter) => {
        const message = `${quote(name)} declares the path parameter ${quote(parameter)}, which ${
          quote(operation.path)
        } doesn't have.`;
        return atKey(warning("unused-parameter", message, operation.node));
      }),
    ];
  }, most);

  /** Memoised: many paths may refer to one Path Item Object, whose parameters are then read once. */
  function declaredIn(operation: Operation): ReadonlySet<string> {
    const { node: { value }, pathItems: [written, target] } = operation;
    const isShared = target !== undefined && written !== undefined && child(written, "parameters").value === undefined;
    if (!isShared) return pathParametersOf(operation);
    const ofTarget = known.get(target.value) ?? new Map<unknown, ReadonlySet<string>>();
    known.set(target.value, ofTarget);
    const names = ofTarget.get(value) ?? pathParametersOf(operation);
    ofTarget.set(value, names);
    return names;
  }
}

function pathParametersOf(operation: Operation): ReadonlySet<string> {
  return new Set(listParameters(operation).filter((one) => one.in === "path").map(({ name }) => name));
}

/** Finds parameters that one `parameters` list has twice. */
export function checkParameterLists(document: Document, objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  const holders = objects.filter((object) => object.kind === "Operation" || object.kind === "PathItem");
  return holders.flatMap(({ node }) => {
    const seen = new Set<string>();
    return items(child(node, "parameters")).flatMap((written) => {
      const parameter = follow(document, written);
      const [name, location] = [stringOf(child(parameter, "name")), stringOf(child(parameter, "in"))];
      const key = writeJson([name, location]);
      if (name === undefined || location === undefined || !seen.has(key)) {
        seen.add(key);
        return [];
      }
      return [error("duplicate-parameter", `The ${location} parameter ${quote(name)} is in this list twice.`, written)];
    });
  });
}
