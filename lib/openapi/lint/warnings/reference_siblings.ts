import type { Document } from "../../document.ts";
import type { Version } from "../../../schema/dialect.ts";
import { child } from "../../../schema/json/node.ts";
import type { UnlocatedDiagnostic } from "../../diagnostic.ts";
import { list } from "../../../schema/wording.ts";
import type { PlacedObject } from "../objects.ts";
import { atKey, warning } from "../report.ts";

/**
 * Finds ignored fields beside a `$ref`. Before OpenAPI 3.1, every field beside a `$ref` is ignored. Since 3.1, fields
 * beside the `$ref` of a Path Item or a Schema count, and those of a Reference Object are ignored.
 *
 * @see {@link https://spec.openapis.org/oas/v3.0.4.html#reference-object OpenAPI 3.0, Reference Object}
 */
export function checkReferenceSiblings({ version }: Document, objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  const standsAlone = version === "2.0" || version === "3.0";
  return objects.flatMap(({ kind, node, isReference }) => {
    if (!isReference || kind === "PathItem" || (kind === "Schema" && !standsAlone)) return [];
    const fields = Object.keys(node.value ?? {}).filter((field) => field !== "$ref" && !field.startsWith("x-"));
    const ignored = standsAlone ? fields : fields.filter((field) => field !== "summary" && field !== "description");
    const [first] = ignored;
    if (first === undefined) return [];
    const advice = kind === "Schema" ? "Remove it, or put the `$ref` into an `allOf`." : "Remove it.";
    const message = `${nameOf(version)} ignores ${list(ignored, "and")} beside \`$ref\`. ${advice}`;
    return [atKey(warning("ignored-sibling", message, child(node, first)))];
  });
}

function nameOf(version: Version): string {
  return version === "2.0" ? "Swagger 2.0" : `OpenAPI ${version}`;
}
