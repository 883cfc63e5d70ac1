/**
 * Finds the operations that a rule names: `GET /pets/{petId}`, `* /pets*`, `* *`, `GET /pets/7`, `listPets`.
 *
 * @module
 */
import { shapeOfPath } from "../../openapi/path_condition.ts";
import type { Operation } from "../../openapi/operation.ts";
import { child } from "../../schema/json/node.ts";
import { createRouter } from "../route/router.ts";

/** The operations that a rule names: by `operationId`, or by method and path. */
export type RuleTarget =
  | { readonly kind: "id"; readonly operationId: string }
  | { readonly kind: "path"; readonly method: string; readonly path: string };

/** Parses the `operation` of a rule. A text with a space is a method, in upper or lower case, and a path. */
export function readTarget(text: string): RuleTarget {
  const written = text.trim();
  if (written === "*") return { kind: "path", method: "*", path: "*" };
  const space = written.indexOf(" ");
  if (space === -1 && !written.startsWith("/")) return { kind: "id", operationId: written };
  const path = written.slice(space + 1).trim();
  return { kind: "path", method: space === -1 ? "*" : written.slice(0, space).toUpperCase(), path };
}

/**
 * Matches an operation with the target of a rule.
 *
 * @returns Required values of path parameters: `{petId: "7"}` for `GET /pets/7`, none for a path key of the definition.
 * `undefined` if the operation isn't the rule's.
 */
export function fitTarget(target: RuleTarget, operation: Operation): Readonly<Record<string, string>> | undefined {
  if (target.kind === "id") {
    return child(operation.node, "operationId").value === target.operationId ? {} : undefined;
  }
  const { method, path } = target;
  if (method !== "*" && method !== operation.method) return undefined;
  if (path === operation.path || fitsWildcards(path, operation.path)) return {};
  if (shapeOfPath(path) === shapeOfPath(operation.path)) return {};
  if (!path.startsWith("/") || path.includes("{") || !operation.path.includes("{")) return undefined;
  const match = createRouter([operation]).match(operation.method, path);
  return match.kind === "found" ? match.parameters : undefined;
}

/**
 * Whether a text matches a pattern in which `*` stands for any text. Takes time proportional to the product of both
 * lengths.
 */
export function fitsWildcards(pattern: string, text: string): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let resumed = 0;
  while (at < text.length) {
    if (pattern[next] === "*") {
      star = next++;
      resumed = at;
    } else if (next < pattern.length && pattern[next] === text[at]) {
      next++;
      at++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++resumed;
    } else return false;
  }
  while (pattern[next] === "*") next++;
  return next === pattern.length;
}
