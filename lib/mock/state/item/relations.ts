/**
 * Keeps references between items consistent: generated references name existing items, and an embedded object
 * (`customer: {id: …}`) has the current fields of the item that it represents.
 *
 * @module
 */
import { isObject, type JsonObject } from "../../../schema/json/node.ts";
import { hashWith } from "../../generate/random.ts";
import type { Item, ScopePattern } from "./item.ts";
import { textOf, withPart } from "../../../schema/json/parts.ts";
import { valueAt } from "../../../schema/json/pointer.ts";
import type { ItemReference } from "./references.ts";

/** The target of a reference, with the part of its scope that the referring item knows. */
export type ReferenceTarget = Pick<ItemReference, "target" | "shared">;

/** Finds the target items of references. */
export interface ReferenceSource {
  /** The first items of the target resource, among which generated references choose. */
  readonly first: (reference: ReferenceTarget) => readonly Pick<Item, "value">[];
  readonly get: (reference: ReferenceTarget, id: string) => Item | undefined;
}

/** The result of a search for the target item of a reference. An answer that shows the item is valid until it changes. */
export interface UsedItem {
  readonly resource: string;
  readonly scope: ScopePattern;
  readonly key: string;
  /** The item; `undefined` if it didn't exist. */
  readonly item: Item | undefined;
}

/** Limit of the objects in a list that are replaced by current items. */
const MOST_LISTED = 100;

/**
 * Changes the references of a generated item so that they name existing items.
 *
 * @param sent The fields that the client sent. They aren't changed.
 */
export function withReferences(
  value: JsonObject,
  sent: JsonObject,
  references: readonly ItemReference[],
  { first, get }: ReferenceSource,
  seed: number,
): JsonObject {
  let changed = value;
  for (const reference of references) {
    const { name, target, kind, isList, shown } = reference;
    const present = Object.hasOwn(value, name) ? value[name] : undefined;
    if (Object.hasOwn(sent, name) || present === undefined || present === null) continue;
    const id = kind === "id" ? textOf(present) : textOf(valueAt(present, target.id));
    if (id !== undefined && get(reference, id) !== undefined) continue;
    const items = first(reference);
    if (items.length === 0) continue;
    const start = hashWith(seed, target.name) >>> 0;
    const pick = (index: number): unknown => {
      const item = items[(start + index) % items.length];
      return item && (kind === "id" ? valueAt(item.value, target.id) : shownFields(item.value, shown));
    };
    const count = Array.isArray(present) ? Math.min(present.length, items.length) : 0;
    const next = isList ? Array.from({ length: count }, (_, index) => pick(index)) : pick(0);
    if (isList !== Array.isArray(present) || next === undefined) continue;
    changed = { ...changed, [name]: next };
  }
  return changed;
}

/** Replaces embedded objects (`customer: {id: …}`) by the current fields of the items that they represent. */
export function expandObjects(
  value: JsonObject,
  references: readonly ItemReference[],
  { get }: Pick<ReferenceSource, "get">,
): JsonObject {
  let changed = value;
  for (const reference of references) {
    const { name, target, kind, isList, shown, idField } = reference;
    const present = kind === "object" && Object.hasOwn(value, name) ? value[name] : undefined;
    const expand = (part: unknown): unknown => {
      if (!isObject(part)) return part;
      const id = textOf(idField === undefined ? undefined : value[idField]) ?? textOf(valueAt(part, target.id));
      const item = id === undefined ? undefined : get(reference, id);
      if (item === undefined) return part;
      return shown.size === 0 ? item.value : { ...part, ...shownFields(item.value, shown) };
    };
    if (isList && Array.isArray(present)) {
      const parts: readonly unknown[] = present;
      changed = setField(changed, name, parts.map((part, index) => index < MOST_LISTED ? expand(part) : part));
    } else if (!isList && isObject(present)) changed = setField(changed, name, expand(present));
  }
  return changed;
}

function setField(value: JsonObject, name: string, part: unknown): JsonObject {
  const changed = withPart(value, [name], part);
  return isObject(changed) ? changed : value;
}

function shownFields(value: JsonObject, shown: ReadonlySet<string>): JsonObject {
  if (shown.size === 0) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => shown.has(name)));
}
