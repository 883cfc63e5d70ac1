import type { Document } from "../../document.ts";
import { canonical } from "../../../schema/equal.ts";
import { child, items, type Node, stringOf } from "../../../schema/node.ts";
import type { UnlocatedDiagnostic } from "../../diagnostic.ts";
import { quote } from "../../../schema/wording.ts";
import type { PlacedObject } from "../objects.ts";
import { warning } from "../report.ts";

/** Finds tags that the definition declares twice, and those that an operation has twice. */
export function checkTags(document: Document, objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  return objects.flatMap(({ kind, node }) => {
    if (kind === "OpenAPI") return checkNames(document, items(child(node, "tags")), (tag) => child(tag, "name"));
    return kind === "Operation" ? checkNames(document, items(child(node, "tags")), (tag) => tag) : [];
  });
}

function checkNames({ version }: Document, tags: readonly Node[], nameIn: (tag: Node) => Node): UnlocatedDiagnostic[] {
  const firsts = new Map<string, { text?: string; value: unknown }>();
  return tags.flatMap((tag) => {
    const at = nameIn(tag);
    const name = stringOf(at);
    if (name === undefined) return [];
    const first = firsts.get(name);
    if (first === undefined) {
      firsts.set(name, { value: tag.value });
      return [];
    }
    // The schemas of these versions refuse equal items.
    const isError = (version === "2.0" || (version === "3.0" && tag !== at)) &&
      (first.text ??= canonical(first.value)) === canonical(tag.value);
    return isError ? [] : [warning("duplicate-tag", `The tag ${quote(name)} is in this list twice; remove one.`, at)];
  });
}
