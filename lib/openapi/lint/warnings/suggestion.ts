import { suggest } from "../../../http/message.ts";

/** Suggests one of some names, or of the keys of an object, for a misspelt one. */
export type Suggestion = (
  name: string,
  candidates: Iterable<string> | Readonly<Record<string, unknown>>,
) => string | undefined;

/** Comparisons of names that the suggestions of one check may take. */
const MOST_COMPARISONS = 100_000;

/** Makes suggestions until they have taken long enough; after that there are none. */
export function createSuggestion(): Suggestion {
  let comparisons = MOST_COMPARISONS;
  return (name, candidates) => {
    if (comparisons <= 0) return undefined;
    const names = Symbol.iterator in candidates ? [...candidates] : Object.keys(candidates);
    comparisons -= names.length;
    return suggest(name, names)[0];
  };
}
