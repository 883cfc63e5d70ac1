/**
 * A definition as the public may see it: without extensions, and without operations that are disabled.
 *
 * ```text
 * written text -> disabled operations -> components that only these use -> the rest, without extensions
 * ```
 *
 * @module
 */
import type { Document } from "./document.ts";
import { createExtensionReader } from "./extension/extension.ts";
import { isObject, type JsonObject } from "../schema/node.ts";
import { listOperations, type Operation } from "./operation.ts";
import { escapeToken, formatPointer, parsePointer } from "../schema/pointer.ts";
import {
  anchorsIn,
  componentOf,
  componentSections,
  isExtension,
  type Keys,
  keysOfItems,
  keysUnder,
  parentKey,
  placesIn,
  pointerOf,
} from "./published_parts.ts";

/** Parts of disabled operations that are written where something refers to them: they may refer to each other twice. */
const MOST_INLINED = 100;

/** Makes the value of a definition as the public may see it; it refers to nothing that it doesn't have. */
export function publishedDefinition(document: Document): unknown {
  const root = document.written.value;
  if (!isObject(root)) return {};
  const { disabled, kept } = partOperations(document);
  const open = withoutOperations(root, disabled, document);
  const used = usesOf(root, open, disabled, document);
  const published = publish(open, used);
  if (!isObject(published)) return {};
  return withoutTags(published, disabled, kept);
}

function partOperations(document: Document): { disabled: Operation[]; kept: Operation[] } {
  const readExtension = createExtensionReader(document);
  const operations = listOperations(document);
  const isDisabled = (operation: Operation): boolean => readExtension(operation).settings.disabled === true;
  return { disabled: operations.filter(isDisabled), kept: operations.filter((operation) => !isDisabled(operation)) };
}

/** The definition without its disabled operations, and without paths that have no others. */
function withoutOperations(root: JsonObject, disabled: readonly Operation[], document: Document): JsonObject {
  const { paths } = root;
  if (disabled.length === 0 || !isObject(paths)) return root;
  const byPath = Map.groupBy(disabled, ({ path }) => path);
  const all = Map.groupBy(listOperations(document), ({ path }) => path);
  const open = Object.entries(paths).flatMap(([path, item]): [string, unknown][] => {
    const hidden = byPath.get(path);
    if (hidden === undefined) return [[path, item]];
    if (hidden.length === all.get(path)?.length) return [];
    return [[path, withoutMethods(wholeItem(item, all.get(path)), new Set(hidden.map(({ method }) => method)))]];
  });
  const operationIds = new Set(
    disabled.map(({ node: { value } }) => isObject(value) ? value["operationId"] : undefined),
  );
  operationIds.delete(undefined);
  return withoutLinks({ ...root, paths: Object.fromEntries(open) }, operationIds, byPath);
}

/** A Path Item Object together with those that its `$ref` leads to, where it has one. */
function wholeItem(item: unknown, operations: readonly Operation[] = []): JsonObject {
  const { $ref, ...own } = isObject(item) ? item : {};
  if ($ref === undefined) return own;
  const items = operations[0]?.pathItems.map(({ value }) => isObject(value) ? value : {}) ?? [];
  const { $ref: _, ...whole } = Object.assign({}, ...items.toReversed());
  return whole;
}

function withoutMethods(item: JsonObject, methods: ReadonlySet<string>): JsonObject {
  const others = Object.entries(item).filter(([key]) => !methods.has(key.toUpperCase()) || key !== key.toLowerCase());
  return Object.fromEntries(
    others.map(([key, value]) =>
      key === "additionalOperations" && isObject(value)
        ? [key, Object.fromEntries(Object.entries(value).filter(([method]) => !methods.has(method)))]
        : [key, value]
    ),
  );
}

