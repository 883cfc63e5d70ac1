import type { SchemaDocument } from "./dialect.ts";
import {
  type AjvError,
  loadValidators,
  type Validate,
  type Validators,
  type ValidatorSteps,
} from "./ajv_validators.ts";
import type { Node } from "./node.ts";
import { escapeToken } from "./pointer.ts";
import { loadFormats } from "./format.ts";
import { createValidator, type IsValid } from "./validator.ts";
import { type Fault, locate } from "./locate.ts";
import { loadPatternReader } from "../regexp/pattern.ts";
import { createSchemaReader, type SchemaReader } from "./schema_reader.ts";
import type { Direction } from "./schema.ts";
import { type Steps, withinSteps } from "./steps.ts";

/** What a value breaks, and where. */
export interface Violation {
  /** Location in the value, one token for each level. */
  path: string[];
  /** The keyword that is broken; `readOnly` or `writeOnly` for a property that this direction doesn't have. */
  keyword: string;
  /** What the value must be: `must be string`. */
  message: string;
  /** JSON Pointer of the keyword in the source that holds the schema. */
  schema: string;
  /** The value is to be accepted all the same. */
  severity?: "Warning";
}

/**
 * Checks a value against one schema; no violations means that it is valid. Of a large value, and of a value with very
 * many, not all violations are told.
 */
export type Check = (value: unknown) => Violation[];

/** Compiles schemas of one document. */
export interface SchemaCompiler {
  /**
   * The check of a schema. Costs nothing until the check is first used, and then what the parts of the schema cost
   * that the value reaches: what a `$ref` leads to is compiled when a value first comes there, once for all schemas.
   */
  readonly compile: (schema: Node, direction: Direction) => Check;
}

/** How a compiler checks values. */
export interface SchemaCompilerOptions {
  /**
   * Whether a `readOnly` property refuses a request, or is a warning. The specification says that it should not be sent.
   * Default: `refused`.
   */
  readOnly?: "refused" | "warned";
  /**
   * Steps that are left for telling what is wrong with values, all of them together: of those after, only where they
   * break the schema is told. Default: each value has steps of its own.
   */
  work?: Steps;
}

/** Violations beyond this number are left out. */
const MOST_VIOLATIONS = 100;
/** A value with more parts than this gets only its first violation: collecting all of them would take too long. */
const MOST_PARTS = 5_000;
/**
 * Ajv's budget for one value. `schemas`: schemas compiled for it. Calls of validators: `least` and `each` part of the
 * value; `large` for a value with more than {@linkcode MOST_PARTS} parts.
 */
const STEPS = { schemas: 3_000, least: 20_000, each: 20, large: 400_000 };
/** The same budget for our validator, which asks each schema about each part of the value once. */
const FIT_STEPS = { least: 300_000, each: 50, large: 6_000_000 };

/**
 * Makes a compiler of a document's schemas, in whichever dialects they are written. Imports Ajv.
 *
 * @param document The definition that the schemas are from.
 * @param options How much work it may take.
 * @returns The compiler; each of its checks is made once.
 */
export async function createSchemaCompiler(
  document: SchemaDocument,
  { readOnly = "refused", work }: SchemaCompilerOptions = {},
): Promise<SchemaCompiler> {
  const [createValidators, formats, readPattern] = await Promise.all([
    loadValidators(),
    loadFormats(),
    loadPatternReader(),
  ]);
  const steps: ValidatorSteps = { left: 0, schemas: 0 };
  const telling: Validators = createValidators("all", steps);
  let quick: Validators | undefined;
  const { isValid } = createValidator(formats, readPattern, steps);
  const matches = (text: string, pattern: string): boolean => readPattern(pattern)?.test(text) ?? true;
  const readers: Record<Direction, SchemaReader> = {
    request: createSchemaReader(document, "request"),
    response: createSchemaReader(document, "response"),
  };
  let tolerant: SchemaReader | undefined;
  const checks: Record<Direction, Map<string, Check>> = { request: new Map(), response: new Map() };

  return {
    compile: (node, direction) => {
      const key = `${node.source.uri}#${node.pointer}`;
      let check = checks[direction].get(key);
      if (check === undefined) {
        check = createCheck(node, () => readers[direction]);
        if (direction === "request" && readOnly === "warned") {
          check = tolerateReadOnly(check, createTolerantCheck(node));
        }
        checks[direction].set(key, check);
      }
      return check;
    },
  };

  /** The check of a request that takes `readOnly` properties for properties like any other. */
  function createTolerantCheck(node: Node): Check {
    return createCheck(node, () => tolerant ??= createSchemaReader(document, "request", "described"));
  }

  function createCheck(node: Node, readerOf: () => SchemaReader): Check {
    let tellAll: Validate | undefined;
    let tellFirst: Validate | undefined;
    return (value) => {
      const parts = countParts(value, MOST_PARTS);
      const isLarge = parts > MOST_PARTS;
      const most = ({ least, each, large }: typeof FIT_STEPS): number => isLarge ? large : least + each * parts;
      steps.schemas = STEPS.schemas;
      return (isLarge ? undefined : tell(checkAll)) ?? tell(checkFirst) ?? checkFit();

      function tell(check: () => Violation[]): Violation[] | undefined {
        const allowed = Math.min(most(STEPS), work?.left ?? Infinity);
        steps.left = allowed;
        const violations = withinSteps<Violation[] | undefined>(check, () => undefined);
        if (work !== undefined) work.left -= allowed - Math.max(0, steps.left);
        return violations;
      }

      function checkAll(): Violation[] {
        tellAll ??= telling.create(readerOf().read(node));
        return violationsOf(telling, tellAll, value);
      }

      function checkFirst(): Violation[] {
        quick ??= createValidators("first", steps);
        tellFirst ??= quick.create(readerOf().read(node));
        return violationsOf(quick, tellFirst, value);
      }

      /** Where there are too many ways through the schema, only whether the value fits can be told. */
      function checkFit(): Violation[] {
        steps.left = most(FIT_STEPS);
        return withinSteps(
          () => {
            const schema = readerOf().read(node);
            if (isValid(value, schema)) return [];
            const again: IsValid = (part, schema) => isValid(part, schema, true);
            return [toViolationOf(locate(value, schema, again, matches))];
          },
          () => [unchecked(node)],
        );
      }
    };
  }
}

