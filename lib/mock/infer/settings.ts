import type { Document } from "../../openapi/document.ts";
import { createExtensionReader, EXTENSION } from "../../openapi/extension/extension.ts";
import type { Operation } from "../../openapi/operation.ts";
import { isObject, type Node } from "../../schema/json/node.ts";
import { shapeOfPathKey } from "./path_shape.ts";

/** The settings `x-svc: {mocking: {resource: {...}}}` of an operation. */
export interface ResourceSettings {
  /** False for `resource: false`: the operation is bound to no resource. */
  readonly isBound: boolean;
  readonly name: string | undefined;
  readonly id: readonly string[] | undefined;
  /** The collection's path, as a `PathShape.key`. */
  readonly collection: string | undefined;
  /** The name of the parent resource. */
  readonly parent: string | undefined;
}

/** Makes a function that reads the settings of an operation; `undefined` if it has none. */
export function createSettingsReader(document: Document): (operation: Operation) => ResourceSettings | undefined {
  const read = createExtensionReader(document, "warning");
  return (operation) => {
    // Fast path: most definitions have no settings.
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
