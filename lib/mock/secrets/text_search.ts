import type { Span } from "./span.ts";

/** Finds any of many texts in a text. */
export interface TextSearch {
  find(text: string): Span[];
}

/**
 * How many characters of a text the automaton has: bounds its size. A longer text is recognised by its start. It counts
 * as far as it goes on, and then to the end of the word: another secret may have the same start.
 */
const MOST_DISTINGUISHED = 24;
/** How many of the texts with the same start are compared with a text. */
const MOST_COMPARED = 16;
/** A word as keys, tokens, base64 and percent-encoding have them. */
const WORD = /[\w.~+/=%-]*/y;

/**
 * Makes a search for many texts at once (Aho-Corasick). Its time grows with the length of the text that is searched,
 * and hardly with the number of texts that are searched for.
 */
export function createTextSearch(wanted: readonly string[]): TextSearch {
  const automaton = new Automaton(wanted);
  return { find: (text) => automaton.find(text) };
}

class Automaton {
  /** The next state by state and code unit. */
  readonly #next = new Map<number, number>();
  /** The state of the longest proper suffix, for each state. */
  readonly #fallback: number[] = [0];
  /** The texts whose starts end in a state: those of the state itself, else of its suffixes. */
  readonly #ends: (string[] | undefined)[] = [undefined];

  constructor(wanted: readonly string[]) {
    for (const text of wanted) this.#insert(text);
    this.#link();
  }

  find(text: string): Span[] {
    const spans: Span[] = [];
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      state = this.#step(state, text.charCodeAt(at));
      const ending = this.#ends[state];
      if (ending === undefined) continue;
      const head = Math.min(ending[0]?.length ?? 0, MOST_DISTINGUISHED);
      const start = at + 1 - head;
      const end = endOf(text, start, head, ending);
      spans.push({ start, end });
      // The rest of a long text is skipped, so that no character is compared twice with it.
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
        next = this.#ends.length;
        this.#next.set(key, next);
        this.#ends.push(undefined);
        this.#fallback.push(0);
      }
      state = next;
    }
    const ending = this.#ends[state] ??= [];
    if (ending.length < MOST_COMPARED) ending.push(text);
  }

  /** Links each state to that of its longest suffix. States are inserted parents first, but not level by level. */
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
        const suffix = state === 0 ? 0 : this.#step(this.#fallback[state] ?? 0, unit);
        this.#fallback[next] = suffix;
        this.#ends[next] ??= this.#ends[suffix];
        pending.push(next);
      }
    }
  }

  #step(from: number, unit: number): number {
    for (let state = from;; state = this.#fallback[state] ?? 0) {
      const next = this.#next.get(keyOf(state, unit));
      if (next !== undefined) return next;
      if (state === 0) return 0;
    }
  }
}

/** Code units of UTF-16. */
const UNITS = 0x10000;

function keyOf(state: number, unit: number): number {
  return state * UNITS + unit;
}

/** The end of the longest of the texts that a text has at a place, where their common start was found. */
function endOf(text: string, start: number, head: number, ending: readonly string[]): number {
  if (head < MOST_DISTINGUISHED) return start + head;
  const lengths = ending.map((wanted) => {
    let length = head;
    while (length < wanted.length && text.charCodeAt(start + length) === wanted.charCodeAt(length)) length++;
    return length;
  });
  WORD.lastIndex = start + Math.max(...lengths);
  WORD.test(text);
  return WORD.lastIndex;
}
