import type { Span } from "./span.ts";

/** Finds all occurrences of a fixed set of texts (the patterns) in a text. */
export interface TextSearch {
  find(text: string): Span[];
}

/**
 * The most characters of each pattern that the automaton contains, to bound its size. A longer pattern is found by
 * these characters. Its match is then extended as far as pattern and text agree, and to the end of the word, since the
 * text may contain another secret that begins alike.
 */
const MOST_DISTINGUISHED = 24;
/** The most patterns with the same beginning that are compared to find the end of a match. */
const MOST_COMPARED = 16;
/** A word of the characters that occur in keys, tokens, base64 and percent-encoding. */
const WORD = /[\w.~+/=%-]*/y;

/**
 * Makes a search for many patterns at once (Aho-Corasick). Its time is linear in the length of the searched text, and
 * hardly depends on the number of patterns.
 */
export function createTextSearch(patterns: readonly string[]): TextSearch {
  const automaton = new Automaton(patterns);
  return { find: (text) => automaton.find(text) };
}

class Automaton {
  /** The goto function of Aho-Corasick: the next state, by state and code unit (see `keyOf`). */
  readonly #next = new Map<number, number>();
  /**
   * The failure function of Aho-Corasick: for each state, the state of its longest proper suffix. The search continues
   * there if a state has no transition.
   */
  readonly #failure: number[] = [0];
  /**
   * The output function of Aho-Corasick: for each state, the patterns whose beginning is complete there; if there are
   * none, those of its longest suffix that has some.
   */
  readonly #outputs: (string[] | undefined)[] = [undefined];

  constructor(patterns: readonly string[]) {
    for (const text of patterns) this.#insert(text);
    this.#link();
  }

  find(text: string): Span[] {
    const spans: Span[] = [];
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      state = this.#nextState(state, text.charCodeAt(at));
      const outputs = this.#outputs[state];
      if (outputs === undefined) continue;
      const head = Math.min(outputs[0]?.length ?? 0, MOST_DISTINGUISHED);
      const start = at + 1 - head;
      const end = endOf(text, start, head, outputs);
      spans.push({ start, end });
      // Continue after the match. Otherwise, characters of a long pattern would be compared repeatedly.
      if (end > at + 1) {
        at = end - 1;
        state = 0;
      }
    }
    return spans;
  }

  #insert(text: string): void {
    let state = 0;
    for (let at = 0; at < Math.min(text.length, MOST_DISTINGUISHED); at++) {
      const key = keyOf(state, text.charCodeAt(at));
      let next = this.#next.get(key);
      if (next === undefined) {
        next = this.#outputs.length;
        this.#next.set(key, next);
        this.#outputs.push(undefined);
        this.#failure.push(0);
      }
      state = next;
    }
    const outputs = this.#outputs[state] ??= [];
    if (outputs.length < MOST_COMPARED) outputs.push(text);
  }

  /** Computes the failure function breadth first, because the failure state of a state is less deep. */
  #link(): void {
    const children = new Map<number, [number, number][]>();
    for (const [key, next] of this.#next) {
      const state = Math.floor(key / UNITS);
      const list = children.get(state);
      if (list === undefined) children.set(state, [[key % UNITS, next]]);
      else list.push([key % UNITS, next]);
    }
    const pending = [0];
    for (const state of pending) {
      for (const [unit, next] of children.get(state) ?? []) {
        const suffix = state === 0 ? 0 : this.#nextState(this.#failure[state] ?? 0, unit);
        this.#failure[next] = suffix;
        this.#outputs[next] ??= this.#outputs[suffix];
        pending.push(next);
      }
    }
  }

  #nextState(from: number, unit: number): number {
    for (let state = from;; state = this.#failure[state] ?? 0) {
      const next = this.#next.get(keyOf(state, unit));
      if (next !== undefined) return next;
      if (state === 0) return 0;
    }
  }
}

/** The number of different UTF-16 code units. */
const UNITS = 0x10000;

function keyOf(state: number, unit: number): number {
  return state * UNITS + unit;
}

/**
 * The end of a match. A pattern that the automaton contains as a whole ends there. Otherwise the match reaches to where
 * the longest of the patterns ends or differs from the text, and on to the end of the word.
 */
function endOf(text: string, start: number, head: number, outputs: readonly string[]): number {
  if (head < MOST_DISTINGUISHED) return start + head;
  const lengths = outputs.map((pattern) => {
    let length = head;
    while (length < pattern.length && text.charCodeAt(start + length) === pattern.charCodeAt(length)) length++;
    return length;
  });
  WORD.lastIndex = start + Math.max(...lengths);
  WORD.test(text);
  return WORD.lastIndex;
}
