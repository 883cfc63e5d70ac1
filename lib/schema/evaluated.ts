/** Parts of a value that keywords have evaluated (2020-12, section 11): the others are "unevaluated". */
export interface Evaluated {
  readonly names: Set<string>;
  readonly items: Set<number>;
}

/** The record before any keyword has evaluated a part. */
export function nothingEvaluated(): Evaluated {
  return { names: new Set(), items: new Set() };
}

/** Adds evaluated parts to others. */
export function addTo(outer: Evaluated, { names, items }: Evaluated): void {
  names.forEach((name) => outer.names.add(name));
  items.forEach((index) => outer.items.add(index));
}
