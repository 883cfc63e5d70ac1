import type { Document } from "../../openapi/document.ts";
import type { DocumentValidator } from "../../schema/document_validator.ts";
import { readHints } from "../../schema/hints.ts";
import { isObject, type Node } from "../../schema/json/node.ts";
import { formatPointer } from "../../schema/json/pointer.ts";
import type { BodyGenerator } from "../../mock/generate/generate.ts";
import { hintsAt } from "./secret_rules.ts";

/** The most replacements that are generated for one value. */
const MOST_GENERATED = 50;

/**
 * Makes a value valid again after its secrets were redacted, because the text `REDACTED` may have the wrong format or
 * length. An invalid replacement is generated from the schema instead; the same schema always gives the same
 * replacement.
 *
 * @param places Paths of the redacted parts of the value.
 */
export function validReplacements(
  value: unknown,
  places: readonly (readonly string[])[],
  { document, schema, validator, generator }: {
    document: Document;
    schema: Node;
    validator: DocumentValidator;
    generator: BodyGenerator;
  },
): unknown {
  const check = validator.checkOf(schema, "response");
  const violations = check(value);
  if (violations.length === 0) return value;
  // Generate the invalid replacements anew. If no violation is exactly at a replacement, generate all of them: the path
  // of a `oneOf` violation, for example, doesn't tell which part caused it.
  const violated = new Set(violations.map(({ path }) => formatPointer(path)));
  const exact = places.filter((path) => violated.has(formatPointer(path)));
  const hints = readHints(document, schema, "response");
  let replaced = value;
  for (const path of (exact.length > 0 ? exact : places).slice(0, MOST_GENERATED)) {
    const [described] = hintsAt(hints, path).alternatives;
    const body = described && generator.generate(described.node, { seed: 0 });
    if (body?.kind === "body") replaced = withPart(replaced, path, body.value);
  }
  return check(replaced).length < violations.length ? replaced : value;
}

/** Copies a value with the part at a path replaced. */
function withPart(value: unknown, [token, ...rest]: readonly string[], part: unknown): unknown {
  if (token === undefined) return part;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => String(index) === token ? withPart(item, rest, part) : item);
  }
  if (!isObject(value) || !Object.hasOwn(value, token)) return value;
  return { ...value, [token]: withPart(value[token], rest, part) };
}
