import { type Dialect, dialectOf, type SchemaDocument } from "./dialect.ts";
import { child, entries, isObject, items, type Node } from "./json/node.ts";
import { follow, followOnce } from "./json/reference.ts";
import type { Direction } from "./schema.ts";

/**
 * Limit of the nested `$ref` and `allOf` that are followed from the schema of a property to find `readOnly` or
 * `writeOnly`.
 */
const MOST_HOPS = 5;
/** Limit of the nested `$ref` and `allOf` that are followed from a schema to find its properties. */
const MOST_LEVELS = 500;

export const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * Finds the properties that a direction excludes: requests have no `readOnly` properties, responses no `writeOnly`
 * ones.
 */
export class ExcludedProperties {
  /** The keyword of excluded properties, which depends on the direction. */
  readonly keyword: "readOnly" | "writeOnly";
  readonly #document: SchemaDocument;
  readonly #names = new WeakMap<object, ReadonlySet<string>>();
  readonly #answers = new WeakMap<object, (boolean | undefined)[]>();

  constructor(document: SchemaDocument, direction: Direction) {
    this.#document = document;
    this.keyword = direction === "request" ? "readOnly" : "writeOnly";
  }

  /**
   * Tells whether a property is excluded from the direction: whether its schema has the keyword, directly or through
   * `$ref` or `allOf`.
   */
  has(property: Node, dialect: Dialect, hops = 0): boolean {
    if (!isObject(property.value) || hops > MOST_HOPS) return false;
    const key = hops * 2 + Number(dialect.referenceStandsAlone);
    const answers = this.#answers.get(property.value) ?? [];
    this.#answers.set(property.value, answers);
    return answers[key] ??= this.#find(property, dialect, hops);
  }

  #find(property: Node, dialect: Dialect, hops: number): boolean {
    if (!isObject(property.value)) return false;
    const hasReference = typeof property.value["$ref"] === "string";
    const alone = dialect.referenceStandsAlone && hasReference;
    if (property.value[this.keyword] === true && !alone) return true;
    if (hasReference && this.has(follow(this.#document, property), dialect, hops + 1)) return true;
    return !alone && items(child(property, "allOf")).some((member) => this.has(member, dialect, hops + 1));
  }

  /** Names of the excluded properties that a schema describes, directly or through `$ref` and `allOf`. */
  namesOf(node: Node, level = 0): ReadonlySet<string> {
    if (!isObject(node.value) || level > MOST_LEVELS) return NO_NAMES;
    const known = this.#names.get(node.value);
    if (known !== undefined) return known;
    this.#names.set(node.value, NO_NAMES);
    const hasReference = typeof node.value["$ref"] === "string";
    if (hasReference && Object.keys(node.value).length === 1) {
      const names = this.namesOf(followOnce(this.#document, node), level + 1);
      this.#names.set(node.value, names);
      return names;
    }
    const dialect = dialectOf(this.#document, node);
    const names = new Set<string>();
    if (hasReference) {
      this.namesOf(followOnce(this.#document, node), level + 1).forEach((name) => names.add(name));
    }
    if (!hasReference || !dialect.referenceStandsAlone) {
      for (const [name, property] of entries(child(node, "properties"))) {
        if (this.has(property, dialect)) names.add(name);
      }
      for (const member of items(child(node, "allOf"))) {
        this.namesOf(member, level + 1).forEach((name) => names.add(name));
      }
    }
    const excluded = names.size === 0 ? NO_NAMES : names;
    this.#names.set(node.value, excluded);
    return excluded;
  }
}
