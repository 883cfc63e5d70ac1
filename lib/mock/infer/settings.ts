import type { Document } from "../../openapi/document.ts";
import { createExtensionReader, EXTENSION } from "../../openapi/extension/extension.ts";
import type { Operation } from "../../openapi/operation.ts";
import { isObject, type Node } from "../../schema/node.ts";
import { shapeOfPathKey } from "./path_shape.ts";

/** What a definition says of the resource of an operation: `x-svc: {mocking: {resource: {...}}}`. */
export interface ResourceSettings {
  /** Whether the operation belongs to a resource at all. */
  readonly isBound: boolean;
  readonly name: string | undefined;
  /** The keys on the way to the id. */
  readonly id: readonly string[] | undefined;
  /** The key of the collection's path. */
  readonly collection: string | undefined;
  /** The name of the parent. */
  readonly parent: string | undefined;
}

/** Makes a reader of the settings of operations; it returns `undefined` where there are none. */
export function createSettingsReader(document: Document): (operation: Operation) => ResourceSettings | undefined {
  const read = createExtensionReader(document, "warning");
  return (operation) => {
    // Most definitions have no settings at all.
    if (![document.root, ...operation.pathItems, operation.node].some(hasExtension)) return undefined;
    const written = read(operation).settings.mocking?.resource;
    if (written === undefined) return undefined;
    const { bound = true, name, id, collection, parent } = written;
    return {
      isBound: bound,
      name,
      id: id?.split("."),
      collection: collection === undefined ? undefined : shapeOfPathKey(collection)?.key,
      parent,
    };
  };
}

function hasExtension({ value }: Node): boolean {
  return isObject(value) && Object.hasOwn(value, EXTENSION);
}
