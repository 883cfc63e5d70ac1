import type { ParsedJson } from "./json.ts";
import { isObject } from "./node.ts";
import {
  type ContentKeywords,
  type PreparedKeywords,
  type PreparedSchema,
  schemasOfProperty,
} from "../prepared_schema.ts";
import type { Violation } from "../violation.ts";
import { neverViolation } from "../violation.ts";

/** An invalid part of a value, and the schema that the part is invalid against. */
interface Invalid {
  readonly value: unknown;
  readonly schema: PreparedSchema;
}

/**
 * Finds the first invalid part of a value. Descends into properties, items and JSON texts in strings, and through
 * `$ref` and `allOf`, but not into `oneOf` and `anyOf`, whose intended branch isn't known.
 *
 * @param value A value that is invalid against the schema.
 * @returns The violation of the schema as a whole, without a keyword.
 */
export function locateViolation(
  value: unknown,
  schema: PreparedSchema,
  holds: (value: unknown, schema: PreparedSchema) => boolean,
  parse: (text: string, content: ContentKeywords) => ParsedJson,
): Violation {
  const path: string[] = [];
  const seen = new Set<PreparedSchema>();
  let at: Invalid = { value, schema };
  for (let next: Invalid | undefined = at; next !== undefined;) {
    at = next;
    next = seen.has(at.schema) ? undefined : sameValue(at) ?? part(at);
    seen.add(at.schema);
    if (next !== undefined && next.value !== at.value) seen.clear();
  }
  return toViolation(path, at.schema);

  function sameValue({ value, schema }: Invalid): Invalid | undefined {
    const { references = [], allOf = [] } = keywordsOf(schema)?.inPlace ?? {};
    const members = [...references.flatMap((target) => target() ?? []), ...allOf];
    const invalid = members.find((member) => !holds(value, member));
    return invalid && { value, schema: invalid };
  }

  function part({ value, schema }: Invalid): Invalid | undefined {
    const { content, items, properties } = keywordsOf(schema) ?? {};
    if (typeof value === "string" && content !== undefined) {
      const parsed = parse(value, content);
      return parsed.kind === "value" ? { value: parsed.value, schema: content.schema } : undefined;
    }
    if (Array.isArray(value) && items !== undefined) {
      for (const [index, item] of value.entries()) {
        const found = find(item, [items.prefixItems[index] ?? items.items ?? []].flat(), index);
        if (found !== undefined) return found;
      }
    } else if (isObject(value) && properties !== undefined) {
      for (const name of Object.keys(value)) {
        const found = find(value[name], schemasOfProperty(name, properties), name);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  function find(value: unknown, schemas: readonly PreparedSchema[], token: string | number): Invalid | undefined {
    const schema = schemas.find((schema) => !holds(value, schema));
    if (schema === undefined) return undefined;
    path.push(String(token));
    return { value, schema };
  }
}

function keywordsOf({ schema, keywords }: PreparedSchema): PreparedKeywords | undefined {
  return schema.never === undefined ? keywords : undefined;
}

function toViolation(path: string[], { schema }: PreparedSchema): Violation {
  if (schema.never !== undefined && schema.never !== "false") return neverViolation(path, schema);
  const { pointer } = schema.node;
  return { path, keyword: "schema", message: `must fit its schema (${pointer || "/"})`, schema: pointer };
}
