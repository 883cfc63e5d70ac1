import type { Document } from "../../document.ts";
import { child, entries, isObject, stringOf } from "../../../schema/node.ts";
import { parsePointer } from "../../../schema/pointer.ts";
import { baseOf, follow, lookUp } from "../../../schema/reference.ts";
import { isRuntimeExpression } from "../../runtime_expression.ts";
import { resolveUri, withoutFragment } from "../../../schema/uri.ts";
import type { UnlocatedDiagnostic } from "../../diagnostic.ts";
import { quote } from "../../../schema/wording.ts";
import type { PlacedObject } from "../objects.ts";
import { warning } from "../report.ts";
import { createSuggestion, type Suggestion } from "./suggestion.ts";

/** Finds links to operations that the definition doesn't have, and parameters of links that no expression gives. */
export function checkLinks(document: Document, objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  const links = objects.filter(({ kind, isReference }) => kind === "Link" && !isReference);
  if (links.length === 0) return [];
  const operations = objects.filter(({ kind }) => kind === "Operation");
  const ids = new Set(operations.flatMap(({ node }) => stringOf(child(node, "operationId")) ?? []));
  const suggestion = createSuggestion();
  return links.flatMap((link) => [
    ...checkId(link, ids, suggestion),
    ...checkReference(document, link),
    ...checkExpressions(link),
  ]);
}

function checkId({ node }: PlacedObject, ids: ReadonlySet<string>, suggestion: Suggestion): UnlocatedDiagnostic[] {
  const at = child(node, "operationId");
  const id = stringOf(at);
  if (id === undefined || ids.has(id)) return [];
  const nearest = suggestion(id, ids);
  const advice = nearest === undefined ? "Give the operation this `operationId`." : `Did you mean ${quote(nearest)}?`;
  return [warning("broken-link", `There is no operation ${quote(id)}. ${advice}`, at)];
}

/** References to texts that were not loaded may be right. */
function checkReference(document: Document, { node }: PlacedObject): UnlocatedDiagnostic[] {
  const at = child(node, "operationRef");
  const written = stringOf(at);
  if (written === undefined) return [];
  const uri = resolveUri(written, baseOf(document, at));
  if (!document.sources.has(withoutFragment(uri))) return [];
  const target = lookUp(document, uri);
  if (target !== undefined && isObject(follow(document, target).value)) return [];
  const path = parsePointer(uri.slice(withoutFragment(uri).length + 1)).length;
  const advice = written.startsWith("#/paths/") && path > 3 ? " In a path, `/` is written `~1`." : "";
  return [warning("broken-link", `There is no operation at ${quote(written)}.${advice}`, at)];
}

/** A parameter may be a constant: only a text that begins as an expression does is meant for one. */
function checkExpressions({ node }: PlacedObject): UnlocatedDiagnostic[] {
  const values = [...entries(child(node, "parameters")).map(([, value]) => value), child(node, "requestBody")];
  return values.flatMap((at) => {
    const text = stringOf(at);
    if (text === undefined || !/^\$(?:request|response)\b/.test(text) || isRuntimeExpression(text)) return [];
    const message = `${quote(text)} is no runtime expression such as \`$response.body#/id\`.`;
    return [warning("bad-expression", message, at)];
  });
}
