import type { Assertion } from "./assertion.ts";
import { addTo, type Evaluated, nothingEvaluated } from "./evaluated.ts";
import type { ParsedJson } from "./json/json.ts";
import { isObject, type JsonObject } from "./json/node.ts";
import { escapeToken } from "./json/pointer.ts";
import {
  type ContentKeywords,
  type InPlaceKeywords,
  type ItemKeywords,
  type PreparedKeywords,
  type PreparedSchema,
  type PropertyKeywords,
  schemasOfProperty,
} from "./prepared_schema.ts";
import type { Schema } from "./schema.ts";
import { spend, type Steps } from "../regexp/steps.ts";
import { neverViolation, type Violation, violationOf } from "./violation.ts";
import { writeJson } from "./json/json.ts";
import { isNumber } from "./json/value.ts";

/** Tells whether a value is valid against a schema. If so, adds the parts that the schema evaluates to `evaluated`. */
type Holds = (value: unknown, schema: PreparedSchema, evaluated?: Evaluated) => boolean;

type Parse = (text: string, content: ContentKeywords) => ParsedJson;

/**
 * Collects the violations of an invalid value. The validator calls it only for invalid values, since it takes longer
 * than finding out whether a value is valid.
 */
export class ViolationReporter {
  readonly violations: Violation[] = [];
  readonly #holds: Holds;
  readonly #parse: Parse;
  readonly #steps: Steps;
  readonly #most: number;
  readonly #path: string[] = [];
  /**
   * Identifies the current value in caches: its path as a JSON Pointer, with a suffix where two values have one path,
   * such as a string and the JSON text in it.
   */
  #pointer = "";
  /** The property name that is being validated against `propertyNames`. */
  #name: string | undefined;
  /** Keys of the violations reported so far: a schema may be reached on several paths of references. */
  readonly #reported = new Set<string>();
  /**
   * The values reported so far, by schema and by pointer, with their evaluated parts (`undefined` if these aren't
   * needed): a schema reports a value only once. `#tracked` is for schemas whose evaluated parts an enclosing schema
   * needs.
   */
  readonly #plain = new Map<PreparedSchema, Map<string, Evaluated | undefined>>();
  readonly #tracked = new Map<PreparedSchema, Map<string, Evaluated | undefined>>();

  /**
   * @param holds Validates a value against a branch.
   * @param parse Parses the JSON text in a string.
   * @param steps The budget: reporting on each schema takes a step.
   * @param most Violations beyond this number are left out.
   */
  constructor(holds: Holds, parse: Parse, steps: Steps, most: number) {
    this.#holds = holds;
    this.#parse = parse;
    this.#steps = steps;
    this.#most = most;
  }

