/**
 * Makes the public version of a definition, without extensions and without disabled operations (`x-svc.disabled`).
 *
 * ```text
 * written text -> disabled operations -> components that only these use -> the rest, without extensions
 * ```
 *
 * @module
 */
import { findUses, pointerOf, type Uses } from "./component_uses.ts";
import { type DefinitionKeys, isExtension, keysOfItems, keysUnder, parentKey } from "./definition_keys.ts";
import type { Document } from "./document.ts";
import { createExtensionReader } from "./extension/extension.ts";
import { listOperations, type Operation } from "./operation.ts";
import { isObject, type JsonObject } from "../schema/json/node.ts";
import { escapeToken, parsePointer, valueAt } from "../schema/json/pointer.ts";

/**
 * Limit of the references into disabled operations that are replaced by a copy of their target. Without it, targets
 * that refer to each other would be copied endlessly.
 */
const MOST_INLINED = 100;

/** The public version of a definition, as a value. It contains the targets of all its references. */
export function publicDefinition(document: Document): unknown {
  const root = document.written.value;
  if (!isObject(root)) return {};
  const { disabled, kept } = splitOperations(document);
  const open = withoutOperations(root, disabled, document);
  const publisher = new Publisher(root, open, findUses(root, open, disabled, document));
  return withoutTags(publisher.publish(), disabled, kept);
}

function splitOperations(document: Document): { disabled: Operation[]; kept: Operation[] } {
  const readExtension = createExtensionReader(document);
  const operations = listOperations(document);
  const isDisabled = (operation: Operation): boolean => readExtension(operation).settings.disabled === true;
  return { disabled: operations.filter(isDisabled), kept: operations.filter((operation) => !isDisabled(operation)) };
}

/** Leaves out disabled operations, and paths that have only disabled operations. */
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

/** Merges a Path Item Object with the target of its `$ref`, which its operations contain. */
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

/** Leaves out links to disabled operations. */
function withoutLinks(
  root: JsonObject,
  operationIds: ReadonlySet<unknown>,
  byPath: ReadonlyMap<string, readonly Operation[]>,
): JsonObject {
  const walked = walkLinks(root, "keywords", "", (link) => leadsToDisabled(link, operationIds, byPath));
  return isObject(walked) ? walked : root;
}

function walkLinks(value: unknown, keys: DefinitionKeys, key: string, isGone: (link: unknown) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => walkLinks(item, keysOfItems(key), key, isGone));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]): [string, unknown][] => {
      if (key === "links" && keys === "names" && isGone(part)) return [];
      const inner = keysUnder(name, part, { keys, key });
      return [[name, inner === undefined ? part : walkLinks(part, inner, parentKey(name, keys), isGone)]];
    }),
  );
}

function leadsToDisabled(
  link: unknown,
  operationIds: ReadonlySet<unknown>,
  byPath: ReadonlyMap<string, readonly Operation[]>,
): boolean {
  if (!isObject(link)) return false;
  const { operationId, operationRef } = link;
  if (operationIds.has(operationId)) return true;
  const [first, path = "", method = ""] = typeof operationRef === "string"
    ? parsePointer(pointerOf(operationRef) ?? "")
    : [];
  return first === "paths" &&
    byPath.get(path)?.some((operation) => operation.method === method.toUpperCase()) === true;
}

/**
 * The place of a value: the kind of its keys (keywords, or names that the author chooses), and the key of the value.
 */
interface KeyContext {
  readonly keys: DefinitionKeys;
  readonly key: string;
}

const KEYWORDS: KeyContext = { keys: "keywords", key: "" };

/** Copies a definition without extensions, and without the components that only disabled operations use. */
class Publisher {
  readonly #root: JsonObject;
  readonly #open: JsonObject;
  readonly #uses: Uses;
  readonly #keepsExtensions: boolean;
  readonly #inlined = new Set<string>();
  #inlines = 0;

