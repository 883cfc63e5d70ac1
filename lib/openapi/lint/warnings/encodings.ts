import type { Document } from "../../document.ts";
import { child, entries, isObject } from "../../../schema/node.ts";
import { follow } from "../../../schema/reference.ts";
import type { UnlocatedDiagnostic } from "../../diagnostic.ts";
import { quote } from "../../../schema/wording.ts";
import { createSuggestion } from "./suggestion.ts";
import type { DeclaredProperties } from "../declared_properties.ts";
import type { PlacedObject } from "../objects.ts";
import { atKey, warning } from "../report.ts";

/**
 * Finds entries of `encoding` for properties that the schema of their media type doesn't have.
 *
 * @see {@link https://spec.openapis.org/oas/v3.0.4.html#media-type-encoding OpenAPI 3.0, Media Type Object}
 */
export function checkEncodings(
  document: Document,
  objects: readonly PlacedObject[],
  declared: DeclaredProperties,
): UnlocatedDiagnostic[] {
  const suggestion = createSuggestion();
  return objects.filter(({ kind, isReference }) => kind === "MediaType" && !isReference).flatMap(({ node }) => {
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
