import { loadPatternReader } from "../regexp/pattern.ts";
import type { SchemaDocument } from "./dialect.ts";
import { loadFormats } from "./format.ts";
import type { Node } from "./node.ts";
import type { Direction } from "./schema.ts";
import { createSchemaReader, type SchemaReader } from "./schema_reader.ts";
import { type Steps, withinSteps } from "./steps.ts";
import { createValidator, type Validator } from "./validator.ts";
import type { Violation } from "./violation.ts";

/**
 * Checks a value against one schema; no violations means that the value is valid. Of very many violations only the
 * first are reported.
 */
export type Check = (value: unknown) => Violation[];

/** Validates values against the schemas of one document. */
export interface DocumentValidator {
  /**
   * The check of a schema. Schemas are prepared lazily: at the first use of the check, and only the subschemas that the
   * value reaches.
   */
  readonly checkOf: (schema: Node, direction: Direction) => Check;
}

/** How values are checked. */
export interface DocumentValidatorOptions {
  /**
   * Whether a `readOnly` property in a request is a violation (`refused`) or a warning (`warned`). The specification
   * says that the property should not be sent. Default: `refused`.
   */
  readOnly?: "refused" | "warned";
  /**
   * Budget for reporting violations, in steps, which all values share. When it is spent, a report only names the schema
   * that a value breaks. Default: each value has a budget of its own.
   */
  work?: Steps;
}

/** Violations beyond this number are left out. */
export const MOST_VIOLATIONS = 100;
/**
 * A budget in steps for one value: `each` steps for each part of the value, but at least `least` and at most `most`.
 */
interface Budget {
  readonly least: number;
  readonly each: number;
  readonly most: number;
}
/** Steps for finding out whether a value is valid, and once more for finding the part that isn't. */
const STEPS: Budget = { least: 300_000, each: 50, most: 6_000_000 };
/** Steps for collecting violations. A schema with too many combinations of branches (`oneOf`, `anyOf`) exceeds them. */
const REPORT_STEPS: Budget = { least: 20_000, each: 20, most: 2_000_000 };

/**
 * Makes a validator for a document's schemas, in whichever dialects they are written.
 *
 * @param document The definition that the schemas are from.
 * @returns The validator; each of its checks is made once.
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
  /** Reads `readOnly` properties like any other; `undefined` where they are refused. */
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
    // Most values are valid within the least budget. Their parts aren't counted, as counting takes about as long as
    // checking.
    let isValid = this.#isValid(value, node, reader, STEPS.least);
    if (isValid === true) return [];
    const parts = countParts(value, STEPS.most / STEPS.each);
    isValid ??= this.#isValid(value, node, reader, stepsOf(STEPS, parts));
    if (isValid === true) return [];
    const violations = isValid === false ? this.#report(value, node, reader, parts) : undefined;
    return violations ?? [this.#locate(value, node, reader, parts)];
  }

  /** Tells whether a value is valid; `undefined` where that takes too many steps. */
  #isValid(value: unknown, node: Node, reader: SchemaReader, steps: number): boolean | undefined {
    this.#steps.left = steps;
    return withinSteps<boolean | undefined>(
      () => this.#validator.isValid(value, reader.read(node)),
      () => undefined,
    );
  }

  /** Collects the violations of an invalid value; `undefined` where that takes too many steps. */
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

  /** Finds the part of a value that is invalid. Used where it takes too many steps to collect the violations. */
  #locate(value: unknown, node: Node, reader: SchemaReader, parts: number): Violation {
    this.#steps.left = stepsOf(STEPS, parts);
    return withinSteps(() => this.#validator.locate(value, reader.read(node)), () => unchecked(node));
  }
}

/**
 * Turns violations of `readOnly` into warnings. A value with such a violation is checked again without `readOnly`,
 * because its other violations may be consequences: a branch of `oneOf` may fail only because of a `readOnly` property.
 *
 * @param tolerant Checks the value with `readOnly` properties treated like any others.
 */
function warnOfReadOnly(strict: Violation[], tolerant: () => Violation[]): Violation[] {
  const readOnly = new Map<string, Violation>();
  for (const violation of strict) {
    if (violation.keyword === "readOnly") readOnly.set(JSON.stringify(violation.path), violation);
  }
  if (readOnly.size === 0) return strict;
  /**
   * Whether a violation is in the value of a `readOnly` property: as a server ignores the property, it doesn't matter.
   */
  const isIgnored = ({ path }: Violation): boolean =>
    path.some((_, index) => readOnly.has(JSON.stringify(path.slice(0, index + 1))));
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

/** The fewest characters that JSON text has for each value in it, as in `[1,1,1]`. */
const CHARACTERS_OF_VALUE = 2;

/**
 * Counts the values in a value, itself included, but only up to `most + 1`. A string counts as the number of values
 * that it may contain as JSON text.
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
