import { child, entries, items, stringOf } from "../../schema/node.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { list, quote } from "../../schema/wording.ts";
import type { PlacedObject } from "./objects.ts";
import { warning } from "./report.ts";

/**
 * Finds variables of servers that are named in a URL and not declared, or declared and not named, and defaults that
 * are none of a variable's values.
 *
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#server-object OpenAPI 3.1, Server Object}
 */
export function checkServers(objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  return objects.flatMap((object) => {
    if (object.kind === "Server") return checkVariables(object);
    return object.kind === "ServerVariable" ? checkDefault(object) : [];
  });
}

function checkVariables({ node }: PlacedObject): UnlocatedDiagnostic[] {
  const url = child(node, "url");
  const text = stringOf(url);
  if (text === undefined) return [];
  const named = new Set(Array.from(text.matchAll(/\{([^{}]+)\}/g), ([, name = ""]) => name));
  const declared = entries(child(node, "variables")).filter(([name]) => !name.startsWith("x-"));
  const missing = [...named].filter((name) => !declared.some(([other]) => other === name)).map((name) =>
    warning("undeclared-variable", `The variable ${quote(name)} of the URL is not declared in \`variables\`.`, url)
  );
  const unused = declared.filter(([name]) => !named.has(name)).map(([name, variable]) =>
    warning("unused-variable", `The variable ${quote(name)} is not in the URL of its server.`, variable)
  );
  return [...missing, ...unused];
}

function checkDefault({ node }: PlacedObject): UnlocatedDiagnostic[] {
  const usual = child(node, "default");
  const values = items(child(node, "enum")).flatMap((value) => stringOf(value) ?? []);
  const written = stringOf(usual);
  if (written === undefined || values.length === 0 || values.includes(written)) return [];
  return [warning("bad-default", `The default is none of the variable's values: ${list(values, "or")}.`, usual)];
}
