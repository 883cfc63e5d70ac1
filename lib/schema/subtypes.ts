import { child, entries, items, type Node } from "./json/node.ts";
import type { SchemaDocument } from "./dialect.ts";
import { follow, followOnce, referenceOf } from "./json/reference.ts";

/** The most schemas above a component that are looked at: a longer chain of `allOf` counts as no subtype. */
const MOST_ANCESTORS = 100;

/**
 * Finds the components that extend a schema by `allOf`, directly or through other components. Their names are the
 * values of the schema's discriminator that its `mapping` doesn't list (OpenAPI 3.0.4, section 4.7.25, Discriminator
 * Object; the only values in Swagger 2.0).
 */
export class Subtypes {
  readonly #document: SchemaDocument;
  #byBase: ReadonlyMap<string, ReadonlyMap<string, Node>> | undefined;

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  /** The components that extend a schema, by name, in the order of the definition. */
  of(base: Node): ReadonlyMap<string, Node> {
    return (this.#byBase ??= this.#findAll()).get(placeOf(base)) ?? new Map();
  }

  #findAll(): ReadonlyMap<string, ReadonlyMap<string, Node>> {
    const byBase = new Map<string, Map<string, Node>>();
    for (const [name, component] of entries(child(child(this.#document.root, "components"), "schemas"))) {
      const subtype = follow(this.#document, component);
      for (const ancestor of this.#ancestorsOf(subtype)) {
        const subtypes = byBase.get(ancestor);
        if (subtypes === undefined) byBase.set(ancestor, new Map([[name, subtype]]));
        else subtypes.set(name, subtype);
      }
    }
    return byBase;
  }

  /** The places of the schemas that a schema extends. */
  #ancestorsOf(schema: Node): ReadonlySet<string> {
    const found = new Set<string>();
    const pending = [schema];
    for (let next = pending.pop(); next !== undefined && found.size < MOST_ANCESTORS; next = pending.pop()) {
      for (const member of items(child(next, "allOf"))) {
        const target = follow(this.#document, member);
        const place = placeOf(target);
        if (target.value === undefined || found.has(place)) continue;
        // A member without a name, such as a nested `allOf`, is a part of the subtype, and no schema that it extends.
        if (referenceOf(member) !== undefined) found.add(place).add(placeOf(followOnce(this.#document, member)));
        pending.push(target);
      }
    }
    found.delete(placeOf(schema));
    return found;
  }
}

/** A key of a schema's place: equal for two nodes of the same schema. */
export function placeOf({ source, pointer }: Node): string {
  return `${source.uri}#${pointer}`;
}
