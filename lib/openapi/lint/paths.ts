import type { Document } from "../document.ts";
import { child, entries, type Node } from "../../schema/node.ts";
import type { Operation } from "../operation.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { quote } from "../../schema/wording.ts";
import { atKey, error, findAtEach, warning } from "./report.ts";

/** A path template without the names of its parameters: templates of the same shape match the same paths. */
export function shapeOfPath(path: string): string {
  return path.replace(/\{[^{}/]*\}/g, "{}");
}

/** Finds path templates that are not well-formed, or that match the same paths as another. */
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
        // With different methods, requests still find each operation, although the specification forbids such paths:
        // only a warning.
        const diagnostic = shared.length > 0
          ? error("ambiguous-path", `${message}, and both have ${shared.join(", ")}. Make them one.`, pathItem)
          : warning("ambiguous-path", `${message}. Make them one.`, pathItem);
        return [atKey(diagnostic)];
      }, most)
    ),
  ];
}

function checkTemplate(path: string, pathItem: Node<"PathItem">): UnlocatedDiagnostic[] {
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
export function namesIn(path: string): string[] {
  return [...path.matchAll(/\{([^{}/]+)\}/g)].map(([, name = ""]) => name);
}
