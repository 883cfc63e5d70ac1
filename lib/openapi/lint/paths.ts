import type { Document } from "../document.ts";
import { child, entries, type Node } from "../../schema/json/node.ts";
import { nameOf, type Operation } from "../operation.ts";
import { conditionsOf, requirementsOf } from "../operation_conditions.ts";
import {
  identityOf,
  MOST_CONDITIONS,
  readPathConditions,
  shapeOfPath,
  splitPathKey,
  templateOf,
} from "../path_condition.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { quote } from "../../schema/wording.ts";
import { atKey, error, findAtEach, warning } from "./report.ts";
import { writeJson } from "../../schema/json/json.ts";

/** Finds path keys that are malformed, or that match the same requests as another path key. */
export function checkPaths(
  document: Document,
  operations: readonly Operation[],
  most?: number,
): UnlocatedDiagnostic[] {
  const written = entries(child(document.root, "paths")).filter(([path]) => path.startsWith("/"));
  const byPath = Map.groupBy(operations, ({ path }) => path);
  const keys = written.map(([path, pathItem]): PathKey => {
    const operations = byPath.get(path) ?? [];
    const [first] = operations;
    const conditions = first === undefined ? readPathConditions(path) : conditionsOf(first);
    const demands = `${shapeOfPath(templateOf(path))} ${identityOf(conditions)}`;
    return { path, pathItem, operations, demands, label: conditions?.label ?? "" };
  });
  const sameDemands = Map.groupBy(keys, ({ demands }) => demands);
  const alike = Map.groupBy(keys, ({ demands, label }) => label === "" ? demands : `${demands}#${label}`);
  return [
    ...findAtEach(written, ([path, pathItem]) => checkTemplate(path, pathItem), most),
    ...[...alike.values()].flatMap((keys) => checkAlike(keys, most)),
    ...[...sameDemands.values()].flatMap((keys) => checkLabels(keys, most)),
  ];
}

/** A key under `paths`, with the operations of its Path Item Object. */
interface PathKey {
  readonly path: string;
  readonly pathItem: Node<"PathItem">;
  readonly operations: readonly Operation[];
  /**
   * A text that is equal for path keys with the same requirements of requests: the template without names, and the
   * conditions.
   */
  readonly demands: string;
  /** The label of the key's fragment, which has no effect on requests. */
  readonly label: string;
}

/** Reports all path keys but the first of a list whose members match the same requests. */
function checkAlike([first, ...others]: readonly PathKey[], most?: number): UnlocatedDiagnostic[] {
  if (first === undefined) return [];
  const methods = first.operations.map(({ method }) => method);
  return findAtEach(others, ({ path, pathItem, operations }) => {
    const shared = methods.filter((method) => operations.some((operation) => operation.method === method));
    const message = `The paths ${quote(first.path)} and ${quote(path)} can't be told apart`;
    // The specification forbids such paths. It is only a warning if they have no method in common: then each request
    // still reaches its operation.
    const diagnostic = shared.length > 0
      ? error("ambiguous-path", `${message}, and both have ${shared.join(", ")}. Make them one.`, pathItem)
      : warning("ambiguous-path", `${message}. Make them one.`, pathItem);
    return [atKey(diagnostic)];
  }, most);
}

/**
 * Finds operations that no request reaches, because an earlier path key differs only in its label: with `/tags` and
 * `/tags#second`, all requests reach the first operation.
 */
function checkLabels(keys: readonly PathKey[], most?: number): UnlocatedDiagnostic[] {
  if (keys.every(({ label }) => label === "")) return [];
  const firsts = new Map<string, { operation: Operation; label: string }>();
  const labelled = keys.flatMap(({ operations, label }) => operations.map((operation) => ({ operation, label })));
  return findAtEach(labelled, ({ operation, label }) => {
    const { parameters, mediaTypes } = requirementsOf(operation);
    const required = parameters.map(({ in: where, name, value }) => writeJson([where, name, value]));
    const key = writeJson([operation.method, required.sort(), mediaTypes.toSorted()]);
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, { operation, label });
    // Path keys with the same label are left to `checkAlike`.
    if (first === undefined || first.label === label) return [];
    const message =
      `Requests for ${quote(nameOf(operation))} reach ${quote(nameOf(first.operation))}: their paths differ only ` +
      "by a fragment, which requests don't have. Require a query, a header or a media type by which they differ.";
    return [atKey(warning("ambiguous-path", message, operation.node))];
  }, most);
}

function checkTemplate(path: string, pathItem: Node<"PathItem">): UnlocatedDiagnostic[] {
  const diagnostics: UnlocatedDiagnostic[] = [];
  if (/[{}]/.test(path.replace(/\{[^{}/]+\}/g, ""))) {
    const message = `The path ${quote(path)} is not well-formed: each \`{\` needs a name and a \`}\` in its segment.`;
    diagnostics.push(atKey(error("bad-path", message, pathItem)));
  }
  const names = namesIn(templateOf(path));
  for (const name of new Set(names.filter((name, index) => names.indexOf(name) !== index))) {
    diagnostics.push(
      atKey(error("bad-path", `The path ${quote(path)} has the parameter ${quote(name)} twice.`, pathItem)),
    );
  }
  const parts = splitPathKey(path).written.split(/[&#]/, MOST_CONDITIONS + 2);
  if (parts.length > MOST_CONDITIONS + 1) {
    const message = `The path ${
      quote(path)
    } has more than ${MOST_CONDITIONS} queries and headers; gw reads no further.`;
    diagnostics.push(atKey(error("bad-path", message, pathItem)));
  }
  return diagnostics;
}

/**
 * The names of the parameters in the template and in the query of a path key. Its fragment is ignored, since requests
 * have no fragment.
 */
export function parametersOfKey(path: string): { inTemplate: Set<string>; inQuery: Set<string> } {
  const { template, written } = splitPathKey(path);
  const [query = ""] = written.split("#");
  return { inTemplate: new Set(namesIn(template)), inQuery: new Set(namesIn(query)) };
}

export function namesIn(path: string): string[] {
  return [...path.matchAll(/\{([^{}/]+)\}/g)].map(([, name = ""]) => name);
}
