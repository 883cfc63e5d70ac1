import { BoundedCache } from "../http/limits/bounded_cache.ts";
import type { ReadPattern } from "../regexp/pattern.ts";
import type { Assertion } from "./assertion.ts";
import { addTo, type Evaluated, nothingEvaluated } from "./evaluated.ts";
import type { Format } from "./format.ts";
import { locateViolation } from "./json/locate.ts";
import type { ParsedJson } from "./json/json.ts";
import { parseJsonContent, stepsToParse } from "./json/json_content.ts";
import { isObject, type JsonObject } from "./json/node.ts";
import {
  type ContentKeywords,
  type InPlaceKeywords,
  type ItemKeywords,
  type PreparedKeywords,
  type PreparedSchema,
  PreparedSchemas,
  type PropertyKeywords,
  schemasOfProperty,
} from "./prepared_schema.ts";
import type { Schema } from "./schema.ts";
import { spend, type Steps } from "../regexp/steps.ts";
import type { Violation } from "./violation.ts";
import { ViolationReporter } from "./violation_reporter.ts";
import { isNumber } from "./json/value.ts";

export type IsValid = (value: unknown, schema: Schema) => boolean;

export interface Validator {
  /**
   * Tells whether a value is valid against a schema.
   *
   * @param keeps Whether to use the results memoised by the last call. This is allowed only if the values haven't
   * changed since then, and the last call didn't throw. Default: `false`.
   * @throws {OutOfSteps} If the budget is spent.
   */
  readonly isValid: (value: unknown, schema: Schema, keeps?: boolean) => boolean;
  /**
   * Collects the violations of a value.
   *
   * @param value A value that `isValid` has found invalid, and that hasn't changed since then.
   * @param most Violations beyond this number are left out.
   * @throws {OutOfSteps} If the budget is spent.
   */
  readonly violationsOf: (value: unknown, schema: Schema, most: number) => Violation[];
  /**
   * Finds the first invalid part of a value. This takes fewer steps than `violationsOf`, which may exceed its budget
   * where a schema has many combinations of branches.
   *
   * @param value A value that is invalid against the schema.
   * @throws {OutOfSteps} If the budget is spent.
   */
  readonly locate: (value: unknown, schema: Schema) => Violation;
  /** Makes a validator with a budget of its own, which shares the prepared schemas with this one. */
  readonly within: (steps: Steps) => Validator;
}

/** The memoised result of validating a value against a schema. */
interface Result {
  readonly isValid: boolean;
  readonly evaluated: Evaluated | undefined;
  /**
   * A reference that leads back to itself for the same value (a cycle) is assumed to be valid. This is the index of the
   * outermost reference that the result assumes to be valid; `Infinity` where it assumes none.
   */
  readonly assumes: number;
}

/**
 * Number of evaluated schemas after which results are memoised. Nearly all values need fewer, and memoising takes time.
 */
const FEW = 200;
/** Size at which the memoised results are dropped. */
const MOST_MEMOISED = 100_000;
/** Limit of the parsed JSON texts that are cached. */
const MOST_TEXTS = 1_000;

/**
 * Makes a validator. The keywords of a schema are compiled at its first use, so that the first validation starts at
 * once.
 *
 * Results are memoised by schema and value, so the work grows with the number of schemas and not with the number of
 * paths of references through them.
 *
 * @param steps The budget: each evaluation of a schema takes a step. Default: no limit.
 * @param few Evaluations of schemas before results are memoised.
 */
export function createValidator(
  formats: ReadonlyMap<string, Format>,
  readPattern: ReadPattern,
  steps?: Steps,
  few?: number,
): Validator {
  return new SchemaValidator(new PreparedSchemas({ formats, readPattern }), steps, few);
}

class SchemaValidator implements Validator {
  readonly #schemas: PreparedSchemas;
  readonly #steps: Steps;
  readonly #few: number;
  /**
   * Memoised results. Those in `#tracked` also record the evaluated parts, for `unevaluatedProperties` and
   * `unevaluatedItems`.
   */
  #plain = new Map<PreparedSchema, Map<unknown, Result>>();
  #tracked = new Map<PreparedSchema, Map<unknown, Result>>();
  #memoised = 0;
  /**
   * Memoised results that are provisional: they assume that a reference is valid which leads back to itself (a cycle).
   * They are in the order in which they were found, and are dropped if the reference turns out to be invalid.
   */
  #provisional: { assumes: number; from: Map<unknown, Result>; value: unknown }[] = [];
  /**
   * A cache of the JSON texts in strings, by encoding and string. Results are memoised by value, so a text must always
   * give the same object.
   */
  #texts = new BoundedCache<string, ParsedJson>(MOST_TEXTS);
  /** The index of the outermost reference that the current evaluation assumes to be valid; `Infinity` for none. */
  #lowest = Infinity;
  #evaluations = 0;
  #depth = 0;
  #run = 0;

