import type { Document } from "../../openapi/document.ts";
import { listOperations, type Operation } from "../../openapi/operation.ts";
import type { PathGroup } from "./draft.ts";
import { readExchange } from "./message.ts";
import { keyOfSegments, shapeOfPathKey } from "./path_shape.ts";
import { createSettingsReader } from "./settings.ts";
import type { ShapeReader } from "./shape.ts";

export interface GroupedPaths {
  readonly operations: readonly Operation[];
  readonly groups: Map<string, PathGroup>;
  /** The operations that can't be bound, with the reason. */
  readonly refused: { operation: Operation; reason: string }[];
}

export function groupPaths(document: Document, reader: ShapeReader): GroupedPaths {
  const operations = listOperations(document);
  const settingsOf = createSettingsReader(document);
  const groups = new Map<string, PathGroup>();
  const refused: GroupedPaths["refused"] = [];
  let path = "";
  let shape = shapeOfPathKey("/");
  for (const operation of operations) {
    if (operation.path !== path) {
      path = operation.path;
      shape = shapeOfPathKey(path);
    }
    if (shape === undefined) {
      refused.push({ operation, reason: "a segment of its path is neither a text nor a parameter" });
      continue;
    }
    const settings = settingsOf(operation);
    if (settings?.isBound === false) {
      refused.push({ operation, reason: "its settings say `resource: false`" });
      continue;
    }
    const group = groups.get(shape.key) ?? { path: shape, byMethod: new Map(), settings };
    group.settings ??= settings;
    groups.set(shape.key, group);
    if (group.byMethod.has(operation.method)) {
      refused.push({ operation, reason: "another path with this method differs only in the names of parameters" });
    } else group.byMethod.set(operation.method, readExchange(operation, shape, reader));
  }
  return { operations, groups, refused };
}

/** The operations of the path without its last segment; `undefined` if that path has none. */
export function parentGroup(groups: ReadonlyMap<string, PathGroup>, { path }: PathGroup): PathGroup | undefined {
  return groups.get(keyOfSegments(path.segments.slice(0, -1), path.conditions));
}
