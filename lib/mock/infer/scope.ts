/**
 * Finds the property of an item that holds the id of its parent: `userId` of an order, for `/users/{userId}/orders`.
 *
 * @module
 */
import type { Segment } from "./path_shape.ts";
import type { Shape } from "./compare_shapes.ts";
import type { ShapeReader } from "./shape.ts";
import { nounsOf, plainName } from "./words.ts";

/** A parameter of a scope, with the part of the path before it. */
export interface ScopePart {
  readonly parameter: string;
  /** The literal segment before it; `undefined` where there is none. */
  readonly noun: string | undefined;
  /** The key of the path up to this parameter, which is included. */
  readonly prefix: string;
}

/** The parameters of a path, each with the part of the path before it. */
export function scopeOf(segments: readonly Segment[]): ScopePart[] {
  const parts: ScopePart[] = [];
  let prefix = "";
  let noun: string | undefined;
  for (const segment of segments) {
    if ("literal" in segment) {
      prefix += `/${segment.literal.toLowerCase()}`;
      noun = segment.literal;
    } else {
      prefix += "/{}";
      parts.push({ parameter: segment.parameter, noun, prefix });
      noun = undefined;
    }
  }
  return parts;
}

/**
 * Names of properties that identify the parent within an item, if the item contains the parent as an object:
 * `owner.login`.
 */
const INNER_IDS = ["id", "gid", "uuid", "login", "slug", "key", "name"];

/**
 * Finds the property of an item whose value a parameter of its scope holds.
 *
 * @param id The keys of the item's own id, which is never returned.
 * @returns `undefined` where there is none.
 */
export function findScopeProperty(
  { parameter, noun }: ScopePart,
  item: Shape,
  id: readonly string[],
  reader: ShapeReader,
): readonly string[] | undefined {
  const own = plainName(parameter);
  const nouns = noun === undefined ? [] : nounsOf(noun);
  const isPlainId = own === "id" || own === "uuid" || own === "key" || own === "name";
  const names = [
    ...isPlainId ? [] : [own],
    ...nouns.flatMap((one) => own.startsWith(one) && own !== one ? [] : [one + (isPlainId ? own : "id")]),
    ...nouns,
  ];
  const found = findIn(names, own, nouns, item, reader);
  if (found !== undefined) return found.join() === id.join() ? undefined : found;
  const metadata = item.properties.get("metadata");
  const inner = metadata && findIn(names, own, nouns, reader.read(metadata), reader);
  if (inner === undefined || ["metadata", ...inner].join() === id.join()) return undefined;
  return ["metadata", ...inner];
}

function findIn(
  names: readonly string[],
  parameter: string,
  nouns: readonly string[],
  item: Shape,
  reader: ShapeReader,
): string[] | undefined {
  const byPlainName = reader.namesOf(item);
  for (const plain of names) {
    const name = byPlainName.get(plain);
    const property = name === undefined ? undefined : item.properties.get(name);
    if (name === undefined || property === undefined) continue;
    const shape = reader.read(property);
    // Stripe's `customer` is either the customer's id or, in an expanded response, the whole customer. The id counts.
    if (shape.kind === "scalar" || (shape.kind === "object" && shape.type !== "object" && shape.type !== undefined)) {
      return [name];
    }
    if (shape.kind !== "object") continue;
    const [rest] = nouns.flatMap((noun) => parameter.startsWith(noun) ? [parameter.slice(noun.length)] : []);
    for (const inner of [...rest === undefined || rest === "" ? [] : [rest], ...INNER_IDS]) {
      const key = reader.namesOf(shape).get(inner);
      const value = key === undefined ? undefined : shape.properties.get(key);
      if (key === undefined || value === undefined || reader.read(value).kind !== "scalar") continue;
      // A parameter `{owner}` holds the `login` of an `owner` object, not its numeric `id`: names in paths are mostly
      // texts.
      if (inner === "id" && parameter === plain && isNumber(reader.read(value)) && shape.properties.has("login")) {
        continue;
      }
      return [name, key];
    }
  }
  return undefined;
}

function isNumber({ type }: Shape): boolean {
  return type === "integer" || type === "number";
}
