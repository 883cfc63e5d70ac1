import { entries } from "../../../schema/node.ts";
import { isRuntimeExpression } from "../../runtime_expression.ts";
import type { UnlocatedDiagnostic } from "../../diagnostic.ts";
import { quote } from "../../../schema/wording.ts";
import type { PlacedObject } from "../objects.ts";
import { atKey, warning } from "../report.ts";

/** Finds callbacks whose URL can't be made: the key of a Path Item that is no URL with runtime expressions in it. */
export function checkCallbacks(objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  return objects.filter(({ kind, isReference }) => kind === "Callback" && !isReference).flatMap(({ node }) =>
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
