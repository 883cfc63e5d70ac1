/**
 * Finds the property of an item with the id of its parent: `userId` of an order, for `/users/{userId}/orders`.
 *
 * @module
 */
import type { Segment } from "./path_shape.ts";
import type { Shape } from "./compare_shapes.ts";
import type { ShapeReader } from "./shape.ts";
import { nounsOf, plainName } from "../../names/words.ts";

/** A scope parameter of a path, with the literal segment before it. */
export interface ScopePart {
  readonly parameter: string;
  /**
   * The literal segment before the parameter: `users` for `userId` of `/users/{userId}`; `undefined` if there is none.
   */
  readonly noun: string | undefined;
  /** The key of the path up to and including this parameter. */
  readonly prefix: string;
}

/** The parameters of a path, as a scope. */
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

/** Names of properties that identify a parent which is embedded in the item as an object: `owner.login`. */
const INNER_IDS = ["id", "gid", "uuid", "login", "slug", "key", "name"];

/**
 * Finds the property of an item whose value is a scope parameter's value.
 *
 * @param id The keys of the item's own id, which is never returned.
 * @returns `undefined` if there is none.
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
    // Stripe's `customer` is a scalar id or, in an expanded response, an object. It counts as the id.
    if (shape.kind === "scalar" || (shape.kind === "object" && shape.type !== "object" && shape.type !== undefined)) {
      return [name];
    }
    if (shape.kind !== "object") continue;
    const [rest] = nouns.flatMap((noun) => parameter.startsWith(noun) ? [parameter.slice(noun.length)] : []);
    for (const inner of [...rest === undefined || rest === "" ? [] : [rest], ...INNER_IDS]) {
      const key = reader.namesOf(shape).get(inner);
      const value = key === undefined ? undefined : shape.properties.get(key);
      if (key === undefined || value === undefined || reader.read(value).kind !== "scalar") continue;
      // A parameter `{owner}` refers to the `login` of an `owner` object, not to its numeric `id`: names in paths are
      // usually texts.
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
