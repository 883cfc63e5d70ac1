/** The number of texts. A power of two, for the index. */
const SIZE = 256;
/** Limit of the characters of a text that is kept. */
const LONGEST = 1_000;

/**
 * The texts that were recorded lately. A journal that records an equal text stores the earlier one: a string that is new
 * with each request, and is kept for a thousand requests, is copied by the garbage collector, and makes V8 enlarge its
 * space for new objects.
 */
export class RecentTexts {
  /** A text is at the index of {@linkcode indexOf}, where a later one replaces it. */
  readonly #texts: string[] = Array<string>(SIZE).fill("");

  /** The earlier text that is equal to a text, else the text itself. */
  earlier(text: string): string {
    if (text.length > LONGEST) return text;
    const index = indexOf(text);
    const known = this.#texts[index] ?? "";
    if (known === text) return known;
    this.#texts[index] = text;
    return text;
  }
}

/** An index from the length and the last characters of a text, in which URLs differ the most. */
function indexOf(text: string): number {
  const { length } = text;
  let hash = length;
  for (let index = Math.max(0, length - 6); index < length; index++) hash = hash * 31 + text.charCodeAt(index) | 0;
  return hash & SIZE - 1;
}
