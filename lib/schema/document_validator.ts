import { loadPatternReader } from "../regexp/pattern.ts";
import type { SchemaDocument } from "./dialect.ts";
import { loadFormats } from "./format.ts";
import type { Node } from "./json/node.ts";
import type { Direction } from "./schema.ts";
import { createSchemaReader, type SchemaReader } from "./schema_reader.ts";
import { type Steps, withinSteps } from "../regexp/steps.ts";
import { createValidator, type Validator } from "./validator.ts";
import type { Violation } from "./violation.ts";
import { writeJson } from "./json/json.ts";

/**
 * Checks a value against one schema. Returns no violations for a valid value, and at most {@linkcode MOST_VIOLATIONS}
 * for an invalid one.
 */
export type Check = (value: unknown) => Violation[];

/** Validates values against the schemas of one document. */
export interface DocumentValidator {
  /**
   * Makes the check of a schema. The keywords of a schema are read when a value first reaches the schema, so that
   * making a check is cheap.
   */
  readonly checkOf: (schema: Node, direction: Direction) => Check;
}

export interface DocumentValidatorOptions {
  /**
   * Whether a `readOnly` property in a request is a violation (`refused`) or a warning (`warned`). The OpenAPI
   * Specification says that the property SHOULD NOT be sent. Default: `refused`.
   */
  readOnly?: "refused" | "warned";
  /**
   * Budget for reporting violations, in steps, shared by all values of this validator. When it is spent, a violation
   * only names the schema that the value breaks. Default: each value has a budget of its own.
   */
  work?: Steps;
}

/** Limit of the violations reported for one value. */
export const MOST_VIOLATIONS = 100;
/**
 * The budget in steps for one value: `least` steps, and `each` steps for each part of the value, but at most `most`.
 */
interface Budget {
  readonly least: number;
  readonly each: number;
  readonly most: number;
}
/** Budget for finding out whether a value is valid, and once more for finding the invalid part. */
const STEPS: Budget = { least: 300_000, each: 50, most: 6_000_000 };
/** Budget for collecting violations. A schema with too many combinations of branches (`oneOf`, `anyOf`) exceeds it. */
const REPORT_STEPS: Budget = { least: 20_000, each: 20, most: 2_000_000 };

/**
 * Makes a validator for the schemas of a document, which may be written in different dialects.
 *
 * @param document The definition that the schemas are from.
 * @returns The validator. It caches the check of each schema.
 */
export async function createDocumentValidator(
  document: SchemaDocument,
  options: DocumentValidatorOptions = {},
): Promise<DocumentValidator> {
  const [formats, readPattern] = await Promise.all([loadFormats(), loadPatternReader()]);
  return new DocumentChecks(document, createValidator(formats, readPattern), options);
}

class DocumentChecks implements DocumentValidator {
  readonly #steps: Steps = { left: 0 };
  readonly #validator: Validator;
  readonly #work: Steps | undefined;
  readonly #readers: Readonly<Record<Direction, SchemaReader>>;
  /**
   * Reads schemas as if they had no `readOnly`, to validate the rest of a request; `undefined` if `readOnly` properties
   * are refused.
   */
  readonly #tolerantReader: SchemaReader | undefined;
  readonly #checks: Readonly<Record<Direction, Map<string, Check>>> = { request: new Map(), response: new Map() };

