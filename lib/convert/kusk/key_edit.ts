import { isObject } from "../../schema/node.ts";

/** A change of an object's key to another name and value. */
export interface KeyEdit {
  /** The keys that lead to the object. */
  readonly path: readonly string[];
  readonly key: string;
  readonly to: string;
  readonly value: unknown;
}

/** A copy of a value with the edits; the order of keys stays. */
export function applyEdits(value: unknown, edits: readonly KeyEdit[]): unknown {
  const here = new Map(edits.filter(({ path }) => path.length === 0).map((edit) => [edit.key, edit]));
  const below = Map.groupBy(edits.filter(({ path }) => path.length > 0), ({ path: [first = ""] }) => first);
  if (!isObject(value) || edits.length === 0) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const edit = here.get(key);
      const inner = below.get(key)?.map((edit) => ({ ...edit, path: edit.path.slice(1) })) ?? [];
      return [edit?.to ?? key, edit === undefined ? applyEdits(item, inner) : edit.value];
    }),
  );
}
