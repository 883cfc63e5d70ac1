import type { Document } from "../../openapi/document.ts";
import { entries, isObject, items, type Node } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";

/** Keywords that neither restrict a value nor suggest one. */
const SILENT: ReadonlySet<string> = new Set(
  "$comment $id $schema deprecated description externalDocs nullable readOnly title writeOnly xml".split(" "),
);

/** Limit of `allOf` within `allOf`. */
const MOST_LEVELS = 5;

/**
 * Whether a schema says nothing of its values, as `{}` does, which frameworks write for operations without a result. A
 * JSON body of such a schema is `null`, as those frameworks send it.
 */
export function isAnything(document: Document, schema: Node, level = 0): boolean {
  const node = follow(document, schema);
  if (node.value === true) return true;
  return isObject(node.value) && level < MOST_LEVELS && entries(node).every(([key, part]) =>
    SILENT.has(key) ||
    (key === "allOf" && items(part).every((member) => isAnything(document, member, level + 1)))
  );
}
