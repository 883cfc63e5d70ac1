/**
 * Makes the initial items of a resource in a scope: the definition's examples, then generated items. The same seed and
 * scope give the same items.
 *
 * @module
 */
import type { Check, DocumentValidator } from "../../schema/document_validator.ts";
import { isObject, type JsonObject } from "../../schema/node.ts";
import type { BodyGenerator } from "../generate/generate.ts";
import { hashWith } from "../generate/random.ts";
import type { Resource } from "../infer/resource.ts";
import { textAt } from "./collection.ts";
import { initialValuesOf } from "./initial_values.ts";
import { createItem, type Item } from "./item.ts";
import { itemExamples } from "./item_examples.ts";
import { withPart } from "./parts.ts";
import { sizeOf } from "./size_of.ts";

/** The most memory in bytes of the items generated for a list. The list ends there. */
const MOST_LIST_BYTES = 16 * 1024 * 1024;
/** The budget in steps for each generated item but the first. */
const MOST_WORK = 150_000;
/** The generator makes small bodies in blocks of ten consecutive seeds, within which they differ. */
const SEEDS_OF_BLOCK = 10;
/** The range of seeds over which scopes are spread by their hash. */
const MOST_SEEDS = 1_000_000;
/** The list ends after this many generated bodies in a row whose id was taken. */
const MOST_FAILURES = 5;

/** A resource, prepared so that its items can be made synchronously. */
export interface ItemMaker {
  readonly resource: Resource;
  /** The valid examples of items in the definition. */
  readonly examples: readonly JsonObject[];
  readonly check: Check;
  readonly generate: (seed: number, work: number | undefined) => unknown;
  /** The field values by which lists filter by default. Generated items get these, so that lists show them. */
  readonly listed: JsonObject;
  /** Whether an operation finds items by their id alone, without the scope. Then ids must differ between scopes. */
  readonly hasGlobalIds: boolean;
}

/** Says which initial items to make. */
export interface ItemRequest {
  readonly scope: readonly string[];
  /** The number of items, if there are fewer examples. */
  readonly count: number;
  readonly seed: number;
  /** Whether the examples belong to this scope. */
  readonly hasExamples: boolean;
}

/** Prepares a resource for making its initial items. */
export function createItemMaker(
  resource: Resource,
  generator: BodyGenerator,
  validator: DocumentValidator,
): ItemMaker {
  const check = validator.checkOf(resource.schema, "response");
  return {
    resource,
    check,
    examples: itemExamples(resource).filter((example) => check(example).length === 0),
    generate: (seed, work) => {
      const options = work === undefined ? { seed } : { seed, work: { left: work } };
      const body = generator.generate(resource.schema, options);
      return body.kind === "body" ? body.value : undefined;
    },
    listed: initialValuesOf({ resource, kind: "create" }),
    hasGlobalIds: resource.bindings.some(({ idParameter, scopeParameters }) =>
      idParameter !== undefined && scopeParameters.includes(undefined)
    ),
  };
}

/** Makes the initial items of a scope, each with its own id. A singleton has one item, whatever the count. */
export function makeInitialItems(maker: ItemMaker, request: ItemRequest): Item[] {
  const { resource: { isSingleton } } = maker;
  const count = isSingleton ? 1 : request.count;
  const made = new Map<string, JsonObject>();
  if (request.hasExamples && count > 0) {
    for (const example of maker.examples) {
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
  }
  return Array.from(
    made,
    ([key, value], index) => createItem({ key, scope: request.scope, value }, 0, index - made.size),
  );
}

/** Adds an item under its id. Returns false, and doesn't add the item, if its id is missing or taken. */
function addItem(
  maker: ItemMaker,
  { scope }: ItemRequest,
  made: Map<string, JsonObject>,
  value: JsonObject,
  isGenerated: boolean,
): boolean {
  const { resource } = maker;
  let placed = isGenerated ? withListed(maker, value) : value;
  resource.scope.forEach(({ property }, index) => {
    if (property !== undefined) placed = withText(maker, placed, property, scope[index] ?? "") ?? placed;
  });
  if (resource.isSingleton) {
    made.set("", placed);
    return true;
  }
  if (isGenerated) placed = withId(maker, placed, made, scope);
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
 * Adds the missing properties of an item from another example with the same id: the example of a list may be shorter
 * than that of the item.
 */
function completeItem({ resource, check }: ItemMaker, made: Map<string, JsonObject>, example: JsonObject): void {
  const key = resource.isSingleton ? "" : textAt({ value: example }, resource.id);
  const item = key === undefined ? undefined : made.get(key);
  if (key === undefined || item === undefined) return;
  const completed = { ...example, ...item };
  if (check(completed).length === 0) made.set(key, completed);
}

/**
 * The generated item with an id that isn't taken. The next number replaces ids that are numbers, and ids that are
 * taken.
 */
function withId(
  maker: ItemMaker,
  value: JsonObject,
  made: ReadonlyMap<string, JsonObject>,
  scope: readonly string[],
): JsonObject {
  const { resource: { id }, hasGlobalIds } = maker;
  const key = textAt({ value }, id);
  const isNumber = key !== undefined && /^-?\d{1,15}$/.test(key);
  if (key !== undefined && !isNumber && !made.has(key)) return value;
  let number = made.size + 1 + (hasGlobalIds ? SEEDS_OF_BLOCK * hashOf(scope) : 0);
  while (made.has(String(number))) number++;
  return withText(maker, value, id, String(number)) ??
    (key === undefined ? undefined : withText(maker, value, id, `${key}-${number}`)) ?? value;
}

/** Puts a text, or the number that it represents, at a path of a value. `undefined` if both make the value invalid. */
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

/** The distance of a scope's first seed from the session's seed. 0 without a scope. */
function seedOffset({ resource }: ItemMaker, scope: readonly string[]): number {
  return resource.scope.length === 0 ? 0 : SEEDS_OF_BLOCK * hashOf(scope);
}

function hashOf(scope: readonly string[]): number {
  return scope.length === 0 ? 0 : scope.reduce(hashWith, 0) % MOST_SEEDS;
}
