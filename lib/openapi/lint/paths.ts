import type { Document } from "../document.ts";
import { child, entries, items, type Node, stringOf } from "../../schema/node.ts";
import { nameOf, type Operation } from "../operation.ts";
import { listParameters } from "../parameter.ts";
import { follow } from "../../schema/reference.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { quote } from "../../schema/wording.ts";
import type { PlacedObject } from "./objects.ts";
import { atKey, error, findAtEach, warning } from "./report.ts";

/** A path template without the names of its parameters: templates of the same shape can't be told apart. */
export function shapeOfPath(path: string): string {
  return path.replace(/\{[^{}/]*\}/g, "{}");
}

/** Finds path templates that are not well-formed, or that can't be told apart from another. */
export function checkPaths(
  document: Document,
  operations: readonly Operation[],
  most?: number,
): UnlocatedDiagnostic[] {
  const paths = entries(child(document.root, "paths")).filter(([path]) => path.startsWith("/"));
  const methods = new Map<string, string[]>();
  for (const { path, method } of operations) methods.set(path, [...(methods.get(path) ?? []), method]);

  const alike = [...Map.groupBy(paths, ([path]) => shapeOfPath(path)).values()];
  return [
    ...findAtEach(paths, ([path, pathItem]) => checkTemplate(path, pathItem), most),
    ...alike.flatMap(([[first] = [""], ...others]) =>
      findAtEach(others, ([path, pathItem]) => {
        const shared = (methods.get(first) ?? []).filter((method) => methods.get(path)?.includes(method));
        const message = `The paths ${quote(first)} and ${quote(path)} can't be told apart`;
        // With different methods each operation is found all the same, although the specification forbids such paths.
        const diagnostic = shared.length > 0
          ? error("ambiguous-path", `${message}, and both have ${shared.join(", ")}. Make them one.`, pathItem)
          : warning("ambiguous-path", `${message}. Make them one.`, pathItem);
        return [atKey(diagnostic)];
      }, most)
    ),
  ];
}

function checkTemplate(path: string, pathItem: Node): UnlocatedDiagnostic[] {
  const diagnostics: UnlocatedDiagnostic[] = [];
  if (/[{}]/.test(path.replace(/\{[^{}/]+\}/g, ""))) {
    const message = `The path ${quote(path)} is not well-formed: each \`{\` needs a name and a \`}\` in its segment.`;
    diagnostics.push(atKey(error("bad-path", message, pathItem)));
  }
  const names = namesIn(path);
  for (const name of new Set(names.filter((name, index) => names.indexOf(name) !== index))) {
    diagnostics.push(
      atKey(error("bad-path", `The path ${quote(path)} has the parameter ${quote(name)} twice.`, pathItem)),
    );
  }
  if (/[?#]/.test(path)) {
    const message = `The path ${
      quote(path)
    } has a query or a fragment, which no request's path has; declare parameters instead.`;
    diagnostics.push(atKey(warning("bad-path", message, pathItem)));
  }
  return diagnostics;
}

/** The names of a template's parameters. */
function namesIn(path: string): string[] {
  return [...path.matchAll(/\{([^{}/]+)\}/g)].map(([, name = ""]) => name);
}

/** Finds path parameters that are in the template and not declared, or declared and not in the template. */
export function checkPathParameters(operations: readonly Operation[], most?: number): UnlocatedDiagnostic[] {
  const known = new Map<unknown, Map<unknown, ReadonlySet<string>>>();
  return findAtEach(operations, (operation) => {
    const inTemplate = new Set(namesIn(operation.path));
    const declared = declaredIn(operation);
    const name = nameOf(operation);
    return [
      ...[...inTemplate.difference(declared)].map((parameter) => {
        const message = `${quote(name)} doesn't declare the parameter ${
          quote(parameter)
        } of its path; add it with \`in: path\`.`;
        return atKey(error("undeclared-parameter", message, operation.node));
      }),
      ...[...declared.difference(inTemplate)].map((parameter) => {
        const message = `${quote(name)} declares the path parameter ${quote(parameter)}, which ${
          quote(operation.path)
        } doesn't have.`;
        return atKey(warning("unused-parameter", message, operation.node));
      }),
    ];
  }, most);

  /** Many paths may refer to one Path Item: the parameters of its operations are read once. */
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

/** Finds parameters that stand twice in one list. */
export function checkParameterLists(document: Document, objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  return objects.filter(({ kind }) => kind === "Operation" || kind === "PathItem").flatMap(({ node }) => {
    const seen = new Set<string>();
    return items(child(node, "parameters")).flatMap((written) => {
      const parameter = follow(document, written);
      const [name, location] = [stringOf(child(parameter, "name")), stringOf(child(parameter, "in"))];
      const key = JSON.stringify([name, location]);
      if (name === undefined || location === undefined || !seen.has(key)) {
        seen.add(key);
        return [];
      }
      return [error("duplicate-parameter", `The ${location} parameter ${quote(name)} is in this list twice.`, written)];
    });
  });
}
