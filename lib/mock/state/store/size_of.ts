/** Estimated memory in bytes of an empty object or array, of an entry in it, and of an empty string. */
const CONTAINER = 40;
const ENTRY = 16;
const STRING = 24;

/**
 * Estimates the memory of a JSON value, in bytes. Equal values have equal estimates. Iterative, since recursion into a
 * deeply nested value would overflow the call stack.
 */
export function sizeOf(value: unknown): number {
  let bytes = 0;
  const stack = [value];
  while (stack.length > 0) {
    const next = stack.pop();
    if (typeof next === "string") bytes += STRING + 2 * next.length;
    else if (Array.isArray(next)) {
      bytes += CONTAINER + ENTRY * next.length;
      for (const part of next) stack.push(part);
    } else if (typeof next === "object" && next !== null) {
      bytes += CONTAINER;
      for (const [name, part] of Object.entries(next)) {
        bytes += ENTRY + name.length;
        stack.push(part);
      }
    } else bytes += ENTRY;
  }
  return bytes;
}
