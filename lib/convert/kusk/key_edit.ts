import { isObject } from "../../schema/json/node.ts";

/** An edit that renames a key of an object and replaces its value. */
export interface KeyEdit {
  /** The keys that lead from the root to the object. */
  readonly path: readonly string[];
  readonly key: string;
  readonly to: string;
  readonly value: unknown;
}

/** Copies a value and applies edits to the copy. The order of keys stays. */
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