  /**
   * Reports the violations of a value against a schema.
   *
   * @param outer The evaluated parts to add to. An invalid part is added too: otherwise `unevaluatedProperties` would
   * report it again.
   */
  report(value: unknown, schema: PreparedSchema, outer?: Evaluated): void {
    if (this.violations.length >= this.#most) return;
    spend(this.#steps, 1);
    if (schema.schema.never !== undefined) return this.#add(neverViolation(this.#path, schema.schema));
    const { keywords } = schema;
    if (!keywords.isCombined) return this.#reportKeywords(value, schema.schema, keywords, undefined);
    const results = outer === undefined ? this.#plain : this.#tracked;
    let byPointer = results.get(schema);
    if (byPointer === undefined) results.set(schema, byPointer = new Map());
    if (!byPointer.has(this.#pointer)) {
      const isTracked = (outer ?? keywords.unevaluatedItems ?? keywords.unevaluatedProperties) !== undefined;
      const evaluated = isTracked ? nothingEvaluated() : undefined;
      byPointer.set(this.#pointer, evaluated);
      this.#reportKeywords(value, schema.schema, keywords, evaluated);
    }
    const evaluated = byPointer.get(this.#pointer);
    if (outer !== undefined && evaluated !== undefined) addTo(outer, evaluated);
  }

  #reportKeywords(value: unknown, schema: Schema, keywords: PreparedKeywords, evaluated: Evaluated | undefined): void {
    const { assertions, content, items, properties, inPlace } = keywords;
    if (isNumber(value)) this.#assert(value, schema, assertions.number);
    if (typeof value === "string") {
      this.#assert(value, schema, assertions.string);
      if (content !== undefined) this.#reportContent(value, schema, content);
    }
    this.#assert(value, schema, assertions.any);
    if (inPlace !== undefined) this.#reportInPlace(value, schema, inPlace, evaluated);
    if (Array.isArray(value)) {
      this.#assert(value, schema, assertions.array);
      if (items !== undefined) this.#reportItems(value, schema, items, evaluated);
    } else if (isObject(value)) {
      this.#assert(value, schema, assertions.object);
      if (properties !== undefined) this.#reportProperties(value, schema, properties, evaluated);
    }
    if (evaluated !== undefined) this.#reportUnevaluated(value, schema, keywords, evaluated);
  }

  #push(schema: Schema, keyword: string, message: string, property = this.#name): void {
    this.#add(violationOf(this.#path, schema, keyword, message, property));
  }

  #add(violation: Violation): void {
    const key = `${this.#pointer} ${violation.schema} ${violation.message}`;
    if (this.violations.length >= this.#most || this.#reported.has(key)) return;
    this.#reported.add(key);
    this.violations.push(violation);
  }

  #assert<Value>(value: Value, schema: Schema, assertions: readonly Assertion<Value>[]): void {
    for (const { keyword, holds, messages, missing } of assertions) {
      if (holds(value)) continue;
      const properties = missing?.(value);
      messages(value).forEach((message, index) => this.#push(schema, keyword, message, properties?.[index]));
    }
  }

  /**
   * Reports violations in the JSON text of a string. Their path continues the path of the string. Their pointer has an
   * empty token in between, so that caches tell the parsed value from the string.
   */
  #reportContent(text: string, schema: Schema, content: ContentKeywords): void {
    const parsed = this.#parse(text, content);
    if (parsed.kind !== "value") {
      return this.#push(schema, "contentMediaType", `must hold JSON (${content.mediaType}), but ${parsed.reason}`);
    }
    const outer = this.#pointer;
    this.#pointer = `${outer}/`;
    this.report(parsed.value, content.schema);
    this.#pointer = outer;
  }

  #reportPart(value: unknown, token: string | number, schema: PreparedSchema): void {
    const outer = this.#pointer;
    this.#path.push(String(token));
    this.#pointer = `${outer}/${escapeToken(token)}`;
    this.report(value, schema);
    this.#pointer = outer;
    this.#path.pop();
  }

  #reportItems(
    value: readonly unknown[],
    schema: Schema,
    { prefixItems, items, contains, minContains, maxContains }: ItemKeywords,
    evaluated: Evaluated | undefined,
  ): void {
    const isClosed = items?.schema.never === "false" && prefixItems.length > 0;
    for (const [index, item] of value.entries()) {
      const part = prefixItems[index] ?? (isClosed ? undefined : items);
      if (part !== undefined) this.#reportPart(item, index, part);
      if (part !== undefined || isClosed) evaluated?.items.add(index);
    }
    if (isClosed && value.length > prefixItems.length) {
      this.#push(schema, "items", `must NOT have more than ${prefixItems.length} items`);
    }
    if (contains === undefined) return;
    const matching = [...value.keys()].filter((index) => this.#holds(value[index], contains));
    matching.forEach((index) => evaluated?.items.add(index));
    if (matching.length >= minContains && matching.length <= maxContains) return;
    if (matching.length < minContains) {
      const others = new Set(matching);
      value.forEach((item, index) => others.has(index) || this.#reportPart(item, index, contains));
    }
    const most = maxContains === Infinity ? "" : ` and no more than ${maxContains}`;
    this.#push(schema, "contains", `must contain at least ${minContains}${most} valid item(s)`);
  }

  #reportProperties(
    value: JsonObject,
    schema: Schema,
    keywords: PropertyKeywords,
    evaluated: Evaluated | undefined,
  ): void {
    const { patterns, propertyNames, additionalProperties } = keywords;
    const names = Object.keys(value);
    spend(this.#steps, names.length * patterns.length);
    if (propertyNames !== undefined) {
      for (const name of names) this.#reportName(name, schema, propertyNames);
    }
    const isClosed = additionalProperties?.schema.never === "false";
    for (const name of names) {
      for (const part of schemasOfProperty(name, keywords)) {
        evaluated?.names.add(name);
        if (part !== additionalProperties || !isClosed) this.#reportPart(value[name], name, part);
        else {
          const message = `must NOT have additional properties: ${writeJson(name)}`;
          this.#push(schema, "additionalProperties", message, name);
        }
      }
    }
  }

  /**
   * Reports violations of `propertyNames`, at the path of the object. The name is appended to the pointer, so that
   * caches tell the names apart.
   */
  #reportName(name: string, schema: Schema, propertyNames: PreparedSchema): void {
    if (this.#holds(name, propertyNames)) return;
    const outer = this.#pointer;
    this.#pointer = `${outer}/${escapeToken(name)}#`;
    this.#name = name;
    this.report(name, propertyNames);
    this.#push(schema, "propertyNames", "property name must be valid");
    this.#name = undefined;
    this.#pointer = outer;
  }

  #reportInPlace(
    value: unknown,
    schema: Schema,
    { references, allOf, anyOf, oneOf, not, dependentSchemas, ...condition }: InPlaceKeywords,
    evaluated: Evaluated | undefined,
  ): void {
    if (not !== undefined && this.#holds(value, not)) this.#push(schema, "not", "must NOT be valid");
    if (anyOf !== undefined && this.#reportAnyOf(value, anyOf, evaluated) === 0) {
      this.#push(schema, "anyOf", "must match a schema in anyOf");
    }
    const fitting = oneOf === undefined ? 1 : this.#reportOneOf(value, oneOf, evaluated);
    if (fitting === 0) this.#push(schema, "oneOf", "must match exactly one schema in oneOf");
    if (fitting > 1) this.#push(schema, "oneOf", `fits ${fitting} schemas of oneOf; exactly one is allowed`);
    for (const member of allOf) this.report(value, member, evaluated);
    if (condition.if !== undefined) {
      const holds = this.#holds(value, condition.if, evaluated);
      const branch = holds ? condition.then : condition.else;
      if (branch !== undefined && !this.#holds(value, branch, evaluated)) {
        this.report(value, branch, evaluated);
        this.#push(schema, "if", `must match "${holds ? "then" : "else"}" schema`);
      }
    }
    for (const reference of references) {
      const target = reference();
      if (target !== undefined) this.report(value, target, evaluated);
    }
    for (const [name, member] of isObject(value) ? dependentSchemas : []) {
      if (isObject(value) && Object.hasOwn(value, name)) this.report(value, member, evaluated);
    }
  }

  /** Reports the violations of all branches of `anyOf`, unless one is valid. Returns the number of valid branches. */
  #reportAnyOf(value: unknown, branches: readonly PreparedSchema[], evaluated: Evaluated | undefined): number {
    const valid = branches.filter((branch) => this.#holds(value, branch, evaluated));
    if (valid.length === 0) branches.forEach((branch) => this.report(value, branch, evaluated));
    return valid.length;
  }

  /**
   * Reports the violations of all branches of `oneOf`, if none is valid. Returns the number of valid branches.
   */
  #reportOneOf(value: unknown, branches: readonly PreparedSchema[], evaluated: Evaluated | undefined): number {
    const valid = new Set(branches.filter((branch) => this.#holds(value, branch, evaluated)));
    if (valid.size === 0) branches.forEach((branch) => this.report(value, branch, evaluated));
    return branches.filter((branch) => valid.has(branch)).length;
  }

  #reportUnevaluated(
    value: unknown,
    schema: Schema,
    { unevaluatedItems, unevaluatedProperties }: PreparedKeywords,
    evaluated: Evaluated,
  ): void {
    if (unevaluatedItems !== undefined && Array.isArray(value)) {
      const rest = [...value.keys()].filter((index) => !evaluated.items.has(index));
      if (unevaluatedItems.schema.never !== "false") {
        rest.forEach((index) => this.#reportPart(value[index], index, unevaluatedItems));
      } else if (rest.length > 0) {
        this.#push(schema, "unevaluatedItems", `must NOT have more than ${evaluated.items.size} items`);
      }
      rest.forEach((index) => evaluated.items.add(index));
    }
    if (unevaluatedProperties === undefined || !isObject(value)) return;
    for (const name of Object.keys(value).filter((name) => !evaluated.names.has(name))) {
      if (unevaluatedProperties.schema.never !== "false") this.#reportPart(value[name], name, unevaluatedProperties);
      else {
        const message = `must NOT have unevaluated properties: ${writeJson(name)}`;
        this.#push(schema, "unevaluatedProperties", message, name);
      }
      evaluated.names.add(name);
    }
  }
}
