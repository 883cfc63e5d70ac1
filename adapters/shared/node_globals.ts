/**
 * Gives test environments with a DOM what mock servers need of Node.js. That of Jest with jsdom has no Fetch API, and
 * both Jest's and Vitest's with jsdom have a `Uint8Array` of which the bytes of Node.js are no instances.
 *
 * @module
 */

/** The globals that are added where the environment has no `Response`, unless it has them. */
const NAMES = [
  "CompressionStream",
  "DecompressionStream",
  "ReadableStream",
  "Request",
  "Response",
  "TextDecoder",
  "TextDecoderStream",
  "TextEncoder",
  "TextEncoderStream",
  "TransformStream",
  "WritableStream",
  "fetch",
  "structuredClone",
];

/**
 * Completes the globals. Call it before the library is loaded.
 *
 * @returns The function that ends it.
 */
export function completeGlobals(): () => void {
  if (typeof Buffer === "undefined" || typeof process === "undefined") return () => {};
  const restored: (() => void)[] = [];
  const define = (name: string, value: unknown): void => {
    const before = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    restored.push(() => {
      if (before === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, before);
    });
  };
  if (!(Buffer.alloc(0) instanceof Uint8Array)) define("Uint8Array", Object.getPrototypeOf(Buffer));
  if (typeof Response === "undefined") {
    // Jest runs tests in a context of its own; this is the context of Node.js.
    const outer: object = process.getBuiltinModule("node:vm").runInThisContext("globalThis");
    const missing = NAMES.filter((name) => Reflect.get(globalThis, name) === undefined);
    for (const name of [...missing, "Headers"]) define(name, Reflect.get(outer, name));
  }
  return () => restored.forEach((restore) => restore());
}
