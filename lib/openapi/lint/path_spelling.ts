import type { Document } from "../document.ts";
import { METHODS, type Operation } from "../operation.ts";
import { child, entries, isObject, type Node } from "../../schema/json/node.ts";
import { quote } from "../../schema/wording.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { atKey, findAtEach, warning } from "./report.ts";

/** Segments that are parameters in routers of Express, Flask and Next.js, with the name of the parameter. */
const FOREIGN = /^(?::(\w+)[?+*]?|<(?:\w+:)?(\w+)>|\[(?:\.\.\.)?(\w+)\])$/;

/** Finds paths without their slash: no request reaches them. */
export function checkSlashes({ root }: Document, most?: number): UnlocatedDiagnostic[] {
  const bare = pathsOf(root).filter(([path]) => !path.startsWith("/"));
  return findAtEach(bare, ([path, pathItem]) => {
    const message = `The path ${quote(path)} matches no request. Write ${quote(pathMeant(path))}.`;
    return atKey(warning("bad-path", message, pathItem));
  }, most);
}

/** Finds parameters of paths as other programs write them. Says what was probably meant. */
export function checkPathSpelling({ root }: Document, most?: number): UnlocatedDiagnostic[] {
  const slashed = pathsOf(root).filter(([path]) => path.startsWith("/"));
  return findAtEach(slashed, ([path, pathItem]) => {
    const meant = pathMeant(path);
    if (meant === path) return [];
    const message =
      `The path ${quote(path)} has no parameter: a request must have it to the letter. For a parameter, ` +
      `write ${quote(meant)}.`;
    return atKey(warning("bad-path", message, pathItem));
  }, most);
}

/**
 * Finds out that a definition has `paths` and `webhooks` without an operation. A definition without `paths` gets
 * another warning, and one with paths that lack their slash gets a warning for each.
 *
 * @param operations The operations of the definition.
 */
export function checkOperationCount({ root }: Document, operations: readonly Operation[]): UnlocatedDiagnostic[] {
  const paths = child(root, "paths");
  if (operations.length > 0 || !isObject(paths.value) || isObject(child(root, "webhooks").value)) return [];
  const written = pathsOf(root);
  return written.every(([path]) => path.startsWith("/")) ? [withoutOperation(paths, written)] : [];
}

/** Whether a definition only has components for others. In OpenAPI 3.0 it must have empty `paths` beside them. */
export function isLibrary({ root }: Document): boolean {
  return isObject(child(root, "components").value) && pathsOf(root).length === 0;
}

function pathsOf(root: Node<"OpenAPI">): [string, Node][] {
  return entries(child(root, "paths")).filter(([path]) => !path.startsWith("x-"));
}

/** A path as OpenAPI writes it. */
export function pathMeant(path: string): string {
  // A query or fragment stays as it is; a `?` at the end of a segment marks an optional parameter.
  const [, template = "", rest = ""] = /^((?:[^?#]|\?(?=\/|$))*)(.*)$/s.exec(path) ?? [];
  const segments = template.split("/").map((segment) => {
    const [, ...names] = FOREIGN.exec(segment) ?? [];
    const name = names.find((name) => name !== undefined);
    return name === undefined ? segment : `{${name}}`;
  });
  const meant = segments.join("/") + rest;
  return meant.startsWith("/") ? meant : `/${meant}`;
}

function withoutOperation(paths: Node, written: readonly [string, Node][]): UnlocatedDiagnostic {
  const keys = written.flatMap(([, pathItem]) => entries(pathItem).map(([key]) => key));
  const method = keys.find((key) => METHODS.some((method) => method.toLowerCase() === key.trim().toLowerCase()));
  const meant = method === undefined
    ? "Write one, such as `/pets: {get: {responses: {}}}`"
    : `${quote(method)} is written ${quote(method.trim().toLowerCase())}`;
  const message = `The definition has no operation, so that no request can be answered. ${meant}.`;
  return atKey(warning("missing-paths", message, paths));
}
