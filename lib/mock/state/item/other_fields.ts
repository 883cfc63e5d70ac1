import { type Hints, readHints } from "../../../schema/hints.ts";
import { child, entries } from "../../../schema/json/node.ts";
import { follow } from "../../../schema/json/reference.ts";
import type { Resource } from "../../infer/resource.ts";
import { hintsAt } from "../../../observe/record/secret_rules.ts";
import { selectResponse } from "../../answer/select_response.ts";

/**
 * The fields that some responses show of an item, but not the response from which the schema of the items comes: the
 * response to a create may have more of them than that to a read. Empty if the items' schema allows no others.
 */
export function otherFieldsOf({ document, schema, bindings }: Resource): ReadonlyMap<string, Hints> {
  const own = readHints(document, schema, "response");
  const fields = new Map<string, Hints>();
  const isClosed = own.schemas.some(({ additionalProperties, unevaluatedProperties }) =>
    additionalProperties?.never === "false" || unevaluatedProperties?.never === "false"
  );
  if (isClosed || own.propertyNames.size === 0) return fields;
  // Most responses refer to the same component.
  const seen = new Set([follow(document, schema).pointer]);
  for (const { operation, kind, status, envelope, element } of bindings) {
    if (envelope === undefined || kind === "count") continue;
    const selected = selectResponse(operation, { code: status });
    const [, media] = selected.kind === "response" ? entries(child(selected.node, "content"))[0] ?? [] : [];
    const body = media && child(follow(operation.document, media), "schema");
    if (body?.value === undefined) continue;
    const pointer = `${follow(operation.document, body).pointer} ${envelope.join("/")} ${kind === "list"}`;
    if (seen.has(pointer) || envelope.length === 0 && seen.has(follow(operation.document, body).pointer)) continue;
    seen.add(pointer);
    const inside = hintsAt(readHints(operation.document, body, "response"), envelope);
    const item = kind === "list" ? hintsAt(inside.item(0), element) : inside;
    for (const name of item.propertyNames) {
      if (!own.propertyNames.has(name) && !fields.has(name)) fields.set(name, item.property(name));
    }
  }
  return fields;
}
