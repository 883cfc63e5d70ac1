import type { Span } from "./span.ts";

/** Finds all places of a text at which one of the wanted texts stands. */
export interface TextSearch {
  find(text: string): Span[];
}

/**
 * How many characters of each wanted text the automaton has, to bound its size. A longer text is found by this start.
 * Its match goes on as far as the texts agree, and then to the end of the word: another secret may have the same start.
 */
const MOST_DISTINGUISHED = 24;
/** How many wanted texts with the same start are compared to find the end of a match. */
const MOST_COMPARED = 16;
/** A word of the characters that keys, tokens, base64 and percent-encoding have. */
const WORD = /[\w.~+/=%-]*/y;

/**
 * Makes a search for many texts at once (Aho-Corasick). Its time grows with the length of the searched text, and hardly
 * with the number of wanted texts.
 */
export function createTextSearch(wanted: readonly string[]): TextSearch {
  const automaton = new Automaton(wanted);
  return { find: (text) => automaton.find(text) };
}

class Automaton {
  /** The transitions: the next state, by the key of a state and a code unit. */
  readonly #next = new Map<number, number>();
  /** For each state, that of its longest proper suffix: the search goes on there where the state has no transition. */
  readonly #fallback: number[] = [0];
  /**
   * For each state, the wanted texts whose start is complete there; if none are, those of the nearest suffix that has
   * some.
   */
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
      // The search goes on after the match, so that no character is compared twice with a long text.
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

  /** Sets the fallback of each state, breadth first: a fallback is always a shorter text, which is linked earlier. */
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

/** The end of a match whose start was found: where the longest of the wanted texts with this start ends or differs. */
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
