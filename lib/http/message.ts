/**
 * Parts of messages for a person: why something failed, and which name was probably meant by a misspelt one.
 *
 * @module
 */
import { distance } from "fastest-levenshtein";

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The candidates that a misspelt word is likely to mean, the nearest first: at most a third of its letters differ.
 *
 * @param word The word as it was written.
 * @param candidates The words that exist.
 * @param most How many to return. Default: 1.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(suggest("mokc", ["mock", "serve", "validate"]), ["mock"]);
 * assert.deepEqual(suggest("render", ["mock", "serve"]), []);
 * ```
 */
export function suggest(word: string, candidates: Iterable<string>, most = 1): string[] {
  // Comparing long words is slow, and so long a word is no misspelling.
  if (word.length > 100) return [];
  const written = word.toLowerCase();
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, distance: distance(written, candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) =>
      distance <= Math.max(2, Math.ceil(Math.max(word.length, candidate.length) / 3))
    )
    .filter(({ candidate, distance }) => distance < Math.max(word.length, candidate.length))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}
