import type { Schema } from "../../schema/schema.ts";
import { isFailure } from "./conjunction.ts";
import type { Place } from "./value_path.ts";
import { createRandom, hashWith } from "./random.ts";
import type { Build, Workshop } from "./generator_context.ts";

/** Names of properties that a definition leaves open. */
const FREE_NAMES = ["key", "more", "other", "extra"];
/** More than anybody means by `minProperties`. */
const MOST_NAMES = 10_000;
/** Names for each pattern, and for `propertyNames`. */
const MOST_DESCRIBED = 200;

/**
 * Names for properties that a definition doesn't declare, those first that it describes. Whether they are allowed is
 * for whoever takes them to ask.
 */
export function* freeNames(
  build: Build,
  { look: { isVaried }, textWriter }: Workshop,
  schemas: readonly [Schema, ...Schema[]],
  place: Place,
): Generator<string> {
  const named = schemas.flatMap(({ propertyNames }) => propertyNames === undefined ? [] : [propertyNames]);
  const patterns = [...new Set(schemas.flatMap(({ patternProperties }) => [...patternProperties?.keys() ?? []]))];
  const random = createRandom(hashWith(place.hash, "names"));
  for (const { enum: listed = [] } of named) for (const name of listed) if (typeof name === "string") yield name;
  yield* matching(0);
  const suffix = isVaried ? String(place.hash % 100) : "";
  for (const name of FREE_NAMES) yield `${name}${suffix}`;
  for (let index = 1; index < MOST_NAMES; index++) {
    if (index <= MOST_DESCRIBED) {
      yield* matching(index % 10);
      yield* allowed(index);
    }
    yield `key${index}`;
  }

  function* matching(minLength: number): Generator<string> {
    for (const pattern of patterns) {
      const text = textWriter.write({ patterns: [pattern], minLength, maxLength: Infinity }, random);
      if (text !== undefined) yield text;
    }
  }

  function* allowed(index: number): Generator<string> {
    if (named.length === 0) return;
    const text: Schema = { node: schemas[0].node, types: ["string"] };
    const built = build([...named, text], { ...place, hash: hashWith(place.hash, index), optional: true });
    if (!isFailure(built) && typeof built.value === "string") yield built.value;
  }
}