/** Links that lead to a disabled operation go with it. */
function withoutLinks(
  root: JsonObject,
  operationIds: ReadonlySet<unknown>,
  byPath: ReadonlyMap<string, readonly Operation[]>,
): JsonObject {
  const walked = walk(root, "keywords", "");
  return isObject(walked) ? walked : root;

  function walk(value: unknown, keys: Keys, key: string): unknown {
    if (Array.isArray(value)) return value.map((item) => walk(item, keysOfItems(key), key));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, part]): [string, unknown][] => {
        if (key === "links" && keys === "names" && isToDisabled(part)) return [];
        const inner = keysUnder(name, part, { keys, key });
        return [[name, inner === undefined ? part : walk(part, inner, parentKey(name, keys))]];
      }),
    );
  }

  function isToDisabled(link: unknown): boolean {
    if (!isObject(link)) return false;
    const { operationId, operationRef } = link;
    if (operationIds.has(operationId)) return true;
    const [first, path = "", method = ""] = typeof operationRef === "string"
      ? parsePointer(pointerOf(operationRef) ?? "")
      : [];
    return first === "paths" &&
      byPath.get(path)?.some((operation) => operation.method === method.toUpperCase()) === true;
  }
}

/** Which parts of a definition, beside its paths, are published. */
interface Used {
  /** Components that only disabled operations use. */
  readonly hidden: ReadonlySet<string>;
  /** Places within extensions that something refers to. */
  readonly kept: readonly string[];
  /** The text as it was written, for references into operations that are gone. */
  readonly root: JsonObject;
}

function usesOf(root: JsonObject, open: JsonObject, disabled: readonly Operation[], document: Document): Used {
  const components = new Map<string, unknown>();
  for (const tokens of componentSections(root)) {
    const section = valueAt(root, formatPointer(tokens));
    for (const [name, value] of isObject(section) ? Object.entries(section) : []) {
      components.set(formatPointer([...tokens, name]), value);
    }
  }
  const anchors = anchorsIn(components);
  const known = new Map<string, ReadonlySet<string>>();
  const byDisabled = reach(disabledParts(root, disabled, document));
  const others = [...components].filter(([place]) => !byDisabled.has(place)).map(([, value]) => value);
  const { components: _, ...rest } = open;
  const paths = [...componentSections(open)].filter((tokens) => tokens.length === 1).map(([key]) => key);
  const direct = Object.fromEntries(Object.entries(rest).filter(([key]) => !paths.includes(key)));
  const used = reach([direct, ...others]);
  return {
    hidden: new Set([...byDisabled].filter((place) => components.has(place) && !used.has(place))),
    kept: [...used].filter((place) => !components.has(place)),
    root,
  };

  /** The components that values use, directly or by others, and other places that they refer to. */
  function reach(values: readonly unknown[]): Set<string> {
    const reached = new Set<string>();
    const pending = values.flatMap((value) => [...placesIn(value, anchors)]);
    for (let pointer = pending.pop(); pointer !== undefined; pointer = pending.pop()) {
      const component = componentOf(pointer);
      const place = component !== undefined && components.has(component) ? component : pointer;
      if (reached.has(place)) continue;
      reached.add(place);
      const places = known.get(place) ?? placesIn(valueAt(root, place), anchors);
      known.set(place, places);
      pending.push(...places);
    }
    return reached;
  }
}

/** The disabled operations, with the parameters and the `$ref`s of their paths. */
function disabledParts(root: JsonObject, disabled: readonly Operation[], document: Document): unknown[] {
  const paths = isObject(root["paths"]) ? root["paths"] : {};
  return disabled.flatMap(({ path, method, node, pathItems }) => {
    const item = isObject(paths[path]) ? paths[path] : {};
    // Of Swagger 2.0 the operation as it was written counts, with its own references.
    const [operation, items] = document.version === "2.0"
      ? [item[method.toLowerCase()], [item]]
      : [node.value, pathItems.map(({ value }) => value)];
    const parameters = items.map((item) => isObject(item) ? { parameters: item["parameters"] } : undefined);
    return [operation, { $ref: item["$ref"] }, ...parameters];
  });
}

