/** The memory in bytes of an object or array, of one of its entries, and of a string without its text. */
const CONTAINER = 40;
const ENTRY = 16;
const STRING = 24;

/**
 * Estimates the memory that a JSON value takes, in bytes. The estimate depends on the value only. A stack of its own
 * keeps deep values from overflowing that of the program.
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
