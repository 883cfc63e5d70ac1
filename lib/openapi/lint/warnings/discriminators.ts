import type { Document } from "../../document.ts";
import { child, isObject, items, type Node, stringOf } from "../../../schema/node.ts";
import { follow } from "../../../schema/reference.ts";
import type { UnlocatedDiagnostic } from "../../diagnostic.ts";
import { quote } from "../../../schema/wording.ts";
import type { DeclaredProperties } from "../declared_properties.ts";
import type { PlacedObject } from "../objects.ts";
import { warning } from "../report.ts";

/**
 * Finds discriminators whose property a schema lacks: the schema itself, or one that its `oneOf` or `anyOf` offers.
 *
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#discriminator-object OpenAPI 3.1, Discriminator Object}
 */
export function checkDiscriminatorProperties(
  document: Document,
  objects: readonly PlacedObject[],
  declared: DeclaredProperties,
): UnlocatedDiagnostic[] {
  return objects.filter(({ kind, isReference }) => kind === "Schema" && !isReference).flatMap(({ node }) => {
    const discriminator = child(node, "discriminator");
    // Swagger 2.0 writes the name of the property itself.
    const at = document.version === "2.0" ? discriminator : child(discriminator, "propertyName");
    const name = stringOf(at);
    if (name === undefined || isOwn(node, name)) return [];
    const offered = [...items(child(node, "oneOf")), ...items(child(node, "anyOf"))];
    if (offered.length === 0) {
      if (declared.isAround(node, name)) return [];
      const message = `The schema lacks the property ${
        quote(name)
      } of its discriminator. Declare it in \`properties\`.`;
      return [warning("undeclared-discriminator", message, at)];
    }
    if (isInherited(node, name)) return [];
    return offered.filter((branch) => isObjectSchema(branch) && !declared.isInside(branch, name)).map((branch) => {
      const message = `This alternative lacks the property ${quote(name)} of the discriminator. Declare it there.`;
      return warning("undeclared-discriminator", message, branch);
    });
  });

  /** Whether a schema that applies beside the alternatives declares it. */
  function isInherited(node: Node, name: string): boolean {
    return items(child(node, "allOf")).some((member) => declared.isInside(member, name));
  }

  /** A broken reference is told elsewhere, and a value that is no object has no properties. */
  function isObjectSchema(branch: Node): boolean {
    const { value } = follow(document, branch);
    if (!isObject(value)) return false;
    const types = Array.isArray(value["type"]) ? value["type"] : [value["type"]];
    return types.includes(undefined) || types.includes("object");
  }
}

function isOwn(schema: Node, name: string): boolean {
  const properties = child(schema, "properties").value;
  return isObject(properties) && Object.hasOwn(properties, name);
}
