import { child, entries, stringOf } from "../../schema/node.ts";
import { listParameters } from "../../openapi/parameter.ts";
import { follow } from "../../schema/reference.ts";
import type { RoutePlan } from "../../gateway/route.ts";

/** The headers that the operations of a plan whose requests are checked describe: parameters and API keys. */
export function checkedHeaders({ routes, document }: RoutePlan): Set<string> {
  const names = new Set<string>();
  const operations = routes.flatMap(({ operation, settings: { validation } }) =>
    operation !== undefined && validation?.request?.enabled === true ? [operation] : []
  );
  for (const operation of operations) {
    for (const parameter of listParameters(operation)) {
      if (parameter.in === "header") names.add(parameter.name.toLowerCase());
    }
  }
  if (operations.length === 0) return names;
  for (const [, written] of entries(child(child(document.root, "components"), "securitySchemes"))) {
    const scheme = follow(document, written);
    const name = stringOf(child(scheme, "name"));
    if (name !== undefined && stringOf(child(scheme, "in")) === "header") names.add(name.toLowerCase());
  }
  return names;
}
