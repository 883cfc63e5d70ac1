import { child, entries, items, type Node, stringOf } from "../../schema/json/node.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { list, quote } from "../../schema/wording.ts";
import type { PlacedObject } from "./objects.ts";
import { warning } from "./report.ts";

/**
 * Finds variables in the URL of a Server Object that aren't declared, declared variables that the URL doesn't have, and
 * defaults that aren't in the `enum` of their variable.
 *
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#server-object OpenAPI 3.1, Server Object}
 */
export function checkServers(objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  return objects.flatMap((object) => {
    if (object.kind === "Server") return checkVariables(object.node);
    return object.kind === "ServerVariable" ? checkDefault(object.node) : [];
  });
}

function checkVariables(server: Node<"Server">): UnlocatedDiagnostic[] {
  const url = child(server, "url");
  const text = stringOf(url);
  if (text === undefined) return [];
  const named = new Set(Array.from(text.matchAll(/\{([^{}]+)\}/g), ([, name = ""]) => name));
  const declared = entries(child(server, "variables")).filter(([name]) => !name.startsWith("x-"));
  const missing = [...named].filter((name) => !declared.some(([other]) => other === name)).map((name) =>
    warning("undeclared-variable", `The variable ${quote(name)} of the URL is not declared in \`variables\`.`, url)
  );
  const unused = declared.filter(([name]) => !named.has(name)).map(([name, variable]) =>
    warning("unused-variable", `The variable ${quote(name)} is not in the URL of its server.`, variable)
  );
  return [...missing, ...unused];
}

function checkDefault(variable: Node<"ServerVariable">): UnlocatedDiagnostic[] {
  const usual = child(variable, "default");
  const values = items(child(variable, "enum")).flatMap((value) => stringOf(value) ?? []);
  const written = stringOf(usual);
  if (written === undefined || values.length === 0 || values.includes(written)) return [];
  return [warning("bad-default", `The default is none of the variable's values: ${list(values, "or")}.`, usual)];
}