  constructor(document: SchemaDocument, validator: Validator, { readOnly, work }: DocumentValidatorOptions) {
    this.#validator = validator.within(this.#steps);
    this.#work = work;
    this.#readers = {
      request: createSchemaReader(document, "request"),
      response: createSchemaReader(document, "response"),
    };
    if (readOnly === "warned") this.#tolerantReader = createSchemaReader(document, "request", "described");
  }

  readonly checkOf = (node: Node, direction: Direction): Check => {
    const key = `${node.source.uri}#${node.pointer}`;
    let check = this.#checks[direction].get(key);
    if (check === undefined) this.#checks[direction].set(key, check = this.#createCheck(node, direction));
    return check;
  };

  #createCheck(node: Node, direction: Direction): Check {
    const strict = (value: unknown): Violation[] => this.#check(value, node, this.#readers[direction]);
    const tolerantReader = this.#tolerantReader;
    if (direction !== "request" || tolerantReader === undefined) return strict;
    return (value) => warnOfReadOnly(strict(value), () => this.#check(value, node, tolerantReader));
  }

  #check(value: unknown, node: Node, reader: SchemaReader): Violation[] {
    // Tries the least budget first, which is enough for most values: counting the parts of a value, to compute its own
    // budget, takes about as long as validating it.
    let isValid = this.#isValid(value, node, reader, STEPS.least);
    if (isValid === true) return [];
    const parts = countParts(value, STEPS.most / STEPS.each);
    isValid ??= this.#isValid(value, node, reader, stepsOf(STEPS, parts));
    if (isValid === true) return [];
    const violations = isValid === false ? this.#report(value, node, reader, parts) : undefined;
    return violations ?? [this.#locate(value, node, reader, parts)];
  }

  /** Tells whether a value is valid; `undefined` if the budget in steps is spent. */
  #isValid(value: unknown, node: Node, reader: SchemaReader, steps: number): boolean | undefined {
    this.#steps.left = steps;
    return withinSteps<boolean | undefined>(
      () => this.#validator.isValid(value, reader.read(node)),
      () => undefined,
    );
  }

  /** Collects the violations of an invalid value; `undefined` if the budget in steps is spent. */
  #report(value: unknown, node: Node, reader: SchemaReader, parts: number): Violation[] | undefined {
    const allowed = Math.min(stepsOf(REPORT_STEPS, parts), this.#work?.left ?? Infinity);
    this.#steps.left = allowed;
    const violations = withinSteps<Violation[] | undefined>(
      () => this.#validator.violationsOf(value, reader.read(node), MOST_VIOLATIONS),
      () => undefined,
    );
    if (this.#work !== undefined) this.#work.left -= allowed - Math.max(0, this.#steps.left);
    return violations?.length === 0 ? undefined : violations;
  }

  /** Finds the invalid part of a value, for a value whose violations take too many steps to collect. */
  #locate(value: unknown, node: Node, reader: SchemaReader, parts: number): Violation {
    this.#steps.left = stepsOf(STEPS, parts);
    return withinSteps(() => this.#validator.locate(value, reader.read(node)), () => unchecked(node));
  }
}

/**
 * Turns violations of `readOnly` into warnings. A request with such a violation is validated again without `readOnly`,
 * because its other violations may be consequences: a branch of `oneOf` may fail only because of a `readOnly` property.
 *
 * @param tolerant Validates the request with `readOnly` properties treated like any others.
 */
function warnOfReadOnly(strict: Violation[], tolerant: () => Violation[]): Violation[] {
  const readOnly = new Map<string, Violation>();
  for (const violation of strict) {
    if (violation.keyword === "readOnly") readOnly.set(writeJson(violation.path), violation);
  }
  if (readOnly.size === 0) return strict;
  /**
   * Whether a violation is inside the value of a `readOnly` property. Servers ignore that value, so its violations are
   * left out.
   */
  const isIgnored = ({ path }: Violation): boolean =>
    path.some((_, index) => readOnly.has(writeJson(path.slice(0, index + 1))));
  return [
    ...tolerant().filter((violation) => !isIgnored(violation)),
    ...[...readOnly.values()].map((violation): Violation => ({ ...violation, severity: "Warning" })),
  ];
}

function unchecked({ pointer }: Node): Violation {
  const message = `can't be checked: its schema (${pointer || "/"}) takes too many steps`;
  return { path: [], keyword: "schema", message, schema: pointer };
}

function stepsOf({ least, each, most }: Budget, parts: number): number {
  return Math.min(most, least + each * parts);
}

/** The fewest characters of JSON text for each value in it, as in `[1,1,1]`. */
const CHARACTERS_OF_VALUE = 2;

/**
 * Counts the parts of a value, including the value, but only up to `most + 1`. A string counts as the number of values
 * that it may contain as JSON text, for `contentSchema`.
 */
function countParts(value: unknown, most: number): number {
  let count = 0;
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    count += typeof next === "string" ? 1 + Math.floor(next.length / CHARACTERS_OF_VALUE) : 1;
    if (count > most) return most + 1;
    if (typeof next !== "object" || next === null) continue;
    const parts: unknown[] = Array.isArray(next) ? next : Object.values(next);
    if (count + parts.length > most) return most + 1;
    for (const part of parts) pending.push(part);
  }
  return count;
}
