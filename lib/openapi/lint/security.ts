import { suggest } from "../../http/message.ts";
import type { Document } from "../document.ts";
import { child, entries, type Node } from "../../schema/json/node.ts";
import { lookUp } from "../../schema/json/reference.ts";
import { resolveUri } from "../../schema/json/uri.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { quote } from "../../schema/wording.ts";
import { ofKind, type PlacedObject } from "./objects.ts";
import { atKey, error } from "./report.ts";

/**
 * The security schemes of a definition: under `components.securitySchemes`, in Swagger 2.0 under `securityDefinitions`.
 */
export function securitySchemesOf({ version, root }: Document): Node<{ mapOf: "SecurityScheme" }> {
  return version === "2.0" ? child(root, "securityDefinitions") : child(child(root, "components"), "securitySchemes");
}

/** Finds security requirements that name a missing security scheme. */
export function checkSecurity(document: Document, objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  const schemes = securitySchemesOf(document);
  return ofKind(objects, "SecurityRequirement").flatMap(({ node }) =>
    entries(node).flatMap(([name, scopes]) => {
      const isKnown = child(schemes, name).value !== undefined ||
        // Since OpenAPI 3.2 a security requirement may name a scheme by its URI.
        (document.version === "3.2" && lookUp(document, resolveUri(name, document.uri)) !== undefined);
      if (isKnown) return [];
      const [nearest] = suggest(name, entries(schemes).map(([known]) => known));
      const advice = nearest === undefined
        ? `Define it in ${quote(schemes.pointer.slice(1))}.`
        : `Did you mean ${quote(nearest)}?`;
      const message = `There is no security scheme ${quote(name)}. ${advice}`;
      return [atKey(error("unknown-security-scheme", message, scopes))];
    })
  );
}
