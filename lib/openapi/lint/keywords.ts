import { distance } from "fastest-levenshtein";
import type { Document } from "../document.ts";
import { entries } from "../../schema/json/node.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { quote } from "../../schema/wording.ts";
import { ofKind, type PlacedObject } from "./objects.ts";
import { atKey, warning } from "./report.ts";

/** The keywords of JSON Schema 2020-12, of OpenAPI's vocabulary, and of older drafts that tools still support. */
const KEYWORDS = [
  ..."$id $schema $ref $anchor $dynamicRef $dynamicAnchor $vocabulary $comment $defs".split(" "),
  ..."prefixItems items contains additionalProperties properties patternProperties dependentSchemas".split(" "),
  ..."propertyNames if then else allOf anyOf oneOf not unevaluatedItems unevaluatedProperties".split(" "),
  ..."type const enum multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength".split(" "),
  ..."pattern maxItems minItems uniqueItems maxContains minContains maxProperties minProperties".split(" "),
  ..."required dependentRequired format contentEncoding contentMediaType contentSchema".split(" "),
  ..."title description default deprecated readOnly writeOnly examples".split(" "),
  ..."discriminator xml externalDocs example".split(" "),
  ..."definitions dependencies additionalItems id $recursiveRef $recursiveAnchor".split(" "),
];
const KNOWN: ReadonlySet<string> = new Set(KEYWORDS);

export function isKeyword(name: string): boolean {
  return KNOWN.has(name);
}

/**
 * Finds keywords of schemas that are probably misspelt. Since OpenAPI 3.1 a schema may have any keyword, so `requierd`
 * isn't an error although it validates nothing.
 */
export function checkKeywords({ version }: Document, objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  if (version === "2.0" || version === "3.0") return [];
  return ofKind(objects, "Schema").flatMap(({ node }) =>
    entries(node).flatMap(([keyword, at]) => {
      if (KNOWN.has(keyword) || keyword.startsWith("x-")) return [];
      if (keyword === "nullable") {
        const message = `OpenAPI ${version} has no \`nullable\`; write \`type: [string, "null"]\` instead.`;
        return [atKey(warning("unknown-keyword", message, at))];
      }
      const nearest = misspeltKeyword(keyword);
      if (nearest === undefined) return [];
      const message = `The keyword ${quote(keyword)} has no meaning here. Did you mean ${quote(nearest)}?`;
      return [atKey(warning("unknown-keyword", message, at))];
    })
  );
}

/** The keyword that is probably meant by an unknown one; `undefined` if none is similar. */
export function misspeltKeyword(keyword: string): string | undefined {
  return KEYWORDS.find((known) => isMisspelling(keyword, known));
}

/**
 * Whether few characters differ between an unknown keyword and a known one. Authors' own keywords, such as `unit`,
 * aren't mistakes.
 */
function isMisspelling(keyword: string, known: string): boolean {
  const most = Math.floor(Math.min(keyword.length, known.length) / 4);
  return Math.abs(keyword.length - known.length) <= most &&
    distance(keyword.toLowerCase(), known.toLowerCase()) <= most;
}