/**
 * Makes a check for which `readOnly` properties are warnings. Only a value that has some is checked a second time: a
 * branch of `oneOf`, say, may hold but for them.
 */
function tolerateReadOnly(strict: Check, tolerant: Check): Check {
  return (value) => {
    const found = strict(value);
    const readOnly = new Map<string, Violation>();
    for (const violation of found) {
      if (violation.keyword === "readOnly") readOnly.set(JSON.stringify(violation.path), violation);
    }
    if (readOnly.size === 0) return found;
    /** A server ignores the property, so faults within its value don't matter. */
    const isIgnored = ({ path }: Violation): boolean =>
      path.some((_, index) => readOnly.has(JSON.stringify(path.slice(0, index + 1))));
    return [
      ...tolerant(value).filter((violation) => !isIgnored(violation)),
      ...[...readOnly.values()].map((violation): Violation => ({ ...violation, severity: "Warning" })),
    ];
  };
}

/** Says that a part of a value breaks its schema, where there are too many ways through the schema to say why. */
function toViolationOf({ path, schema: { node: { pointer }, never = "false" } }: Fault): Violation {
  const keyword = never === "false" ? "schema" : never;
  return { path, keyword, message: `must fit its schema (${pointer || "/"})`, schema: pointer };
}

function unchecked({ pointer }: Node): Violation {
  const message = `can't be checked: its schema (${pointer || "/"}) takes too many steps`;
  return { path: [], keyword: "schema", message, schema: pointer };
}

/** Counts the values in a value, itself included, up to one more than a number. */
function countParts(value: unknown, most: number): number {
  let count = 0;
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (++count > most) return count;
    if (typeof next !== "object" || next === null) continue;
    const parts: unknown[] = Array.isArray(next) ? next : Object.values(next);
    if (count + parts.length > most) return most + 1;
    pending.push(...parts);
  }
  return count;
}

function violationsOf({ schemaOf }: Validators, validate: Validate, value: unknown): Violation[] {
  if (validate(value) === true) return [];
  return (validate.errors ?? []).slice(0, MOST_VIOLATIONS).map((error) => toViolation(error, schemaOf));
}

function toViolation(error: AjvError, schemaOf: Validators["schemaOf"]): Violation {
  const schema = schemaOf(error.parentSchema);
  const path = error.instancePath.split("/").slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  return {
    path,
    keyword: error.keyword,
    message: messageOf(error),
    schema: schema === undefined ? "" : `${schema.node.pointer}/${escapeToken(error.keyword)}`,
  };
}

function messageOf({ message, keyword, params }: AjvError): string {
  const text = message ?? `must pass "${keyword}"`;
  if (keyword === "additionalProperties") return `${text}: ${JSON.stringify(params["additionalProperty"])}`;
  if (keyword === "unevaluatedProperties") return `${text}: ${JSON.stringify(params["unevaluatedProperty"])}`;
  if (keyword === "enum") return `${text}: ${listed(params["allowedValues"])}`;
  if (keyword === "const") return `${text}: ${JSON.stringify(params["allowedValue"])}`;
  return text;
}

function listed(values: unknown): string {
  if (!Array.isArray(values)) return "";
  const shown = values.slice(0, 10).map((value) => JSON.stringify(value)).join(", ");
  return values.length > 10 ? `${shown}, …` : shown;
}
