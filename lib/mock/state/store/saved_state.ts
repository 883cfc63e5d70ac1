/**
 * Writes and reads the state of a session as JSON text, for a file. Only collections that the session has written to
 * are saved. Unchanged initial items in them are saved as their keys, since the same seed generates the same items
 * again.
 *
 * @module
 */
import { isObject } from "../../../schema/json/node.ts";
import { Collection } from "./collection.ts";
import { createItem, type Item, scopeKey } from "../item/item.ts";
import { migrateItems, type UnusedItems } from "./migrate_items.ts";
import { noOwnItems, type OwnItems, type Snapshot } from "./own_items.ts";
import type { State } from "./store.ts";
import { readJsonText, writeJson } from "../../../schema/json/json.ts";

const VERSION = 1;

/**
 * Writes a state.
 *
 * @param revision The revision of the state when the snapshot was made.
 * @returns Pieces of the text, each with at most one item, so that requests can be answered in between.
 */
export function* writeState({ own }: Pick<Snapshot, "own">, revision: number): Generator<string> {
  yield `{"version":${VERSION},"revision":${revision},"resources":{`;
  let separator = "\n";
  for (const [name, items] of own) {
    yield `${separator}${writeJson(name)}:`;
    yield* writeItems(items);
    separator = ",\n";
  }
  yield "\n}}\n";
}

function* writeItems({ cleared, collections }: OwnItems): Generator<string> {
  yield `{"cleared":${writeJson(Array.from(cleared.values(), ({ scope }) => scope))},"collections":[`;
  let separator = "\n";
  for (const collection of collections.values()) {
    yield `${separator}{"scope":${writeJson(collection.scope)},"items":[`;
    separator = "\n";
    for (const { key, revision, created, value } of collection) {
      const saved = revision === 0 ? { key } : { key, revision, created, value };
      yield separator + writeJson(saved);
      separator = ",\n";
    }
    yield "]}";
    separator = ",\n";
  }
  yield "]}";
}

/** A state that was read from its text. */
export interface SavedState {
  readonly revision: number;
  readonly resources: ReadonlyMap<string, SavedItems>;
}

interface SavedItems {
  readonly cleared: readonly (readonly string[])[];
  readonly collections: readonly { readonly scope: readonly string[]; readonly items: readonly SavedItem[] }[];
}

/** A saved item; only its key if it is an unchanged initial item. */
type SavedItem = Pick<Item, "key"> & Partial<Pick<Item, "revision" | "created" | "value">>;

/**
 * Reads the text that {@linkcode writeState} wrote.
 *
 * @throws {SyntaxError} If the text isn't JSON.
 * @throws {TypeError} If the JSON isn't a state. The message says why.
 */
export function readState(text: string): SavedState {
  const saved: unknown = readJsonText(text);
  if (!isObject(saved) || !isObject(saved["resources"])) throw new TypeError("It isn't the state of a mock server.");
  if (saved["version"] !== VERSION) {
    throw new TypeError(`Its version is ${writeJson(saved["version"])}, but this gw reads version ${VERSION}.`);
  }
  const resources = Object.entries(saved["resources"]).map(([name, items]) => [name, readItems(name, items)] as const);
  return { revision: readNumber(saved["revision"], "revision"), resources: new Map(resources) };
}

function readItems(name: string, items: unknown): SavedItems {
  const place = `resources.${name}`;
  if (!isObject(items)) throw new TypeError(`${place} isn't an object.`);
  return {
    cleared: readList(items["cleared"], `${place}.cleared`).map((scope) => readScope(scope, `${place}.cleared`)),
    collections: readList(items["collections"], `${place}.collections`).map((collection, index) => {
      const inner = `${place}.collections[${index}]`;
      if (!isObject(collection)) throw new TypeError(`${inner} isn't an object.`);
      return {
        scope: readScope(collection["scope"], `${inner}.scope`),
        items: readList(collection["items"], `${inner}.items`).map((item, at) =>
          readItem(item, `${inner}.items[${at}]`)
        ),
      };
    }),
  };
}

function readItem(item: unknown, place: string): SavedItem {
  if (!isObject(item) || typeof item["key"] !== "string") throw new TypeError(`${place} has no key.`);
  const { key, value } = item;
  if (value === undefined) return { key };
  if (!isObject(value)) throw new TypeError(`${place}.value isn't an object.`);
  return {
    key,
    value,
    revision: readNumber(item["revision"], `${place}.revision`),
    created: readNumber(item["created"], `${place}.created`),
  };
}

function readList(value: unknown, place: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`${place} isn't a list.`);
  return value;
}

function readScope(value: unknown, place: string): readonly string[] {
  return readList(value, place).map((part) => {
    if (typeof part !== "string") throw new TypeError(`${place} has a value that isn't a text.`);
    return part;
  });
}

function readNumber(value: unknown, place: string): number {
  if (!Number.isSafeInteger(value)) throw new TypeError(`${place} isn't a whole number.`);
  return Number(value);
}

/**
 * Replaces the state of a session by a saved one.
 *
 * The definition may have changed since, or the resources that are inferred from it. If a resource was joined with
 * another one, or its items have other parents now, the items are migrated. Resources that no definition has any more
 * are kept, in case a later definition has them again.
 *
 * @returns The items that no operation shows.
 * @throws {StateFullError} If the items exceed a limit. The session is then in its initial state.
 */
export async function loadState(state: State, saved: SavedState): Promise<UnusedItems[]> {
  const { initial } = state;
  const own = new Map<string, OwnItems>();
  for (const [name, { cleared, collections }] of saved.resources) {
    await initial.prepare(name);
    const items = noOwnItems();
    for (const scope of cleared) items.cleared.set(scopeKey(scope), new Collection(scope));
    for (const { scope, items: savedItems } of collections) {
      const begun = savedItems.some(({ value }) => value === undefined) ? initial.collection(name, scope) : undefined;
      const restored = savedItems.flatMap(({ key, value, revision = 0, created = 0 }) =>
        value === undefined ? begun?.get(key) ?? [] : createItem({ key, scope, value }, revision, created)
      );
      items.collections.set(scopeKey(scope), new Collection(scope, restored));
    }
    own.set(name, items);
  }
  const unused = await migrateItems(own, initial);
  state.load(own, saved.revision);
  return unused;
}
