import type { Document } from "../../openapi/document.ts";
import type { DocumentValidator } from "../../schema/document_validator.ts";
import { readHints } from "../../schema/hints.ts";
import { isObject, type Node } from "../../schema/node.ts";
import { formatPointer } from "../../schema/pointer.ts";
import type { BodyGenerator } from "../generate/generate.ts";
import { hintsAt } from "./secret_rules.ts";

/** How many replacements are generated for one value. */
const MOST_GENERATED = 50;

/**
 * Makes a value valid again after its secrets were replaced: `REDACTED` may have the wrong format or length. A
 * replacement that isn't valid is generated from the schema instead, the same each time.
 *
 * @param places The replaced parts of the value.
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
  // If no violation is at a replaced place, all replacements are generated anew: a violation of `oneOf`, say, doesn't
  // tell which part of the value caused it.
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

/** A value with another part. */
function withPart(value: unknown, [token, ...rest]: readonly string[], part: unknown): unknown {
  if (token === undefined) return part;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => String(index) === token ? withPart(item, rest, part) : item);
  }
  if (!isObject(value) || !Object.hasOwn(value, token)) return value;
  return { ...value, [token]: withPart(value[token], rest, part) };
}
