/** The replacements that have ended, each with the function or class that it replaced. */
const originals = new WeakMap<object, object>();

/**
 * Replaces a function or a class of an object, such as the global `fetch`. Replacements may end in any order: in Jest,
 * two mock servers of a file end in the order in which they started.
 *
 * @param make Makes the replacement. As another replacement may have replaced it, it can still be called after its end:
 * then it must do what the original does.
 * @returns A function that ends the replacement.
 */
export function replaceFunction<T extends object>(
  object: object,
  name: string | symbol,
  make: (original: T, hasEnded: () => boolean) => T,
): () => void {
  const original: T = Reflect.get(object, name);
  const replacement = make(original, () => originals.has(replacement));
  Reflect.set(object, name, replacement);
  return () => {
    originals.set(replacement, original);
    let current: object = Reflect.get(object, name);
    for (let next = originals.get(current); next !== undefined; next = originals.get(current)) current = next;
    Reflect.set(object, name, current);
  };
}
