import type { Pattern } from "../regexp/pattern.ts";
import { type Assertions, assertionsOf, type Vocabulary } from "./assertion.ts";
import { type ContentEncoding, jsonContentOf } from "./json/json_content.ts";
import type { Schema } from "./schema.ts";

/**
 * A schema whose keywords are compiled for repeated validation, at the first value. So a schema that no value reaches
 * costs nothing.
 */
export class PreparedSchema {
  readonly schema: Schema;
  /**
   * The innermost reference to this schema whose target is being validated. An aborted validation may have left a
   * reference here, so a reference counts only if its `run` is that of the current validation.
   */
  open: OpenReference | undefined;
  readonly #cache: PreparedSchemas;
  #keywords: PreparedKeywords | undefined;

  constructor(schema: Schema, cache: PreparedSchemas) {
    this.schema = schema;
    this.open = undefined;
    this.#cache = cache;
    this.#keywords = undefined;
  }

  get keywords(): PreparedKeywords {
    return this.#keywords ??= keywordsOf(this.schema, this.#cache);
  }
}

/**
 * A reference whose target is being validated. If validation reaches the target again with the same value, the
 * references form a cycle.
 */
export interface OpenReference {
  readonly value: unknown;
  /** The number of the validation that the reference belongs to, from `PreparedSchemas.runs`. */
  readonly run: number;
  readonly index: number;
  /** Whether validation has found a cycle and has assumed there that the value is valid against the target. */
  isAssumed: boolean;
  /** The enclosing reference to the same schema, for another value. */
  readonly outer: OpenReference | undefined;
}

/** The compiled keywords of a schema, in groups; a group is `undefined` where the schema has none of its keywords. */
export interface PreparedKeywords {
  readonly assertions: Assertions;
  readonly content: ContentKeywords | undefined;
  readonly items: ItemKeywords | undefined;
  readonly properties: PropertyKeywords | undefined;
  readonly inPlace: InPlaceKeywords | undefined;
  readonly unevaluatedItems: PreparedSchema | undefined;
  readonly unevaluatedProperties: PreparedSchema | undefined;
  /** Whether a keyword has subschemas, for the value itself (as `allOf`) or for its parts (as `properties`). */
  readonly isCombined: boolean;
}

/** `contentMediaType`, `contentEncoding` and `contentSchema`, which apply a schema to the JSON text in a string. */
export interface ContentKeywords {
  readonly mediaType: string;
  readonly encoding: ContentEncoding;
  readonly schema: PreparedSchema;
}

/** Keywords that apply schemas to the items of arrays. */
export interface ItemKeywords {
  readonly prefixItems: readonly PreparedSchema[];
  readonly items: PreparedSchema | undefined;
  readonly contains: PreparedSchema | undefined;
  readonly minContains: number;
  readonly maxContains: number;
}

/** Keywords that apply schemas to the properties of objects. */
export interface PropertyKeywords {
  readonly properties: ReadonlyMap<string, PreparedSchema> | undefined;
  /** `properties` as a list, if no other keyword applies: a list is faster to go through. */
  readonly described: readonly { readonly name: string; readonly schema: PreparedSchema }[] | undefined;
  readonly patterns: readonly PatternProperties[];
  readonly additionalProperties: PreparedSchema | undefined;
  readonly propertyNames: PreparedSchema | undefined;
}

/**
 * A pattern of `patternProperties` with its schema. `pattern` is `undefined` for an invalid regular expression, which
 * matches all names.
 */
export interface PatternProperties {
  readonly pattern: Pattern | undefined;
  readonly schema: PreparedSchema;
}

/** Keywords that apply schemas to the value itself (2020-12 core, section 10.2). */
export interface InPlaceKeywords {
  readonly references: readonly (() => PreparedSchema | undefined)[];
  readonly allOf: readonly PreparedSchema[];
  readonly anyOf: readonly PreparedSchema[] | undefined;
  readonly oneOf: readonly PreparedSchema[] | undefined;
  readonly not: PreparedSchema | undefined;
  readonly if: PreparedSchema | undefined;
  readonly then: PreparedSchema | undefined;
  readonly else: PreparedSchema | undefined;
  readonly dependentSchemas: readonly (readonly [name: string, schema: PreparedSchema])[];
}

/** A cache of prepared schemas. */
export class PreparedSchemas {
  readonly vocabulary: Vocabulary;
  /** The number of validations so far. An {@linkcode OpenReference} has the number of its validation. */
  runs = 0;
  readonly #known = new WeakMap<Schema, PreparedSchema>();

