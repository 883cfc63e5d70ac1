import { isObject } from "./node.ts";
import { type IsValid, partsOf } from "./validator.ts";
import type { Schema } from "./schema.ts";

/** The part of a value that breaks a schema, and the schema that it breaks. */
export interface Fault {
  /** Location in the value, one token for each level. */
  readonly path: string[];
  readonly schema: Schema;
}

/** A schema that a part of a value breaks. */
interface Broken {
  readonly value: unknown;
  readonly schema: Schema;
}

/**
 * Finds the first part of a value that breaks its schema, as deep as only one way leads there: into properties and
 * items, `$ref` and `allOf`, and not into the branches of a choice.
 *
 * @param value A value that breaks the schema.
 */
export function locate(
  value: unknown,
  schema: Schema,
  isValid: IsValid,
  matches: (text: string, pattern: string) => boolean,
): Fault {
  const path: string[] = [];
  const seen = new Set<Schema>();
  let at: Broken = { value, schema };
  for (let next: Broken | undefined = at; next !== undefined;) {
    at = next;
    next = seen.has(at.schema) ? undefined : sameValue(at) ?? part(at);
    seen.add(at.schema);
    if (next !== undefined && next.value !== at.value) seen.clear();
  }
  return { path, schema: at.schema };

  function sameValue({ value, schema }: Broken): Broken | undefined {
    const targets = (schema.references ?? []).flatMap(({ target }) => target() ?? []);
    const broken = [...targets, ...schema.allOf ?? []].find((member) => !isValid(value, member));
    return broken && { value, schema: broken };
  }

  function part({ value, schema }: Broken): Broken | undefined {
    const { prefixItems, items } = schema;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        const broken = brokenBy(item, [prefixItems?.[index] ?? items ?? []].flat(), index);
        if (broken !== undefined) return broken;
      }
    } else if (isObject(value)) {
      for (const name of Object.keys(value)) {
        const broken = brokenBy(value[name], partsOf(name, schema, matches), name);
        if (broken !== undefined) return broken;
      }
    }
    return undefined;
  }

  function brokenBy(value: unknown, schemas: readonly Schema[], token: string | number): Broken | undefined {
    const schema = schemas.find((schema) => !isValid(value, schema));
    if (schema === undefined) return undefined;
    path.push(String(token));
    return { value, schema };
  }
}
