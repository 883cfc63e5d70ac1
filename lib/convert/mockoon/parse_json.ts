import { LIMITS } from "../../openapi/reading.ts";

/** Parses a JSON text; `undefined` if it isn't JSON, or is nested more deeply than a definition may be. */
export function parseMockoonJson(text: string): unknown {
  if (depthOf(text) > LIMITS.depth) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the deepest nesting of brackets in a text. Brackets in strings count, too, so the result may be too large.
 */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [bracket] of text.matchAll(/[[{\]}]/g)) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
