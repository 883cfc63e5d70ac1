import { COMBINATORS, type Dialect, dialectOf, type SchemaDocument } from "./dialect.ts";
import { DynamicAnchors, type DynamicScope } from "./dynamic_scope.ts";
import { ExcludedProperties, NO_NAMES } from "./excluded_properties.ts";
import { child, entries, isObject, items, type JsonObject, type Node } from "./json/node.ts";
import { follow, followOnce } from "./json/reference.ts";
import type { Direction, Schema, SchemaReference } from "./schema.ts";
import { readScalarKeywords, type SchemaDraft } from "./schema_keywords.ts";
import { OutOfSteps } from "../regexp/steps.ts";
import { placeOf, Subtypes } from "./subtypes.ts";
import { writeJson } from "./json/json.ts";

/**
 * Reads the schemas of one document for one direction. Each schema is read once, and the target of a `$ref` on demand.
 */
export interface SchemaReader {
  readonly read: (node: Node) => Schema;
}

/** The inputs to the translation of a schema besides the schema itself. Equal contexts are one object. */
interface Context {
  readonly dialect: Dialect;
  /**
   * Names of properties that `required` doesn't demand, since the schema excludes them from the direction (`readOnly`
   * in requests, `writeOnly` in responses), or another schema of the same value does.
   */
  readonly excluded: ReadonlySet<string>;
  readonly scope: DynamicScope;
  readonly done: WeakMap<object, Schema>;
}

/**
 * Limit for reading schemas again with other excluded properties or another dynamic scope: `least`, plus `each` for
 * each schema of the document. Without it, a schema could be read for each of exponentially many paths of references.
 */
const MOST_AGAIN = { least: 50_000, each: 10 };

/**
 * Makes a reader of a document's schemas. It throws {@linkcode OutOfSteps} for a document whose schemas would have to
 * be read too often, each time with other excluded properties or another dynamic scope.
 *
 * @param excluded What happens to properties that the direction excludes (`readOnly` in requests, `writeOnly` in
 * responses). `refused`: they are invalid. `described`: they are validated against their schema. In both cases
 * `required` doesn't demand them.
 */
export function createSchemaReader(
  document: SchemaDocument,
  direction: Direction,
  excluded: "refused" | "described" = "refused",
): SchemaReader {
  return new DocumentReader(document, direction, excluded === "refused");
}

class DocumentReader implements SchemaReader {
  readonly #document: SchemaDocument;
  readonly #excluded: ExcludedProperties;
  readonly #subtypes: Subtypes;
  readonly #refusesExcluded: boolean;
  readonly #anchors: DynamicAnchors;
  readonly #contexts = new Map<string, Context>();
  /**
   * The contexts without excluded properties and dynamic scope, which nearly all schemas have. Looking them up by
   * dialect avoids building a key.
   */
  readonly #plainContexts = new Map<Dialect, Context>();
  /** A cache of the dialects of reference targets: many references may lead to one target. */
  readonly #dialects = new WeakMap<Node, Dialect>();
  readonly #known = new WeakSet<object>();
  readonly #readings = { first: 0, again: 0 };

  constructor(document: SchemaDocument, direction: Direction, refusesExcluded: boolean) {
    this.#document = document;
    this.#excluded = new ExcludedProperties(document, direction);
    this.#subtypes = new Subtypes(document);
    this.#refusesExcluded = refusesExcluded;
    this.#anchors = new DynamicAnchors(document);
  }

  readonly read = (node: Node): Schema => this.#readTarget(node, NO_NAMES, []);

  /** Reads a schema independently of its enclosing schemas: the target of a reference, or an outermost schema. */
  #readTarget(node: Node, excluded: ReadonlySet<string>, scope: DynamicScope): Schema {
    const names = union(excluded, this.#excluded.namesOf(node));
    let dialect = this.#dialects.get(node);
    if (dialect === undefined) this.#dialects.set(node, dialect = dialectOf(this.#document, node));
    return this.#readSchema(node, this.#contextOf(dialect, names, this.#anchors.enter(scope, node)));
  }