  /**
   * @param root The original definition, to look up the targets of references into disabled operations.
   * @param open The definition without disabled operations.
   */
  constructor(root: JsonObject, open: JsonObject, uses: Uses) {
    this.#root = root;
    this.#open = open;
    this.#uses = uses;
    this.#keepsExtensions = uses.kept.some((place) => place.includes("/x-"));
  }

  publish(): JsonObject {
    return this.#copyObject(this.#open, KEYWORDS, "");
  }

  /**
   * @param pointer The JSON Pointer of the value; `undefined` if the value contains neither hidden components nor kept
   * places ({@linkcode Uses}).
   */
  #copy(value: unknown, at: KeyContext, pointer: string | undefined): unknown {
    if (Array.isArray(value)) {
      const inner = { keys: keysOfItems(at.key), key: at.key };
      return value.map((item, index) => this.#copy(item, inner, pointer && `${pointer}/${index}`));
    }
    if (!isObject(value)) return value;
    const disabledTarget = at.keys === "keywords" ? this.#disabledTarget(value) : undefined;
    return disabledTarget === undefined ? this.#copyObject(value, at, pointer) : this.#inline(disabledTarget);
  }

  #copyObject(value: JsonObject, at: KeyContext, pointer: string | undefined): JsonObject {
    const copied: [string, unknown][] = [];
    for (const [key, part] of Object.entries(value)) {
      const place = pointer === undefined ? undefined : `${pointer}/${escapeToken(key)}`;
      if (place !== undefined && this.#uses.hidden.has(place)) continue;
      if (isExtension(key, at.keys)) {
        const keptParts = place === undefined ? undefined : this.#keptPartsOf(part, place);
        if (keptParts !== undefined) copied.push([key, keptParts]);
        continue;
      }
      const keys = keysUnder(key, part, at);
      const inner = keys === undefined
        ? part
        : this.#copy(part, { keys, key: parentKey(key, at.keys) }, this.#isFollowed(place) ? place : undefined);
      if (pointer !== "/components" || !isEmptied(part, inner)) copied.push([key, inner]);
    }
    return Object.fromEntries(copied);
  }

  /** Whether hidden components, or targets of references inside extensions, may be at or below a place. */
  #isFollowed(place: string | undefined): boolean {
    return place !== undefined &&
        (place.startsWith("/components") ? place.split("/").length <= 3 : !place.slice(1).includes("/")) ||
      this.#keepsExtensions;
  }

  /** Copies the parts of an extension that are targets of references, and leaves out the rest. */
  #keptPartsOf(value: unknown, pointer: string): unknown {
    const { kept } = this.#uses;
    if (kept.includes(pointer)) return this.#copy(value, KEYWORDS, pointer);
    if (!kept.some((place) => place.startsWith(`${pointer}/`))) return undefined;
    if (Array.isArray(value)) return value.map((item, index) => this.#keptPartsOf(item, `${pointer}/${index}`) ?? {});
    if (!isObject(value)) return undefined;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, part]) => {
        const keptParts = this.#keptPartsOf(part, `${pointer}/${escapeToken(key)}`);
        return keptParts === undefined ? [] : [[key, keptParts]];
      }),
    );
  }

  /**
   * The JSON Pointer of a `$ref` into a disabled operation, which the public definition doesn't have; `undefined` for
   * others.
   */
  #disabledTarget({ $ref }: JsonObject): string | undefined {
    const pointer = typeof $ref === "string" ? pointerOf($ref) : undefined;
    return pointer?.startsWith("/paths/") && valueAt(this.#open, parsePointer(pointer)) === undefined
      ? pointer
      : undefined;
  }

  #inline(pointer: string): unknown {
    if (this.#inlined.has(pointer) || this.#inlines >= MOST_INLINED) return {};
    this.#inlines++;
    this.#inlined.add(pointer);
    const value = this.#copy(valueAt(this.#root, parsePointer(pointer)) ?? {}, KEYWORDS, pointer);
    this.#inlined.delete(pointer);
    return value;
  }
}

function isEmptied(before: unknown, after: unknown): boolean {
  return isObject(before) && isObject(after) && Object.keys(after).length === 0 && Object.keys(before).length > 0;
}

/** Leaves out tags that only disabled operations have. */
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
