/**
 * The parts of a value that keywords have evaluated: names of properties and indexes of items. `unevaluatedProperties`
 * and `unevaluatedItems` apply to the other parts (2020-12 core, section 11).
 */
export interface Evaluated {
  readonly names: Set<string>;
  readonly items: Set<number>;
}

export function nothingEvaluated(): Evaluated {
  return { names: new Set(), items: new Set() };
}

export function addTo(outer: Evaluated, { names, items }: Evaluated): void {
  names.forEach((name) => outer.names.add(name));
  items.forEach((index) => outer.items.add(index));
}
