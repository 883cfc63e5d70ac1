import type { Document } from "../../document.ts";
import { child, entries, isObject, stringOf } from "../../../schema/json/node.ts";
import { parsePointer } from "../../../schema/json/pointer.ts";
import { baseOf, follow, lookUp } from "../../../schema/json/reference.ts";
import { isRuntimeExpression } from "../../runtime_expression.ts";
import { resolveUri, withoutFragment } from "../../../schema/json/uri.ts";
import type { UnlocatedDiagnostic } from "../../diagnostic.ts";
import { quote } from "../../../schema/wording.ts";
import { ofKind, type PlacedObject } from "../objects.ts";
import { atKey, warning } from "../report.ts";
import { createSuggestion, type Suggestion } from "../report.ts";

/** Finds links to missing operations, and link parameters that are malformed runtime expressions. */
export function checkLinks(document: Document, objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  const links = ofKind(objects, "Link").filter(({ isReference }) => !isReference);
  if (links.length === 0) return [];
  const ids = new Set(ofKind(objects, "Operation").flatMap(({ node }) => stringOf(child(node, "operationId")) ?? []));
  const suggestion = createSuggestion();
  return links.flatMap((link) => [
    ...checkId(link, ids, suggestion),
    ...checkReference(document, link),
    ...checkExpressions(link),
  ]);
}

function checkId(
  { node }: PlacedObject<"Link">,
  ids: ReadonlySet<string>,
  suggestion: Suggestion,
): UnlocatedDiagnostic[] {
  const at = child(node, "operationId");
  const id = stringOf(at);
  if (id === undefined || ids.has(id)) return [];
  const nearest = suggestion(id, ids);
  const advice = nearest === undefined ? "Give the operation this `operationId`." : `Did you mean ${quote(nearest)}?`;
  return [warning("broken-link", `There is no operation ${quote(id)}. ${advice}`, at)];
}

/** Checks the `operationRef` of a link. A reference to a text that wasn't loaded counts as valid. */
function checkReference(document: Document, { node }: PlacedObject<"Link">): UnlocatedDiagnostic[] {
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

/**
 * Checks the runtime expressions of a link. A parameter may also be a constant, so only a text that begins like a
 * runtime expression is checked.
 */
function checkExpressions({ node }: PlacedObject<"Link">): UnlocatedDiagnostic[] {
  const values = [...entries(child(node, "parameters")).map(([, value]) => value), child(node, "requestBody")];
  return values.flatMap((at) => {
    const text = stringOf(at);
    if (text === undefined || !/^\$(?:request|response)\b/.test(text) || isRuntimeExpression(text)) return [];
    const message = `${quote(text)} is no runtime expression such as \`$response.body#/id\`.`;
    return [warning("bad-expression", message, at)];
  });
}

/** Finds callbacks whose key isn't a URL, with or without runtime expressions. */
export function checkCallbacks(objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  return ofKind(objects, "Callback").filter(({ isReference }) => !isReference).flatMap(({ node }) =>
    entries(node).filter(([key]) => !key.startsWith("x-")).flatMap(([key, pathItem]) => {
      const reason = reasonOf(key);
      return reason === undefined ? [] : [atKey(warning("bad-expression", reason, pathItem))];
    })
  );
}

function reasonOf(key: string): string | undefined {
  const wanted = "a runtime expression such as `$request.body#/url`";
  if (key.startsWith("$")) return isRuntimeExpression(key) ? undefined : `${quote(key)} is not ${wanted}.`;
  const expressions = Array.from(key.matchAll(/\{([^{}]*)\}/g), ([, expression = ""]) => expression);
  const bad = expressions.find((expression) => !isRuntimeExpression(expression));
  if (bad !== undefined) return `${quote(bad)} is not ${wanted}.`;
  if (/[{}]/.test(key.replace(/\{[^{}]*\}/g, ""))) {
    return `${quote(key)} has a brace that is not closed, or not opened.`;
  }
  if (expressions.length > 0 || /^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(key)) return undefined;
  return `${quote(key)} is neither a URL nor ${wanted}.`;
}
