import type { GeneratedBody } from "./body.ts";

/**
 * Generates a body for a seed and an attempt. Attempt 0 gives the body that looks best, later attempts give others.
 */
export type GenerateAttempt = (attempt: number, seed: number) => Attempted;

/** The body of one attempt. */
export interface Attempted {
  readonly body: GeneratedBody;
  /** Values that the body has. */
  readonly values: number;
  /** The steps of work that the attempt took. */
  readonly work: number;
}

/** The seed and the options of a requested body. */
export interface BodyRequest {
  /** Identifies the schema and all options except `seed` and `arraySize`. */
  readonly key: string;
  readonly seed: number;
  readonly arraySize: number | undefined;
}

/** Seeds of a block: 0 to 9, 10 to 19 and so on. */
const BLOCK = 10;
/**
 * The most values in a small body. Larger bodies aren't compared with those of other seeds: they are unlikely to be
 * equal.
 */
const MOST_VALUES = 12;
/** The most steps of work of a small body: a body with more isn't generated again if it repeats another. */
const MOST_WORK = 25_000;
/** The most steps of work of a block for attempts after the first. */
const MOST_WORK_OF_BLOCK = 150_000;
/** The most attempts at a body that differs from those before it. */
const MOST_ATTEMPTS = 40;

/** The bodies of some seeds in a row. */
interface Block {
  readonly first: number;
  readonly arraySize: number | undefined;
  /** Small bodies, by the offset of their seed from `first`; `undefined` for a large body. */
  readonly bodies: (GeneratedBody | undefined)[];
  readonly texts: Set<string>;
  /** Steps of work of the attempts after the first. */
  work: number;
  /** Whether attempts at another body have failed: the schema allows no more, or hardly any. */
  isExhausted: boolean;
}

/**
 * Keeps small bodies from repeating: the ten seeds of a block have different bodies, as long as the schema allows as
 * many. The body of a seed doesn't depend on the seeds that were requested before: the bodies of all lower seeds of the
 * block are generated first.
 */
export class DistinctBodies {
  /** The latest block of each key. */
  readonly #blocks = new Map<string, Block>();

  /** The body of a seed. */
  get({ key, seed, arraySize }: BodyRequest, generate: GenerateAttempt): GeneratedBody {
    const first = Math.floor(seed / BLOCK) * BLOCK;
    let block = this.#blocks.get(key);
    if (block?.first !== first || block.arraySize !== arraySize) block = undefined;
    const known = block?.bodies[seed - first];
    if (known !== undefined) return known;
    const attempted = generate(0, seed);
    if (!isSmall(attempted) || !Number.isSafeInteger(seed)) return attempted.body;
    if (block === undefined) {
      block = { first, arraySize, bodies: [], texts: new Set(), work: 0, isExhausted: false };
      this.#blocks.set(key, block);
    }
    for (let next = first + block.bodies.length; next < seed; next++) {
      block.bodies.push(distinctBody(block, generate, next, generate(0, next)));
    }
    return block.bodies[seed - first] = distinctBody(block, generate, seed, attempted) ?? attempted.body;
  }
}

/**
 * The body of a seed that differs from the others of its block; `undefined` for a large body, which is likely to
 * differ.
 */
function distinctBody(
  block: Block,
  generate: GenerateAttempt,
  seed: number,
  first: Attempted,
): GeneratedBody | undefined {
  if (!isSmall(first)) return undefined;
  for (let attempt = 0; attempt < MOST_ATTEMPTS && !block.isExhausted; attempt++) {
    const { body, work } = attempt === 0 ? first : generate(attempt, seed);
    if (attempt > 0) block.work += work;
    if (block.work > MOST_WORK_OF_BLOCK) break;
    const text = body.kind === "body" ? JSON.stringify(body.value) : "";
    if (body.kind !== "body" || block.texts.has(text)) continue;
    block.texts.add(text);
    return body;
  }
  block.isExhausted = true;
  return first.body;
}

function isSmall({ body, values, work }: Attempted): boolean {
  return body.kind === "body" && values <= MOST_VALUES && work <= MOST_WORK;
}
