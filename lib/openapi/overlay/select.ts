import type { jsonpath, JSONPathQuery } from "json-p3";
import type { ReadPattern } from "../../regexp/pattern.ts";
import type { JsonPathLibrary } from "./json_path.ts";
import { OverlayFilter } from "./filter.ts";
import type { Found } from "./found.ts";
import { TooMuchWork, type Work } from "./work.ts";

/** Limit of the values that one segment of a query may select, since each of them takes memory. */
const MOST_FOUND = 250_000;

export interface SelectOptions {
  library: JsonPathLibrary;
  readPattern: ReadPattern;
  work: Work;
}

/** Evaluates JSONPath queries in a value, within limits of work and memory. */
export class Selector {
  readonly #library: JsonPathLibrary;
  readonly #work: Work;
  readonly #filter: OverlayFilter;
  readonly #root: Found;

  constructor(root: unknown, { library, readPattern, work }: SelectOptions) {
    this.#library = library;
    this.#work = work;
    this.#root = { value: root, key: "", parent: undefined };
    this.#filter = new OverlayFilter({
      expressions: library.expressions,
      readPattern,
      work,
      follow: (query, from) => this.#follow(query, from === "root" ? this.#root : from),
    });
  }

  /**
   * The values that a query finds, in the order of RFC 9535.
   *
   * @throws {TooMuchWork} If the budget is spent, or too many values are found.
   */
  select(query: JSONPathQuery): Found[] {
    return this.#follow(query, this.#root);
  }

  #follow({ segments }: JSONPathQuery, start: Found): Found[] {
    let found = [start];
    for (const segment of segments) {
      const next: Found[] = [];
      const descends = segment.token.kind === this.#library.TokenKind.DDOT;
      for (const from of found) {
        if (descends) this.#descend(segment.selectors, from, next);
        else this.#apply(segment.selectors, from, next);
      }
      if (next.length === 0) return next;
      found = next;
    }
    return found;
  }

  #descend(selectors: readonly jsonpath.JSONPathSelector[], from: Found, next: Found[]): void {
    this.#apply(selectors, from, next);
    for (const part of this.#partsOf(from)) {
      if (typeof part.value === "object" && part.value !== null) this.#descend(selectors, part, next);
    }
  }

  #apply(selectors: readonly jsonpath.JSONPathSelector[], from: Found, next: Found[]): void {
    const { NameSelector, IndexSelector, SliceSelector, WildcardSelector, FilterSelector } = this.#library.selectors;
    for (const selector of selectors) {
      this.#work.take();
      if (selector instanceof NameSelector) {
        this.#push(next, memberOf(from, selector.name));
      } else if (selector instanceof IndexSelector) {
        this.#push(next, itemOf(from, selector.index));
      } else if (selector instanceof WildcardSelector) {
        for (const part of this.#partsOf(from)) this.#push(next, part);
      } else if (selector instanceof SliceSelector) {
        for (const index of indexesIn(from.value, selector)) this.#push(next, itemOf(from, index));
      } else if (selector instanceof FilterSelector) {
        for (const part of this.#partsOf(from)) {
          if (this.#filter.accepts(selector.expression, part)) this.#push(next, part);
        }
      }
    }
  }

  #push(next: Found[], found: Found | undefined): void {
    if (found === undefined) return;
    this.#work.take();
    if (next.length >= MOST_FOUND) throw new TooMuchWork("more values than are allowed");
    next.push(found);
  }

  #partsOf(parent: Found): Found[] {
    const { value } = parent;
    if (typeof value !== "object" || value === null) return [];
    if (Array.isArray(value)) {
      this.#work.take(value.length);
      return value.map((item: unknown, key) => ({ value: item, key, parent }));
    }
    const keys = Object.keys(value);
    this.#work.take(keys.length);
    return keys.map((key) => ({ value: (value as Record<string, unknown>)[key], key, parent }));
  }
}

function memberOf(parent: Found, key: string): Found | undefined {
  const { value } = parent;
  if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, key)) {
    return undefined;
  }
  return { value: (value as Record<string, unknown>)[key], key, parent };
}

function itemOf(parent: Found, index: number): Found | undefined {
  const { value } = parent;
  if (!Array.isArray(value)) return undefined;
  const key = index < 0 ? value.length + index : index;
  return key in value ? { value: value[key], key, parent } : undefined;
}

/** The indexes that a slice selects (RFC 9535, section 2.3.4.2.2). */
function* indexesIn(value: unknown, { start, stop, step = 1 }: jsonpath.selectors.SliceSelector): Generator<number> {
  if (!Array.isArray(value) || step === 0) return;
  const { length } = value;
  const normal = (index: number): number => index >= 0 ? index : length + index;
  const within = (index: number, least: number, most: number): number => Math.min(Math.max(index, least), most);
  if (step > 0) {
    const end = within(normal(stop ?? length), 0, length);
    for (let index = within(normal(start ?? 0), 0, length); index < end; index += step) yield index;
  } else {
    const end = within(normal(stop ?? -length - 1), -1, length - 1);
    for (let index = within(normal(start ?? length - 1), -1, length - 1); index > end; index += step) yield index;
  }
}
