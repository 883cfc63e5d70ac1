/**
 * Parts of messages: the message of a thrown value, suggestions for a misspelt word, and words of command lines.
 *
 * @module
 */
import { distance } from "fastest-levenshtein";

/** Returns the message of a thrown value, which need not be an `Error`. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the name and the message of a thrown value, which begin the stack of an error. */
export function nameAndMessageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Returns the call stack of an error as lines, without its message, which may have line feeds of its own. */
export function framesOf(error: unknown): string[] {
  if (!(error instanceof Error) || error.stack === undefined) return [];
  const after = error.stack.indexOf(error.message) + error.message.length;
  return error.stack.slice(after).split("\n").filter((line) => line.trim() !== "");
}

/**
 * Suggests the candidates that a misspelt word may mean, the nearest first: those that begin with the word (`val` means
 * `validate`), and those within an edit distance of about a third of the letters. In a short word, two letters may differ
 * only if they are fewer than half of its letters, or swapped: `mcok` means `mock`, but `run` doesn't mean `man`.
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
 * assert.deepEqual(suggest("lint", ["init"]), []);
 * ```
 */
export function suggest(word: string, candidates: Iterable<string>, most = 1): string[] {
  // A word of more than 100 characters gets no suggestion: computing its edit distances would be slow, and such a word
  // is no misspelling.
  if (word.length > 100) return [];
  const written = word.toLowerCase();
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, distance: distance(written, candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) =>
      isBeginning(written, candidate.toLowerCase()) || isNear(written, candidate.toLowerCase(), distance)
    )
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

function isBeginning(word: string, candidate: string): boolean {
  return word.length >= 2 && candidate.startsWith(word);
}

function isNear(word: string, candidate: string, distance: number): boolean {
  const length = Math.max(word.length, candidate.length);
  if (distance >= length || distance > Math.max(2, Math.ceil(length / 3))) return false;
  return distance < 2 || 2 * distance < length || sortedLetters(word) === sortedLetters(candidate);
}

function sortedLetters(word: string): string {
  return [...word].sort().join("");
}

/** Quotes a text, where it needs that, so that a POSIX shell reads it as one word. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
