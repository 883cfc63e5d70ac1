import type { ReadPattern } from "../regexp/pattern.ts";
import type { Assertion } from "./assertion.ts";
import { addTo, type Evaluated, nothingEvaluated } from "./evaluated.ts";
import type { Format } from "./format.ts";
import { locateViolation } from "./locate.ts";
import type { ParsedJson } from "./json.ts";
import { parseJsonContent, stepsToParse } from "./json_content.ts";
import { isObject, type JsonObject } from "./node.ts";
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
import { spend, type Steps } from "./steps.ts";
import type { Violation } from "./violation.ts";
import { ViolationReporter } from "./violation_reporter.ts";

/** Tells whether a value is valid against a schema. */
export type IsValid = (value: unknown, schema: Schema) => boolean;

/** Validates values against schemas. */
export interface Validator {
  /**
   * Tells whether a value is valid against a schema.
   *
   * @param keeps Whether to use the results memoised by the last call. This is allowed only if its values haven't
   * changed since, and it didn't run out of steps. Default: `false`.
   * @throws {OutOfSteps} If no steps are left.
   */
  readonly isValid: (value: unknown, schema: Schema, keeps?: boolean) => boolean;
  /**
   * Collects the violations of a value.
   *
   * @param value A value that `isValid` has found invalid, and that hasn't changed since.
   * @param most Violations beyond this number are left out.
   * @throws {OutOfSteps} If no steps are left.
   */
  readonly violationsOf: (value: unknown, schema: Schema, most: number) => Violation[];
  /**
   * Finds the first invalid part of a value, for a schema with too many combinations of branches to collect violations.
   *
   * @param value A value that is invalid against the schema.
   * @throws {OutOfSteps} If no steps are left.
   */
  readonly locate: (value: unknown, schema: Schema) => Violation;
  /** Makes a validator with steps of its own, which shares the prepared schemas with this one. */
  readonly within: (steps: Steps) => Validator;
}

/** The result of a schema for a value. */
interface Result {
  readonly isValid: boolean;
  readonly evaluated: Evaluated | undefined;
  /**
   * The index of the outermost open reference that the result assumes to be valid, because that reference leads back to
   * itself (a cycle); `Infinity` where the result assumes nothing.
   */
  readonly supposes: number;
}

/** Schemas evaluated for one value before results are memoised; nearly all values need fewer. */
const FEW = 200;
/** Results that are memoised at a time. */
const MOST_MEMOISED = 100_000;
/** Parsed JSON texts that are kept at a time. */
const MOST_TEXTS = 1_000;

/**
 * Makes a validator. Schemas are prepared at their first use, so that the first check starts at once.
 *
 * A schema is evaluated once for a value, however many references lead to it, so that the work grows with the schema's
 * size and not with the number of paths through it.
 *
 * @param steps Bounds the work: a step for each evaluation of a schema. Default: no bound.
 * @param few Schemas evaluated for one value before results are memoised.
 */
export function createValidator(
  formats: ReadonlyMap<string, Format>,
  readPattern: ReadPattern,
  steps?: Steps,
  few?: number,
): Validator {
  return new SchemaValidator(new PreparedSchemas({ formats, readPattern }), steps, few);
}

/** Walks through a value and its schema. */
class SchemaValidator implements Validator {
  readonly #schemas: PreparedSchemas;
  readonly #steps: Steps;
  readonly #few: number;
  /** Memoised results: `#plain` without, `#tracked` with the evaluated parts, which `unevaluatedProperties` needs. */
  #plain = new Map<PreparedSchema, Map<unknown, Result>>();
  #tracked = new Map<PreparedSchema, Map<unknown, Result>>();
  #memoised = 0;
  /** Memoised results that assume a reference to be valid, in the order in which they were found. */
  #supposing: { supposes: number; from: Map<unknown, Result>; value: unknown }[] = [];
  /**
   * The JSON texts in strings that were parsed, by encoding and string: each is parsed once, and its value is one
   * object. JSON text within JSON text is shorter than it, so their nesting is finite.
   */
  #texts = new Map<string, ParsedJson>();
  /** Lowest `supposes` of the results in the present evaluation. */
  #lowest = Infinity;
  #asked = 0;
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
    // Evaluates the value without the results memoised before: they can't be trusted if the validator ran out of steps.
    this.#holds(value, prepared, undefined, false);
    const holds = (part: unknown, schema: PreparedSchema): boolean => this.#holds(part, schema, undefined, true);
    return locateViolation(value, prepared, holds, this.#parse);
  };

