import type { GeneratedBody } from "./body.ts";

/** Makes a body of a schema; each attempt at the body of a seed is another one, from 0, the one that looks best. */
export type Make = (attempt: number, seed: number) => Made;

/** A body, how many values it has, and what it took to make it. */
export interface Made {
  readonly body: GeneratedBody;
  readonly values: number;
  /** Steps of work. */
  readonly work: number;
}

/** Gives the body of a seed; `key` stands for the schema. */
export type Series = (key: string, asked: Asked, make: Make) => GeneratedBody;

/** Which body of a schema is asked for. */
export interface Asked {
  readonly seed: number;
  readonly arraySize: number | undefined;
}

/** Seeds in a row that are looked at together: 0 to 9, 10 to 19 and so on. */
const LENGTH = 10;
/** Values up to which a body may be the same as that of another seed by chance. */
const MOST_VALUES = 12;
/** Attempts at a body that is unlike those before it. */
const MOST_ATTEMPTS = 40;

/** Work up to which a body is made again, to be unlike others; and the work of all attempts of a row. */
const MOST_WORK = 25_000;
const MOST_WORK_OF_ROW = 150_000;

/** What the seeds from one on have made. */
interface Row {
  readonly first: number;
  readonly arraySize: number | undefined;
  /** Those that are small. */
  readonly bodies: (GeneratedBody | undefined)[];
  readonly texts: Set<string>;
  /** Steps of work of the attempts. */
  work: number;
  /** Whether attempts at another body have failed: the schema allows no more, or hardly any. */
  isExhausted: boolean;
}

/**
 * Makes what keeps small bodies from repeating: each of ten seeds in a row has another one, as long as the schema allows
 * as many. What a seed has is the same whichever seeds were asked for before.
 */
export function createSeries(): Series {
  const rows = new Map<string, Row>();
  return (key, { seed, arraySize }, make) => {
    const first = Math.floor(seed / LENGTH) * LENGTH;
    let row = rows.get(key);
    if (row?.first !== first || row.arraySize !== arraySize) row = undefined;
    const known = row?.bodies[seed - first];
    if (known !== undefined) return known;
    const made = make(0, seed);
    if (!isSmall(made) || !Number.isSafeInteger(seed)) return made.body;
    if (row === undefined) {
      rows.set(key, row = { first, arraySize, bodies: [], texts: new Set(), work: 0, isExhausted: false });
    }
    for (let next = first + row.bodies.length; next < seed; next++) row.bodies.push(smallBody(row, make, next));
    return row.bodies[seed - first] = smallBody(row, make, seed, made) ?? made.body;
  };
}

/** The body of a seed, unlike those of the row; `undefined` when it is so large that it is unlike them anyway. */
function smallBody(row: Row, make: Make, seed: number, made = make(0, seed)): GeneratedBody | undefined {
  if (!isSmall(made)) return undefined;
  for (let attempt = 0; attempt < MOST_ATTEMPTS && !row.isExhausted; attempt++) {
    const { body, work } = attempt === 0 ? made : make(attempt, seed);
    if (attempt > 0) row.work += work;
    if (row.work > MOST_WORK_OF_ROW) break;
    const text = body.kind === "body" ? JSON.stringify(body.value) : "";
    if (body.kind !== "body" || row.texts.has(text)) continue;
    row.texts.add(text);
    return body;
  }
  row.isExhausted = true;
  return made.body;
}

function isSmall({ body, values, work }: Made): boolean {
  return body.kind === "body" && values <= MOST_VALUES && work <= MOST_WORK;
}
