/**
 * Makes the initial items of a resource in a scope: the definition's examples first, then generated items. The same
 * seed and scope give the same items.
 *
 * @module
 */
import type { Check, DocumentValidator } from "../../../schema/document_validator.ts";
import { isObject, type JsonObject } from "../../../schema/json/node.ts";
import type { BodyGenerator } from "../../generate/generate.ts";
import { hashWith } from "../../generate/random.ts";
import type { Resource } from "../../infer/resource.ts";
import { textAt } from "./collection.ts";
import { initialValuesOf } from "./initial_values.ts";
import { createItem, type Item } from "../item/item.ts";
import { itemExamples } from "./item_examples.ts";
import { needsParent } from "../item/item_place.ts";
import { withPart } from "../../../schema/json/parts.ts";
import { sizeOf } from "./size_of.ts";

/** Limit of the memory of one generated collection, in bytes. Beyond it, no further items are generated. */
const MOST_LIST_BYTES = 16 * 1024 * 1024;
/**
 * The generator's step budget for each item but the first. The first item has the generator's default budget, so that a
 * collection isn't empty for lack of steps.
 */
const MOST_WORK = 150_000;
/**
 * Seeds come in blocks of ten: the generator makes sure that small bodies of one block differ. The seeds of two scopes
 * are in different blocks.
 */
const SEEDS_OF_BLOCK = 10;
/** The hash of a scope is taken modulo this number, to choose the scope's block of seeds. */
const MOST_SEEDS = 1_000_000;
/** Generation ends after this many bodies in a row whose id was taken. */
const MOST_FAILURES = 5;

/** A resource, prepared so that its items can be made synchronously. */
export interface ItemMaker {
  readonly resource: Resource;
  /** The valid examples of items in the definition. */
  readonly examples: readonly JsonObject[];
  /** The ids of the examples, if ids are unique across scopes; else empty. */
  readonly exampleKeys: ReadonlySet<string>;
  readonly check: Check;
  readonly generate: (seed: number, work: number | undefined) => unknown;
  /**
   * The defaults of list filters, such as `state: open`. Generated items get these values; otherwise lists without a
   * query would omit them.
   */
  readonly listed: JsonObject;
  /** Whether an operation finds items without the ids of all parents. Then initial ids are unique across scopes. */
  readonly hasGlobalIds: boolean;
}

/** The input of `makeInitialItems()`. */
export interface ItemRequest {
  readonly scope: readonly string[];
  /** The number of items to reach by generated ones. All examples are used, even if they are more. */
  readonly count: number;
  readonly seed: number;
  /** The examples of the definition that are items of this scope. */
  readonly examples: readonly JsonObject[];
  /** The position of the scope among those with initial items; `undefined` if it isn't known. */
  readonly position: number | undefined;
}

export function createItemMaker(
  resource: Resource,
  generator: BodyGenerator,
  validator: DocumentValidator,
): ItemMaker {
  const check = validator.checkOf(resource.schema, "response");
  const examples = itemExamples(resource).filter((example) => check(example).length === 0);
  const hasGlobalIds = resource.scope.some((_, position) => !needsParent(resource, position));
  return {
    resource,
    check,
    examples,
    exampleKeys: new Set(hasGlobalIds ? examples.flatMap((value) => textAt({ value }, resource.id) ?? []) : []),
    generate: (seed, work) => {
      const options = work === undefined ? { seed } : { seed, work: { left: work } };
      const body = generator.generate(resource.schema, options);
      return body.kind === "body" ? body.value : undefined;
    },
    listed: initialValuesOf({ resource, kind: "create" }),
    hasGlobalIds,
  };
}

/**
 * Makes the initial items of a scope, with a step for each. A singleton has one item, whatever the count.
 *
 * @returns The items, after the last step.
 */
export function* makeInitialItems(maker: ItemMaker, request: ItemRequest): Generator<undefined, Item[]> {
  const { resource: { isSingleton } } = maker;
  const count = isSingleton ? 1 : request.count;
  const made = new Map<string, JsonObject>();
  if (count > 0) {
    for (const example of request.examples) {
      if (isSingleton && made.size > 0) break;
      if (!addItem(maker, request, made, example, false)) completeItem(maker, made, example);
    }
  }
  const first = request.seed + seedOffset(maker, request.scope);
  let bytes = 0;
  for (
    let index = 0, failures = 0;
    made.size < count && failures < MOST_FAILURES && bytes < MOST_LIST_BYTES;
    index++
  ) {
    const value = maker.generate(first + index, index === 0 ? undefined : MOST_WORK);
    if (!isObject(value)) break;
    bytes += sizeOf(value);
    failures = addItem(maker, request, made, value, true) ? 0 : failures + 1;
    yield;
  }
  return Array.from(
    made,
    ([key, value], index) => createItem({ key, scope: request.scope, value }, 0, index - made.size),
  );
}

