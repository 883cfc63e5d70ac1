/** A value that a query has found, with its key and its enclosing values. */
export interface Found {
  readonly value: unknown;
  readonly key: string | number;
  /** The object or array that contains the value under `key`; `undefined` for the root. */
  readonly parent: Found | undefined;
}

export function keysOf(found: Found): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at = found; at.parent !== undefined; at = at.parent) keys.push(at.key);
  return keys.reverse();
}