function publish(open: JsonObject, { hidden, kept, root }: Used): unknown {
  const inlined = new Set<string>();
  let inlines = 0;
  const keepsExtensions = kept.some((place) => place.includes("/x-"));
  return walk(open, { keys: "keywords", key: "" }, "");

  /** @param pointer Where the value is; `undefined` where nothing depends on that. */
  function walk(value: unknown, at: { keys: Keys; key: string }, pointer: string | undefined): unknown {
    if (Array.isArray(value)) {
      const inner = { keys: keysOfItems(at.key), key: at.key };
      return value.map((item, index) => walk(item, inner, pointer && `${pointer}/${index}`));
    }
    if (!isObject(value)) return value;
    const gone = at.keys === "keywords" ? goneTarget(value) : undefined;
    if (gone !== undefined) return inline(gone);
    const published: [string, unknown][] = [];
    for (const key of Object.keys(value)) {
      const part = value[key];
      const place = pointer === undefined ? undefined : `${pointer}/${escapeToken(key)}`;
      if (place !== undefined && hidden.has(place)) continue;
      if (isExtension(key, at.keys)) {
        const skeleton = place === undefined ? undefined : skeletonOf(part, place);
        if (skeleton !== undefined) published.push([key, skeleton]);
        continue;
      }
      const keys = keysUnder(key, part, at);
      const inner = keys === undefined
        ? part
        : walk(part, { keys, key: parentKey(key, at.keys) }, isFollowed(place) ? place : undefined);
      if (pointer !== "/components" || !isEmptied(part, inner)) published.push([key, inner]);
    }
    return Object.fromEntries(published);
  }

  /** Whether something depends on the places of what is below a place: components are, and extensions in use. */
  function isFollowed(place: string | undefined): boolean {
    return place !== undefined &&
        (place.startsWith("/components") ? place.split("/").length <= 3 : !place.slice(1).includes("/")) ||
      keepsExtensions;
  }

  /** An extension as far as something refers to it. */
  function skeletonOf(value: unknown, pointer: string): unknown {
    if (kept.includes(pointer)) return walk(value, { keys: "keywords", key: "" }, pointer);
    if (!kept.some((place) => place.startsWith(`${pointer}/`))) return undefined;
    if (Array.isArray(value)) return value.map((item, index) => skeletonOf(item, `${pointer}/${index}`) ?? {});
    if (!isObject(value)) return undefined;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, part]) => {
        const skeleton = skeletonOf(part, `${pointer}/${escapeToken(key)}`);
        return skeleton === undefined ? [] : [[key, skeleton]];
      }),
    );
  }

  /** Where a `$ref` leads that meant a part of a disabled operation. */
  function goneTarget({ $ref }: JsonObject): string | undefined {
    const pointer = typeof $ref === "string" ? pointerOf($ref) : undefined;
    return pointer?.startsWith("/paths/") && valueAt(open, pointer) === undefined ? pointer : undefined;
  }

  function inline(pointer: string): unknown {
    if (inlined.has(pointer) || inlines >= MOST_INLINED) return {};
    inlines++;
    inlined.add(pointer);
    const value = walk(valueAt(root, pointer) ?? {}, { keys: "keywords", key: "" }, pointer);
    inlined.delete(pointer);
    return value;
  }
}

function isEmptied(before: unknown, after: unknown): boolean {
  return isObject(before) && isObject(after) && Object.keys(after).length === 0 && Object.keys(before).length > 0;
}

/** Tags that only disabled operations have go with them. */
function withoutTags(root: JsonObject, disabled: readonly Operation[], kept: readonly Operation[]): JsonObject {
  const { tags } = root;
  if (!Array.isArray(tags) || disabled.length === 0) return root;
  const used = new Set(kept.flatMap(tagsOf));
  const hidden = new Set(disabled.flatMap(tagsOf).filter((tag) => !used.has(tag)));
  return { ...root, tags: tags.filter((tag: unknown) => !(isObject(tag) && hidden.has(tag["name"]))) };
}

function tagsOf({ node: { value } }: Operation): unknown[] {
  const tags = isObject(value) ? value["tags"] : undefined;
  return Array.isArray(tags) ? tags : [];
}

function valueAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const token of parsePointer(pointer)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, token)) return undefined;
    value = Reflect.get(value, token);
  }
  return value;
}