  readonly within = (steps: Steps): Validator => new SchemaValidator(this.#schemas, steps, this.#few);

  /** As `isValid`, of a prepared schema. Parts that a valid schema evaluates are added to `evaluated`. */
  #holds(value: unknown, schema: PreparedSchema, evaluated: Evaluated | undefined, keeps: boolean): boolean {
    this.#depth = 0;
    this.#lowest = Infinity;
    this.#run = ++this.#schemas.runs;
    if (!keeps) {
      this.#asked = 0;
      if (this.#memoised > 0) this.#forget();
      if (this.#texts.size > 0) this.#texts = new Map();
    }
    return this.#ask(value, schema, evaluated);
  }

  #forget(): void {
    this.#forgetMemoised();
    this.#supposing = [];
  }

  /**
   * Drops the memoised results, but keeps `#supposing`: references that are being validated remember positions in it.
   */
  #forgetMemoised(): void {
    this.#plain = new Map();
    this.#tracked = new Map();
    this.#memoised = 0;
  }

  #ask(value: unknown, schema: PreparedSchema, outer?: Evaluated): boolean {
    spend(this.#steps, 1);
    if (schema.schema.never !== undefined) return false;
    const { keywords } = schema;
    if (++this.#asked <= this.#few || !isShared(value, keywords)) return this.#evaluate(value, keywords, outer);
    const results = outer === undefined ? this.#plain : this.#tracked;
    let byValue = results.get(schema);
    if (byValue === undefined) results.set(schema, byValue = new Map());
    const result = byValue.get(value) ?? this.#memoise(value, keywords, outer !== undefined, byValue);
    this.#lowest = Math.min(this.#lowest, result.supposes);
    if (result.isValid && outer !== undefined && result.evaluated !== undefined) addTo(outer, result.evaluated);
    return result.isValid;
  }

  #memoise(value: unknown, keywords: PreparedKeywords, isTracked: boolean, byValue: Map<unknown, Result>): Result {
    const before = this.#lowest;
    this.#lowest = Infinity;
    const evaluated = isTracked ? nothingEvaluated() : undefined;
    const isValid = this.#evaluate(value, keywords, evaluated);
    const result: Result = { isValid, evaluated, supposes: this.#lowest };
    this.#lowest = before;
    if (this.#memoised++ >= MOST_MEMOISED) this.#forgetMemoised();
    byValue.set(value, result);
    if (result.supposes < Infinity) this.#supposing.push({ supposes: result.supposes, from: byValue, value });
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

  /** Checks the keywords that are about values of one type. */
  #evaluateParts(
    value: unknown,
    { assertions, content, items, properties }: PreparedKeywords,
    evaluated: Evaluated | undefined,
  ): boolean {
    if (typeof value === "string") {
      return allHold(value, assertions.string) && (content === undefined || this.#evaluateContent(value, content));
    }
    if (typeof value === "number") return allHold(value, assertions.number);
    if (Array.isArray(value)) {
      return allHold(value, assertions.array) && (items === undefined || this.#evaluateItems(value, items, evaluated));
    }
    if (!isObject(value)) return true;
    return allHold(value, assertions.object) &&
      (properties === undefined || this.#evaluateProperties(value, properties, evaluated));
  }

  #evaluateContent(text: string, content: ContentKeywords): boolean {
    const parsed = this.#parse(text, content);
    return parsed.kind === "value" && this.#ask(parsed.value, content.schema);
  }

  readonly #parse = (text: string, { encoding }: ContentKeywords): ParsedJson => {
    const key = `${encoding} ${text}`;
    let parsed = this.#texts.get(key);
    if (parsed !== undefined) return parsed;
    spend(this.#steps, stepsToParse(text));
    if (this.#texts.size >= MOST_TEXTS) this.#texts = new Map();
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
      if (part !== undefined && !this.#ask(value[index], part)) return false;
      evaluated?.items.add(index);
    }
    if (contains === undefined) return true;
    let found = 0;
    for (let index = 0; index < value.length; index++) {
      if (!this.#ask(value[index], contains)) continue;
      found++;
      evaluated?.items.add(index);
    }
    return found >= minContains && found <= maxContains;
  }

  #evaluateProperties(value: JsonObject, keywords: PropertyKeywords, evaluated: Evaluated | undefined): boolean {
    const { properties, patterns, additionalProperties, propertyNames } = keywords;
    const isOpen = propertyNames === undefined && patterns.length === 0 && additionalProperties === undefined;
    if (isOpen && evaluated === undefined) {
      // Looks up only the declared properties: listing all names of a large object for each member of an `anyOf` takes
      // long.
      for (const [name, part] of properties ?? []) {
        if (Object.hasOwn(value, name) && !this.#ask(value[name], part)) return false;
      }
      return true;
    }
    const names = Object.keys(value);
    if (propertyNames !== undefined && !names.every((name) => this.#ask(name, propertyNames))) return false;
    if (patterns.length > 0) {
      spend(this.#steps, names.length * patterns.length);
      return names.every((name) => {
        const parts = schemasOfProperty(name, keywords);
        if (parts.length > 0) evaluated?.names.add(name);
        return parts.every((part) => this.#ask(value[name], part));
      });
    }
    for (const name of names) {
      const part = properties?.get(name) ?? additionalProperties;
      if (part === undefined) continue;
      evaluated?.names.add(name);
      if (!this.#ask(value[name], part)) return false;
    }
    return true;
  }

  #evaluateInPlace(value: unknown, keywords: InPlaceKeywords, evaluated: Evaluated | undefined): boolean {
    const { references, allOf, anyOf, oneOf, not, dependentSchemas } = keywords;
    for (const target of references) if (!this.#askTarget(value, target(), evaluated)) return false;
    for (const member of allOf) if (!this.#ask(value, member, evaluated)) return false;
    if (anyOf !== undefined && !this.#askAny(value, anyOf, evaluated)) return false;
    if (oneOf !== undefined && oneOf.filter((member) => this.#ask(value, member, evaluated)).length !== 1) return false;
    if (not !== undefined && this.#ask(value, not)) return false;
    if (keywords.if !== undefined) {
      const branch = this.#ask(value, keywords.if, evaluated) ? keywords.then : keywords.else;
      if (branch !== undefined && !this.#ask(value, branch, evaluated)) return false;
    }
    if (dependentSchemas.length > 0 && isObject(value)) {
      for (const [name, member] of dependentSchemas) {
        if (Object.hasOwn(value, name) && !this.#ask(value, member, evaluated)) return false;
      }
    }
    return true;
  }

  /** Checks `anyOf`: all members where the evaluated parts are tracked, else up to the first valid one. */
  #askAny(value: unknown, members: readonly PreparedSchema[], evaluated: Evaluated | undefined): boolean {
    if (evaluated === undefined) return members.some((member) => this.#ask(value, member));
    return members.filter((member) => this.#ask(value, member, evaluated)).length > 0;
  }

  #askTarget(value: unknown, target: PreparedSchema | undefined, evaluated: Evaluated | undefined): boolean {
    if (target === undefined) return true;
    const outer = target.open?.run === this.#run ? target.open : undefined;
    // A cycle: the same schema and value again. It adds no constraint, so the result assumes that the reference is
    // valid.
    if (outer !== undefined && outer.value === value) {
      outer.isSupposed = true;
      this.#lowest = Math.min(this.#lowest, outer.index);
      return true;
    }
    const before = this.#lowest;
    const first = this.#supposing.length;
    const open = { value, run: this.#run, index: this.#depth++, isSupposed: false, outer };
    this.#lowest = Infinity;
    target.open = open;
    const isValid = this.#ask(value, target, evaluated);
    this.#depth--;
    target.open = outer;
    if (open.isSupposed) this.#forgetSupposing(open.index, isValid, first);
    this.#lowest = Math.min(before, this.#lowest < open.index ? this.#lowest : Infinity);
    return isValid;
  }

  /**
   * Called when the validation of a reference has ended. Drops the memoised results, from the position `first` on, that
   * assumed the reference to be valid. If it is valid, those that also assume an outer reference are kept.
   */
  #forgetSupposing(index: number, isValid: boolean, first: number): void {
    for (const result of this.#supposing.splice(first)) {
      if (isValid && result.supposes < index) this.#supposing.push(result);
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
        if (!evaluated.items.has(index) && !this.#ask(item, unevaluatedItems)) return false;
        evaluated.items.add(index);
      }
    }
    if (unevaluatedProperties !== undefined && isObject(value)) {
      for (const name of Object.keys(value)) {
        if (!evaluated.names.has(name) && !this.#ask(value[name], unevaluatedProperties)) return false;
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

/**
 * Whether a schema has subschemas that apply to this value or its parts, so that memoising its result may save work.
 */
function isShared(value: unknown, { isCombined, inPlace }: PreparedKeywords): boolean {
  return isCombined && (inPlace !== undefined || (typeof value === "object" && value !== null));
}

/** The schemas that `properties`, `patternProperties` and `additionalProperties` have for a property. */
export function partsOf(name: string, schema: Schema, matches: (text: string, pattern: string) => boolean): Schema[] {
  const parts: Schema[] = [];
  const declared = schema.properties?.get(name);
  if (declared !== undefined) parts.push(declared);
  for (const [pattern, part] of schema.patternProperties ?? []) if (matches(name, pattern)) parts.push(part);
  if (parts.length === 0 && schema.additionalProperties !== undefined) parts.push(schema.additionalProperties);
  return parts;
}
