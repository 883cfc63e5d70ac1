import { isObject } from "../../schema/json/node.ts";

/** The most features that are collected of one value. */
const MOST_FEATURES = 500;
/** The most items of an array, and the most nesting levels, of which features are collected. */
const MOST_ITEMS = 50;
const MOST_DEPTH = 20;

/**
 * Lists the features of a value: the place and type of each part (`/items/-/id:number`), and which arrays are empty. Of
 * two examples, the one with more features shows more of the schema.
 */
export function featuresOf(value: unknown): Set<string> {
  const features = new Set<string>();
  collect(value, "", 0, features);
  return features;
}

function collect(value: unknown, place: string, depth: number, features: Set<string>): void {
  if (features.size >= MOST_FEATURES || depth > MOST_DEPTH) return;
  if (Array.isArray(value)) {
    features.add(value.length === 0 ? `${place}:none` : `${place}:array`);
    for (const item of value.slice(0, MOST_ITEMS)) collect(item, `${place}/-`, depth + 1, features);
  } else if (isObject(value)) {
    features.add(`${place}:object`);
    for (const [name, part] of Object.entries(value)) collect(part, `${place}/${name}`, depth + 1, features);
  } else {
    features.add(`${place}:${value === null ? "null" : typeof value}`);
  }
}