  /**
   * Reads the schema of a property or item. The excluded names of the parent are dropped, because they belong to
   * another object.
   */
  #readPart(node: Node, { dialect, scope }: Context): Schema {
    return this.#readInPlace(node, this.#contextOf(dialect, NO_NAMES, scope));
  }

  /** Reads a subschema that applies to the same value as its parent, such as a member of `allOf`. */
  #readInPlace(node: Node, { dialect, excluded, scope }: Context): Schema {
    const names = union(excluded, this.#excluded.namesOf(node));
    return this.#readSchema(node, this.#contextOf(dialect, names, this.#anchors.enterSubschema(scope, node)));
  }

  #contextOf(dialect: Dialect, excluded: ReadonlySet<string>, scope: DynamicScope): Context {
    if (excluded.size > 0 || scope.length > 0) return this.#makeContext(dialect, excluded, scope);
    let plain = this.#plainContexts.get(dialect);
    if (plain === undefined) this.#plainContexts.set(dialect, plain = this.#makeContext(dialect, excluded, scope));
    return plain;
  }

  #makeContext(dialect: Dialect, excluded: ReadonlySet<string>, scope: DynamicScope): Context {
    const { referenceStandsAlone, nullable, contentSchema } = dialect;
    const key = writeJson([referenceStandsAlone, nullable, contentSchema, [...excluded].sort(), scope]);
    let context = this.#contexts.get(key);
    if (context === undefined) this.#contexts.set(key, context = { dialect, excluded, scope, done: new WeakMap() });
    return context;
  }

  #readSchema(node: Node, context: Context): Schema {
    if (node.value === false) return { node, never: "false" };
    if (!isObject(node.value)) return { node };
    const done = context.done.get(node.value);
    if (done !== undefined) return done;
    this.#countReading(node.value);
    const schema: SchemaDraft = { node };
    this.#readKeywords(schema, node, node.value, context);
    // Caches the schema only when it is complete: reading its keywords may throw {@linkcode OutOfSteps}.
    context.done.set(node.value, schema);
    return schema;
  }

  #countReading(value: object): void {
    if (!this.#known.has(value)) {
      this.#known.add(value);
      this.#readings.first++;
    } else if (++this.#readings.again > MOST_AGAIN.least + MOST_AGAIN.each * this.#readings.first) {
      throw new OutOfSteps();
    }
  }

  #readKeywords(schema: SchemaDraft, node: Node, value: JsonObject, context: Context): void {
    const references = this.#readReferences(node, value, context);
    if (references.length > 0) {
      schema.references = references;
      if (context.dialect.referenceStandsAlone && typeof value["$ref"] === "string") return;
      if (Object.keys(value).length === references.length) return;
    }
    readScalarKeywords(schema, value, context.dialect, this.#document.version);
    this.#readContentSchema(schema, node, value, context);
    this.#readArrayKeywords(schema, node, value, context);
    this.#readObjectKeywords(schema, node, value, context);
    this.#readDependencies(schema, node, context);
    this.#readInPlaceKeywords(schema, node, context);
    this.#readDiscriminator(schema, node, context);
  }

  #readReferences(node: Node, value: JsonObject, context: Context): SchemaReference[] {
    const references: SchemaReference[] = [];
    for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"]) {
      const written = value[keyword];
      if (typeof written !== "string") continue;
      const find = (): Node | undefined =>
        keyword === "$ref" ? followOnce(this.#document, node) : this.#anchors.resolve(node, written, context.scope);
      references.push(this.#referenceTo(written, find, context));
    }
    return references;
  }

  #referenceTo(written: string, find: () => Node | undefined, context: Context): SchemaReference {
    let target: Schema | undefined;
    let isRead = false;
    return {
      written,
      target: () => {
        if (isRead) return target;
        const found = find();
        if (found?.value !== undefined) target = this.#readTarget(found, context.excluded, context.scope);
        // Set only after reading, which may throw `OutOfSteps`, so that a later call tries again.
        isRead = true;
        return target;
      },
    };
  }

  #readDiscriminator(schema: SchemaDraft, node: Node, context: Context): void {
    const discriminator = child(node, "discriminator");
    const propertyName = child(discriminator, "propertyName").value;
    if (typeof propertyName !== "string") return;
    const mapping = new Map<string, SchemaReference>();
    const mapped = new Set<string>();
    for (const [name, { value }] of entries(child(discriminator, "mapping"))) {
      if (typeof value !== "string") continue;
      // A mapping value is the name of a component, or a URI reference if it contains `/` or `#` or ends like a file
      // name.
      const $ref = /[#/]|\.(json|ya?ml)$/.test(value) ? value : `#/components/schemas/${value}`;
      const find = (): Node => followOnce(this.#document, { ...node, value: { $ref } });
      mapping.set(name, this.#referenceTo(value, find, context));
      mapped.add(placeOf(follow(this.#document, find())));
    }
    for (const [name, subtype] of this.#subtypes.of(node)) {
      if (mapping.has(name) || mapped.has(placeOf(subtype))) continue;
      mapping.set(name, this.#referenceTo(name, () => subtype, context));
    }
    schema.discriminator = { propertyName, mapping };
  }

  #readContentSchema(schema: SchemaDraft, node: Node, value: JsonObject, context: Context): void {
    const { contentSchema } = context.dialect;
    if (contentSchema === "unknown" || !isSchema(value["contentSchema"])) return;
    schema.contentSchema = this.#readPart(child(node, "contentSchema"), context);
    if (contentSchema === "assertion") schema.assertsContent = true;
  }

  #readArrayKeywords(schema: SchemaDraft, node: Node, value: JsonObject, context: Context): void {
    // Up to 2019-09, an array under `items` means what `prefixItems` means in 2020-12, and `additionalItems` means
    // `items`.
    const isTuple = Array.isArray(value["items"]);
    const prefix = items(child(node, isTuple ? "items" : "prefixItems"));
    if (prefix.length > 0) schema.prefixItems = prefix.map((item) => this.#readPart(item, context));
    const rest = isTuple ? "additionalItems" : "items";
    if (isSchema(value[rest])) schema.items = this.#readPart(child(node, rest), context);
    for (const keyword of ["unevaluatedItems", "contains"] as const) {
      if (isSchema(value[keyword])) schema[keyword] = this.#readPart(child(node, keyword), context);
    }
  }

  #readObjectKeywords(schema: SchemaDraft, node: Node, value: JsonObject, context: Context): void {
    const properties = schemasOf(child(node, "properties"));
    if (properties.length > 0) {
      schema.properties = new Map(
        properties.map(([name, property]) => [name, this.#readProperty(property, context)]),
      );
    }
    const patterns = schemasOf(child(node, "patternProperties"));
    if (patterns.length > 0) {
      schema.patternProperties = new Map(
        patterns.map(([pattern, property]) => [pattern, this.#readPart(property, context)]),
      );
    }
    for (const keyword of ["additionalProperties", "unevaluatedProperties", "propertyNames"] as const) {
      if (isSchema(value[keyword])) schema[keyword] = this.#readPart(child(node, keyword), context);
    }
    const required = namesIn(value["required"]).filter((name) => !context.excluded.has(name));
    if (required.length > 0) schema.required = required;
  }

  #readProperty(property: Node, context: Context): Schema {
    return this.#refusesExcluded && this.#excluded.has(property, context.dialect)
      ? { node: property, never: this.#excluded.keyword }
      : this.#readPart(property, context);
  }

  #readDependencies(schema: SchemaDraft, node: Node, context: Context): void {
    const required = new Map<string, readonly string[]>();
    const schemas = new Map<string, Schema>();
    for (const keyword of ["dependencies", "dependentRequired", "dependentSchemas"]) {
      for (const [name, dependency] of entries(child(node, keyword))) {
        if (Array.isArray(dependency.value)) {
          required.set(name, namesIn(dependency.value).filter((needed) => !context.excluded.has(needed)));
        } else if (isSchema(dependency.value)) schemas.set(name, this.#readInPlace(dependency, context));
      }
    }
    if (required.size > 0) schema.dependentRequired = required;
    if (schemas.size > 0) schema.dependentSchemas = schemas;
  }

  #readInPlaceKeywords(schema: SchemaDraft, node: Node, context: Context): void {
    for (const keyword of COMBINATORS) {
      const members = items(child(node, keyword)).filter((member) => isSchema(member.value));
      if (members.length > 0) schema[keyword] = members.map((member) => this.#readInPlace(member, context));
    }
    for (const keyword of ["not", "if", "then", "else"] as const) {
      const member = child(node, keyword);
      if (isSchema(member.value)) schema[keyword] = this.#readInPlace(member, context);
    }
  }
}

function isSchema(value: unknown): boolean {
  return typeof value === "boolean" || isObject(value);
}

function schemasOf(node: Node): [string, Node][] {
  return entries(node).filter(([, schema]) => isSchema(schema.value));
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

function union(left: ReadonlySet<string>, right: ReadonlySet<string>): ReadonlySet<string> {
  if (right.size === 0) return left;
  return left.size === 0 ? right : new Set([...left, ...right]);
}
