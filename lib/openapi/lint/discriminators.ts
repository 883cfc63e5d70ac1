import type { Document } from "../document.ts";
import { child, entries, items, type Node, stringOf } from "../../schema/json/node.ts";
import { baseOf, follow, lookUp } from "../../schema/json/reference.ts";
import { resolveUri } from "../../schema/json/uri.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { quote } from "../../schema/wording.ts";
import { ofKind, type PlacedObject } from "./objects.ts";
import { warning } from "./report.ts";

/**
 * Finds entries in the `mapping` of a Discriminator Object that lead to no schema, or to a schema that isn't in the
 * `oneOf` or `anyOf` beside the discriminator.
 *
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#discriminator-object OpenAPI 3.1, Discriminator Object}
 */
export function checkDiscriminators(document: Document, objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  return ofKind(objects, "Discriminator").flatMap(({ node, parent }) => {
    if (parent?.kind !== "Schema") return [];
    const offered = [...items(child(parent.node, "oneOf")), ...items(child(parent.node, "anyOf"))];
    const diagnostics: UnlocatedDiagnostic[] = [];
    for (const [value, at] of entries(child(node, "mapping"))) {
      const name = stringOf(at) ?? "";
      const schema = schemaNamed(document, at, name);
      if (schema === undefined) {
        const message = `The mapping of ${quote(value)} leads nowhere: there is no schema ${name}.`;
        diagnostics.push(warning("broken-mapping", message, at));
      } else if (offered.length > 0 && !offered.some((branch) => isSame(follow(document, branch), schema))) {
        const message = `The mapping of ${
          quote(value)
        } can't be reached: ${name} is not among the schema's \`oneOf\` or \`anyOf\`.`;
        diagnostics.push(warning("unreachable-mapping", message, at));
      }
    }
    return diagnostics;
  });
}

/** The schema that an entry of a `mapping` leads to: a component with this name, else a schema with this URI. */
function schemaNamed(document: Document, at: Node, name: string): Node<"Schema"> | undefined {
  const component = child(child(child(document.root, "components"), "schemas"), name);
  if (component.value !== undefined) return follow(document, component);
  const found = lookUp(document, resolveUri(name, baseOf(document, at))) as Node<"Schema"> | undefined;
  return found && follow(document, found);
}

function isSame(a: Node, b: Node): boolean {
  return a.source === b.source && a.pointer === b.pointer;
}
