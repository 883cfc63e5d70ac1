/**
 * Finds names of properties in `required`, in `encoding` and in discriminators that no schema declares.
 *
 * @module
 */
import { child, entries, isObject, items, type Node, stringOf } from "../../../schema/json/node.ts";
import type { UnlocatedDiagnostic } from "../../diagnostic.ts";
import { quote } from "../../../schema/wording.ts";
import { createSuggestion } from "../report.ts";
import type { DeclaredProperties } from "../declared_properties.ts";
import { ofKind, type PlacedObject } from "../objects.ts";
import { atKey, warning } from "../report.ts";
import type { Document } from "../../document.ts";
import { follow } from "../../../schema/json/reference.ts";

/**
 * Finds names in `required` that no schema declares. They are probably misspelt: the schema then refuses every object
 * that has only the declared properties.
 */
export function checkRequired(objects: readonly PlacedObject[], declared: DeclaredProperties): UnlocatedDiagnostic[] {
  const suggestion = createSuggestion();
  return ofKind(objects, "Schema").flatMap(({ node }) => {
    const properties = child(node, "properties").value;
    const own = isObject(properties) ? properties : {};
    const isArray = child(node, "type").value === "array";
    return items(child(node, "required")).flatMap((at) => {
      const name = stringOf(at);
      if (name === undefined || Object.hasOwn(own, name) || declared.isAround(node, name)) return [];
      const nearest = suggestion(name, own);
      const advice = isArray
        ? "If it is for the array's items, move `required` into `items`."
        : nearest === undefined
        ? "Declare it in `properties`."
        : `Did you mean ${quote(nearest)}?`;
      return [warning("undeclared-required", `\`required\` names ${quote(name)}, which is no property. ${advice}`, at)];
    });
  });
}

/**
 * Finds names in `encoding` that the schema of the Media Type Object doesn't declare.
 *
 * @see {@link https://spec.openapis.org/oas/v3.0.4.html#media-type-encoding OpenAPI 3.0, Media Type Object}
 */
export function checkEncodings(
  document: Document,
  objects: readonly PlacedObject[],
  declared: DeclaredProperties,
): UnlocatedDiagnostic[] {
  const suggestion = createSuggestion();
  return ofKind(objects, "MediaType").filter(({ isReference }) => !isReference).flatMap(({ node }) => {
    const encodings = entries(child(node, "encoding"));
    const schema = child(node, "schema");
    if (encodings.length === 0 || !isObject(schema.value)) return [];
    const target = follow(document, schema);
    if (!isObject(target.value)) return [];
    const properties = child(target, "properties").value;
    return encodings.filter(([name]) => !name.startsWith("x-") && !declared.isInside(schema, name)).map(
      ([name, at]) => {
        const nearest = suggestion(name, isObject(properties) ? properties : {});
        const advice = nearest === undefined ? "Declare it, or remove this." : `Did you mean ${quote(nearest)}?`;
        const message = `\`encoding\` is for ${quote(name)}, which is no property of the schema. ${advice}`;
        return atKey(warning("undeclared-encoding", message, at));
      },
    );
  });
}

/**
 * Finds discriminators whose property isn't declared by the schema, or not by each branch of its `oneOf` or `anyOf`.
 *
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#discriminator-object OpenAPI 3.1, Discriminator Object}
 */
export function checkDiscriminatorProperties(
  document: Document,
  objects: readonly PlacedObject[],
  declared: DeclaredProperties,
): UnlocatedDiagnostic[] {
  return ofKind(objects, "Schema").filter(({ isReference }) => !isReference).flatMap(({ node }) => {
    const discriminator = child(node, "discriminator");
    // In Swagger 2.0 the value of `discriminator` is the name of the property, not an object.
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

  /** Whether a member of the schema's `allOf` declares the property. It then applies to each branch too. */
  function isInherited(node: Node<"Schema">, name: string): boolean {
    return items(child(node, "allOf")).some((member) => declared.isInside(member, name));
  }

  /**
   * Whether a branch allows objects: a discriminator concerns only these. A broken reference is left to
   * `checkReferences`.
   */
  function isObjectSchema(branch: Node<"Schema">): boolean {
    const { value } = follow(document, branch);
    if (!isObject(value)) return false;
    const types = Array.isArray(value["type"]) ? value["type"] : [value["type"]];
    return types.includes(undefined) || types.includes("object");
  }
}

function isOwn(schema: Node<"Schema">, name: string): boolean {
  const properties = child(schema, "properties").value;
  return isObject(properties) && Object.hasOwn(properties, name);
}
