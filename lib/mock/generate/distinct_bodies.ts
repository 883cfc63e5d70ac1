import type { GeneratedBody } from "./body.ts";
import { writeJson } from "../../schema/json/json.ts";

/**
 * Generates a body for a seed and an attempt. Attempt 0 gives the most realistic body; later attempts give other
 * bodies.
 */
export type GenerateAttempt = (attempt: number, seed: number) => Attempted;

export interface Attempted {
  readonly body: GeneratedBody;
  /** Number of values in the body, nested ones included. */
  readonly values: number;
  readonly work: number;
}

/** A requested body: its seed, and the key and array size that identify its block. */
export interface BodyRequest {
  /** Identifies the schema and all options except `seed` and `arraySize`. */
  readonly key: string;
  readonly seed: number;
  readonly arraySize: number | undefined;
}

const SEEDS_PER_BLOCK = 10;
/**
 * The most values in a small body. Larger bodies aren't compared with bodies of other seeds, because larger bodies are
 * seldom equal.
 */
const MOST_VALUES = 12;
/**
 * The most steps of work for a small body. A body that took more isn't generated again if it equals the body of another
 * seed.
 */
const MOST_WORK = 25_000;
/** The most steps of work for all second and later attempts of a block. */
const MOST_WORK_OF_BLOCK = 150_000;
/** The most attempts at a body that differs from the other bodies of its block. */
const MOST_ATTEMPTS = 40;

/** The bodies of `SEEDS_PER_BLOCK` consecutive seeds. */
interface Block {
  readonly first: number;
  readonly arraySize: number | undefined;
  /** Small bodies, by the offset of their seed from `first`; `undefined` in place of a large body. */
  readonly bodies: (GeneratedBody | undefined)[];
  readonly texts: Set<string>;
  /** Steps of work of all second and later attempts. */
  work: number;
  /** Whether all attempts at another body failed. The schema allows hardly any other body, so no more are tried. */
  isExhausted: boolean;
}

/**
 * Makes sure that consecutive seeds give different small bodies: the bodies of the ten seeds of a block (0 to 9, 10 to
 * 19, ...) differ, if the schema allows ten bodies.
 *
 * The body of a seed doesn't depend on which seeds were requested before, because all lower seeds of its block are
 * generated first.
 */
export class DistinctBodies {
  readonly #blocks = new Map<string, Block>();

  get({ key, seed, arraySize }: BodyRequest, generate: GenerateAttempt): GeneratedBody {
    const first = Math.floor(seed / SEEDS_PER_BLOCK) * SEEDS_PER_BLOCK;
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
 * Generates a body for a seed that differs from the other bodies of its block. Returns `undefined` for a large body:
 * large bodies aren't compared.
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
    const text = body.kind === "body" ? writeJson(body.value) : "";
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