/** Adds an item under its id. Returns false, without adding the item, if its id is missing or taken. */
function addItem(
  maker: ItemMaker,
  request: ItemRequest,
  made: Map<string, JsonObject>,
  value: JsonObject,
  isGenerated: boolean,
): boolean {
  const { resource } = maker;
  const { scope } = request;
  let placed = isGenerated ? withListed(maker, value) : value;
  resource.scope.forEach(({ property }, index) => {
    if (property !== undefined) placed = withText(maker, placed, property, scope[index] ?? "") ?? placed;
  });
  if (resource.isSingleton) {
    made.set("", placed);
    return true;
  }
  if (isGenerated) placed = withId(maker, placed, made, request);
  const key = textAt({ value: placed }, resource.id);
  if (key === undefined || key === "" || made.has(key)) return false;
  made.set(key, placed);
  return true;
}

function withListed({ check, listed }: ItemMaker, value: JsonObject): JsonObject {
  const names = Object.keys(listed).filter((name) => Object.hasOwn(value, name) && value[name] !== listed[name]);
  if (names.length === 0) return value;
  const shown = names.reduce<JsonObject>((shown, name) => ({ ...shown, [name]: listed[name] }), value);
  return check(shown).length === 0 ? shown : value;
}

/**
 * Adds properties to an item from another example with the same id. Otherwise the short example of a list would hide
 * the full one of an item.
 */
function completeItem({ resource, check }: ItemMaker, made: Map<string, JsonObject>, example: JsonObject): void {
  const key = resource.isSingleton ? "" : textAt({ value: example }, resource.id);
  const item = key === undefined ? undefined : made.get(key);
  if (key === undefined || item === undefined) return;
  const completed = { ...example, ...item };
  if (check(completed).length === 0) made.set(key, completed);
}

/**
 * Gives a generated item a free id: ids that are numbers are replaced by consecutive ones, other ids only if they are
 * taken.
 */
function withId(
  maker: ItemMaker,
  value: JsonObject,
  made: ReadonlyMap<string, JsonObject>,
  request: ItemRequest,
): JsonObject {
  const { resource: { id } } = maker;
  const key = textAt({ value }, id);
  const isNumber = key !== undefined && /^-?\d{1,15}$/.test(key);
  if (key !== undefined && !isNumber && !made.has(key)) return value;
  let number = made.size + 1 + firstNumber(maker, request);
  while (made.has(String(number)) || maker.exampleKeys.has(String(number))) number++;
  return withText(maker, value, id, String(number)) ??
    (key === undefined ? undefined : withText(maker, value, id, `${key}-${number}`)) ?? value;
}

/**
 * The number before the ids of a scope. Where ids are unique across scopes, each scope has a block of numbers, which is
 * large enough for its items and for the numbers that are ids of examples.
 */
function firstNumber({ hasGlobalIds, exampleKeys }: ItemMaker, { scope, position, count }: ItemRequest): number {
  if (!hasGlobalIds) return 0;
  return position === undefined ? SEEDS_OF_BLOCK * hashOf(scope) : position * (count + exampleKeys.size);
}

/**
 * Sets a part of an item to a text, or to the number that the text represents, whichever is valid; `undefined` if
 * neither is.
 */
function withText(
  { check }: ItemMaker,
  value: JsonObject,
  path: readonly string[],
  text: string,
): JsonObject | undefined {
  if (textAt({ value }, path) === text) return value;
  const number = Number(text);
  for (const part of String(number) === text ? [number, text] : [text]) {
    const changed = withPart(value, path, part);
    if (isObject(changed) && check(changed).length === 0) return changed;
  }
  return undefined;
}

/** The scope's offset from the session's seed, so that each scope has different items. 0 without a scope. */
function seedOffset({ resource }: ItemMaker, scope: readonly string[]): number {
  return resource.scope.length === 0 ? 0 : SEEDS_OF_BLOCK * hashOf(scope);
}

function hashOf(scope: readonly string[]): number {
  return scope.length === 0 ? 0 : scope.reduce(hashWith, 0) % MOST_SEEDS;
}