  constructor(vocabulary: Vocabulary) {
    this.vocabulary = vocabulary;
  }

  of(schema: Schema): PreparedSchema {
    let prepared = this.#known.get(schema);
    if (prepared === undefined) this.#known.set(schema, prepared = new PreparedSchema(schema, this));
    return prepared;
  }

  ofOptional(schema: Schema | undefined): PreparedSchema | undefined {
    return schema === undefined ? undefined : this.of(schema);
  }
}

/** The schemas that apply to a property through `properties`, `patternProperties` and `additionalProperties`. */
export function schemasOfProperty(name: string, keywords: PropertyKeywords): readonly PreparedSchema[] {
  const declared = keywords.properties?.get(name);
  const schemas = declared === undefined ? [] : [declared];
  for (const { pattern, schema } of keywords.patterns) if (pattern?.test(name) ?? true) schemas.push(schema);
  if (schemas.length === 0 && keywords.additionalProperties !== undefined) schemas.push(keywords.additionalProperties);
  return schemas;
}

function keywordsOf(schema: Schema, cache: PreparedSchemas): PreparedKeywords {
  const content = contentKeywords(schema, cache);
  const items = itemKeywords(schema, cache);
  const properties = propertyKeywords(schema, cache);
  const inPlace = inPlaceKeywords(schema, cache);
  const unevaluatedItems = cache.ofOptional(schema.unevaluatedItems);
  const unevaluatedProperties = cache.ofOptional(schema.unevaluatedProperties);
  return {
    assertions: assertionsOf(schema, cache.vocabulary),
    content,
    items,
    properties,
    inPlace,
    unevaluatedItems,
    unevaluatedProperties,
    isCombined: (content ?? items ?? properties ?? inPlace ?? unevaluatedItems ?? unevaluatedProperties) !== undefined,
  };
}

function contentKeywords(schema: Schema, cache: PreparedSchemas): ContentKeywords | undefined {
  const { contentMediaType, assertsContent } = schema;
  const content = assertsContent && jsonContentOf(schema);
  if (content?.schema === undefined || contentMediaType === undefined) return undefined;
  return { mediaType: contentMediaType, encoding: content.encoding, schema: cache.of(content.schema) };
}

function itemKeywords(schema: Schema, cache: PreparedSchemas): ItemKeywords | undefined {
  const { prefixItems, items, contains, minContains = 1, maxContains = Infinity } = schema;
  if ((prefixItems ?? items ?? contains) === undefined) return undefined;
  return {
    prefixItems: prefixItems?.map((item) => cache.of(item)) ?? [],
    items: cache.ofOptional(items),
    contains: cache.ofOptional(contains),
    minContains,
    maxContains,
  };
}

function propertyKeywords(schema: Schema, cache: PreparedSchemas): PropertyKeywords | undefined {
  const { properties, patternProperties, additionalProperties, propertyNames } = schema;
  if ((properties ?? patternProperties ?? additionalProperties ?? propertyNames) === undefined) return undefined;
  const parts = [...properties ?? []].map(([name, part]) => ({ name, schema: cache.of(part) }));
  return {
    properties: properties && new Map(parts.map(({ name, schema }) => [name, schema])),
    described: (patternProperties ?? additionalProperties ?? propertyNames) === undefined ? parts : undefined,
    patterns: [...patternProperties ?? []].map(([pattern, part]) => ({
      pattern: cache.vocabulary.readPattern(pattern),
      schema: cache.of(part),
    })),
    additionalProperties: cache.ofOptional(additionalProperties),
    propertyNames: cache.ofOptional(propertyNames),
  };
}

function inPlaceKeywords(schema: Schema, cache: PreparedSchemas): InPlaceKeywords | undefined {
  const { references, allOf, anyOf, oneOf, not, dependentSchemas } = schema;
  if ((references ?? allOf ?? anyOf ?? oneOf ?? not ?? schema.if ?? dependentSchemas) === undefined) return undefined;
  const ofAll = (schemas: readonly Schema[]): PreparedSchema[] => schemas.map((member) => cache.of(member));
  return {
    references: references?.map(({ target }) => () => cache.ofOptional(target())) ?? [],
    allOf: allOf === undefined ? [] : ofAll(allOf),
    anyOf: anyOf && ofAll(anyOf),
    oneOf: oneOf && ofAll(oneOf),
    not: cache.ofOptional(not),
    if: cache.ofOptional(schema.if),
    then: cache.ofOptional(schema.then),
    else: cache.ofOptional(schema.else),
    dependentSchemas: [...dependentSchemas ?? []].map(([name, member]) => [name, cache.of(member)] as const),
  };
}