  constructor(schemas: PreparedSchemas, steps: Steps = { left: Infinity }, few = FEW) {
    this.#schemas = schemas;
    this.#steps = steps;
    this.#few = few;
  }

  readonly isValid = (value: unknown, schema: Schema, keeps = false): boolean => {
    return this.#holds(value, this.#schemas.of(schema), undefined, keeps);
  };

  readonly violationsOf = (value: unknown, schema: Schema, most: number): Violation[] => {
    const holds = (part: unknown, schema: PreparedSchema, evaluated?: Evaluated): boolean =>
      this.#holds(part, schema, evaluated, true);
    const reporter = new ViolationReporter(holds, this.#parse, this.#steps, most);
    reporter.report(value, this.#schemas.of(schema));
    return reporter.violations;
  };

  readonly locate = (value: unknown, schema: Schema): Violation => {
    const prepared = this.#schemas.of(schema);
    // Evaluates the value with empty caches: if the budget was spent before, memoised results may be incomplete.
    this.#holds(value, prepared, undefined, false);
    const holds = (part: unknown, schema: PreparedSchema): boolean => this.#holds(part, schema, undefined, true);
    return locateViolation(value, prepared, holds, this.#parse);
  };

  readonly within = (steps: Steps): Validator => new SchemaValidator(this.#schemas, steps, this.#few);

  /** Validates a value against a prepared schema. If the value is valid, adds its evaluated parts to `evaluated`. */
  #holds(value: unknown, schema: PreparedSchema, evaluated: Evaluated | undefined, keeps: boolean): boolean {
    this.#depth = 0;
    this.#lowest = Infinity;
    this.#run = ++this.#schemas.runs;
    if (!keeps) {
      this.#evaluations = 0;
      if (this.#memoised > 0) this.#dropResults();
      if (this.#texts.size > 0) this.#texts = new BoundedCache(MOST_TEXTS);
    }
    return this.#validate(value, schema, evaluated);
  }

  #dropResults(): void {
    this.#dropMemoised();
    this.#provisional = [];
  }

  /**
   * Drops the memoised results. `#provisional` is kept, since references that are being validated hold indexes into it.
   */
  #dropMemoised(): void {
    this.#plain = new Map();
    this.#tracked = new Map();
    this.#memoised = 0;
  }

  #validate(value: unknown, schema: PreparedSchema, outer?: Evaluated): boolean {
    spend(this.#steps, 1);
    if (schema.schema.never !== undefined) return false;
    const { keywords } = schema;
    if (++this.#evaluations <= this.#few || !isShared(value, keywords)) return this.#evaluate(value, keywords, outer);
    const results = outer === undefined ? this.#plain : this.#tracked;
    let byValue = results.get(schema);
    if (byValue === undefined) results.set(schema, byValue = new Map());
    const result = byValue.get(value) ?? this.#memoise(value, keywords, outer !== undefined, byValue);
    this.#lowest = Math.min(this.#lowest, result.assumes);
    if (result.isValid && outer !== undefined && result.evaluated !== undefined) addTo(outer, result.evaluated);
    return result.isValid;
  }

  #memoise(value: unknown, keywords: PreparedKeywords, isTracked: boolean, byValue: Map<unknown, Result>): Result {
    const before = this.#lowest;
    this.#lowest = Infinity;
    const evaluated = isTracked ? nothingEvaluated() : undefined;
    const isValid = this.#evaluate(value, keywords, evaluated);
    const result: Result = { isValid, evaluated, assumes: this.#lowest };
    this.#lowest = before;
    if (this.#memoised++ >= MOST_MEMOISED) this.#dropMemoised();
    byValue.set(value, result);
    if (result.assumes < Infinity) this.#provisional.push({ assumes: result.assumes, from: byValue, value });
    return result;
  }

  #evaluate(value: unknown, keywords: PreparedKeywords, outer: Evaluated | undefined): boolean {
    const { assertions, unevaluatedItems, unevaluatedProperties } = keywords;
    if (!allHold(value, assertions.any)) return false;
    const isTracked = outer !== undefined || unevaluatedItems !== undefined || unevaluatedProperties !== undefined;
    const evaluated = isTracked ? nothingEvaluated() : undefined;
    if (!this.#evaluateParts(value, keywords, evaluated)) return false;
    if (keywords.inPlace !== undefined && !this.#evaluateInPlace(value, keywords.inPlace, evaluated)) return false;
    if (evaluated === undefined) return true;
    if (!this.#evaluateRest(value, keywords, evaluated)) return false;
    if (outer !== undefined) addTo(outer, evaluated);
    return true;
  }

  /** Checks the keywords for the type of the value: of numbers, of strings, of arrays, of objects. */
  #evaluateParts(
    value: unknown,
    { assertions, content, items, properties }: PreparedKeywords,
    evaluated: Evaluated | undefined,
  ): boolean {
    if (typeof value === "string") {
      return allHold(value, assertions.string) && (content === undefined || this.#evaluateContent(value, content));
    }
    if (isNumber(value)) return allHold(value, assertions.number);
    if (Array.isArray(value)) {
      return allHold(value, assertions.array) && (items === undefined || this.#evaluateItems(value, items, evaluated));
    }
    if (!isObject(value)) return true;
    return allHold(value, assertions.object) &&
      (properties === undefined || this.#evaluateProperties(value, properties, evaluated));
  }

  #evaluateContent(text: string, content: ContentKeywords): boolean {
    const parsed = this.#parse(text, content);
    return parsed.kind === "value" && this.#validate(parsed.value, content.schema);
  }

  readonly #parse = (text: string, { encoding }: ContentKeywords): ParsedJson => {
    const key = `${encoding} ${text}`;
    let parsed = this.#texts.get(key);
    if (parsed !== undefined) return parsed;
    spend(this.#steps, stepsToParse(text));
    this.#texts.set(key, parsed = parseJsonContent(text, encoding));
    return parsed;
  };

  #evaluateItems(
    value: readonly unknown[],
    { prefixItems, items, contains, minContains, maxContains }: ItemKeywords,
    evaluated: Evaluated | undefined,
  ): boolean {
    const described = items === undefined ? Math.min(prefixItems.length, value.length) : value.length;
    for (let index = 0; index < described; index++) {
      const part = prefixItems[index] ?? items;
      if (part !== undefined && !this.#validate(value[index], part)) return false;
      evaluated?.items.add(index);
    }
    if (contains === undefined) return true;
    let found = 0;
    for (let index = 0; index < value.length; index++) {
      if (!this.#validate(value[index], contains)) continue;
      found++;
      evaluated?.items.add(index);
    }
    return found >= minContains && found <= maxContains;
  }

  #evaluateProperties(value: JsonObject, keywords: PropertyKeywords, evaluated: Evaluated | undefined): boolean {
    const { properties, patterns, additionalProperties, propertyNames, described } = keywords;
    if (described !== undefined && evaluated === undefined) {
      for (let index = 0; index < described.length; index++) {
        const part = described[index];
        if (part === undefined || !Object.hasOwn(value, part.name)) continue;
        if (!this.#validate(value[part.name], part.schema)) return false;
      }
      return true;
    }
    const names = Object.keys(value);
    if (propertyNames !== undefined && !names.every((name) => this.#validate(name, propertyNames))) return false;
    if (patterns.length > 0) {
      spend(this.#steps, names.length * patterns.length);
      return names.every((name) => {
        const parts = schemasOfProperty(name, keywords);
        if (parts.length > 0) evaluated?.names.add(name);
        return parts.every((part) => this.#validate(value[name], part));
      });
    }
    for (const name of names) {
      const part = properties?.get(name) ?? additionalProperties;
      if (part === undefined) continue;
      evaluated?.names.add(name);
      if (!this.#validate(value[name], part)) return false;
    }
    return true;
  }

  #evaluateInPlace(value: unknown, keywords: InPlaceKeywords, evaluated: Evaluated | undefined): boolean {
    const { references, allOf, anyOf, oneOf, not, dependentSchemas } = keywords;
    for (const target of references) if (!this.#validateTarget(value, target(), evaluated)) return false;
    for (const member of allOf) if (!this.#validate(value, member, evaluated)) return false;
    if (anyOf !== undefined && !this.#validateAnyOf(value, anyOf, evaluated)) return false;
    if (oneOf !== undefined && oneOf.filter((member) => this.#validate(value, member, evaluated)).length !== 1) {
      return false;
    }
    if (not !== undefined && this.#validate(value, not)) return false;
    if (keywords.if !== undefined) {
      const branch = this.#validate(value, keywords.if, evaluated) ? keywords.then : keywords.else;
      if (branch !== undefined && !this.#validate(value, branch, evaluated)) return false;
    }
    if (dependentSchemas.length > 0 && isObject(value)) {
      for (const [name, member] of dependentSchemas) {
        if (Object.hasOwn(value, name) && !this.#validate(value, member, evaluated)) return false;
      }
    }
    return true;
  }

  /** Checks `anyOf`. It stops at the first valid member, unless the evaluated parts of all valid members are needed. */
  #validateAnyOf(value: unknown, members: readonly PreparedSchema[], evaluated: Evaluated | undefined): boolean {
    if (evaluated === undefined) return members.some((member) => this.#validate(value, member));
    return members.filter((member) => this.#validate(value, member, evaluated)).length > 0;
  }

  #validateTarget(value: unknown, target: PreparedSchema | undefined, evaluated: Evaluated | undefined): boolean {
    if (target === undefined) return true;
    const outer = target.open?.run === this.#run ? target.open : undefined;
    // The reference leads back to itself for the same value (a cycle). A cycle adds no constraint, so the value is
    // assumed to be valid.
    if (outer !== undefined && outer.value === value) {
      outer.isAssumed = true;
      this.#lowest = Math.min(this.#lowest, outer.index);
      return true;
    }
    const before = this.#lowest;
    const first = this.#provisional.length;
    const open = { value, run: this.#run, index: this.#depth++, isAssumed: false, outer };
    this.#lowest = Infinity;
    target.open = open;
    const isValid = this.#validate(value, target, evaluated);
    this.#depth--;
    target.open = outer;
    if (open.isAssumed) this.#dropProvisional(open.index, isValid, first);
    this.#lowest = Math.min(before, this.#lowest < open.index ? this.#lowest : Infinity);
    return isValid;
  }

  /**
   * Called when the validation of a reference ends that was assumed to be valid because of a cycle. Drops the results,
   * from the index `first` on, that depend on the assumption. If the value was valid, results that also assume an
   * enclosing reference remain provisional.
   */
  #dropProvisional(index: number, isValid: boolean, first: number): void {
    for (const result of this.#provisional.splice(first)) {
      if (isValid && result.assumes < index) this.#provisional.push(result);
      else result.from.delete(result.value);
    }
  }

  #evaluateRest(
    value: unknown,
    { unevaluatedItems, unevaluatedProperties }: PreparedKeywords,
    evaluated: Evaluated,
  ): boolean {
    if (unevaluatedItems !== undefined && Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        if (!evaluated.items.has(index) && !this.#validate(item, unevaluatedItems)) return false;
        evaluated.items.add(index);
      }
    }
    if (unevaluatedProperties !== undefined && isObject(value)) {
      for (const name of Object.keys(value)) {
        if (!evaluated.names.has(name) && !this.#validate(value[name], unevaluatedProperties)) return false;
        evaluated.names.add(name);
      }
    }
    return true;
  }
}

function allHold<Value>(value: Value, assertions: readonly Assertion<Value>[]): boolean {
  for (let index = 0; index < assertions.length; index++) if (assertions[index]?.holds(value) === false) return false;
  return true;
}

/** Whether a schema has subschemas for the value or its parts. Otherwise memoising the result would save nothing. */
function isShared(value: unknown, { isCombined, inPlace }: PreparedKeywords): boolean {
  return isCombined && (inPlace !== undefined || (typeof value === "object" && value !== null));
}

/** The schemas that apply to a property through `properties`, `patternProperties` and `additionalProperties`. */
export function partsOf(name: string, schema: Schema, matches: (text: string, pattern: string) => boolean): Schema[] {
  const parts: Schema[] = [];
  const declared = schema.properties?.get(name);
  if (declared !== undefined) parts.push(declared);
  for (const [pattern, part] of schema.patternProperties ?? []) if (matches(name, pattern)) parts.push(part);
  if (parts.length === 0 && schema.additionalProperties !== undefined) parts.push(schema.additionalProperties);
  return parts;
}
