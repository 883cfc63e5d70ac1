/** The version in YAML, as a key without indentation: `openapi: 3.1.0`, `swagger: "2.0"`. */
const YAML_VERSION = /^(["']?)(?:openapi|swagger)\1[ \t]*:[ \t]*["']?[23](?:[.\s"']|$)/m;
/** The version in JSON, as a property: `"openapi": "3.1.0"`. */
const JSON_VERSION = /^"(?:openapi|swagger)"\s*:\s*"?[23][."]/;
/** The version in YAML, as the first property of a flow mapping: `{openapi: 3.1.0`. */
const FLOW_VERSION = /^\s*\{\s*(?:openapi|swagger)\s*:\s*["']?[23][."'\s,]/;

/** Limit of the characters of the property with the version, such as `"openapi" : "3.1.0`. */
const VERSION_LENGTH = 60;

/**
 * Tells whether a text begins like a definition: whether it has the version of OpenAPI or Swagger, as a key without
 * indentation (YAML) or as a property of the outermost object (JSON). The text may be cut off anywhere.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.equal(beginsAsDefinition("# Pets\nopenapi: 3.1.0\ninfo:"), true);
 * assert.equal(beginsAsDefinition("overlay: 1.0.0\n"), false);
 * ```
 */
export function beginsAsDefinition(text: string): boolean {
  if (!/^\ufeff?\s*\{/.test(text)) return YAML_VERSION.test(text.replace(/^\ufeff/, ""));
  return FLOW_VERSION.test(text) || hasVersion(text);
}

/** Whether the outermost object of a JSON text has the version as a property. The text may be cut off anywhere. */
function hasVersion(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "{" || character === "[") depth++;
    if (character === "}" || character === "]") depth--;
    if (character !== '"') continue;
    if (depth === 1 && JSON_VERSION.test(text.slice(at, at + VERSION_LENGTH))) return true;
    at = endOfString(text, at);
  }
  return false;
}

/** The index of the quote that ends a JSON string; the length of the text if the string isn't ended. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}
