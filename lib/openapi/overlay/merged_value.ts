import { isObject, type JsonObject } from "../../schema/json/node.ts";
import { escapeToken, parsePointer } from "../../schema/json/pointer.ts";
import type { Source } from "../../schema/json/source.ts";
import { type Work, WRITE_STEPS } from "./work.ts";

/** The place where a value was written: in the definition or in an overlay. */
export interface Origin {
  readonly source: Source;
  readonly pointer: string;
}

/** An existing value and an update that can't be merged, since they are of different kinds. */
export interface Mismatch {
  /** The place of the update in the overlay. */
  readonly origin: Origin;
  readonly before: unknown;
  readonly after: unknown;
}

/** The keys and indexes that lead from the root to a value. */
export type Keys = readonly (string | number)[];

/** A tree of the values to remove, by their keys. */
interface Removal {
  isRemoved: boolean;
  readonly parts: Map<string, Removal>;
}

type Container = JsonObject | unknown[];

/**
 * The value of a definition while overlays change it. The parsed values of the texts must stay unchanged, so each
 * object is copied before its first change (copy-on-write). Records the origin of each value that an overlay has added,
 * or whose index has changed.
 */
export class MergedValue {
  #root: unknown;
  readonly #source: Source;
  readonly #work: Work;
  /** The objects and arrays that were copied and occur in one place only, so that they may be changed. */
  readonly #own = new Set<object>();
  /**
   * The origins of parts, by container (object or array) and key. A part that an overlay has added has an `Origin`. An
   * item whose index has changed has its former index. A part without an entry comes from the place of its container,
   * under the same key.
   */
  readonly #moved = new Map<object, Map<string, Origin | string>>();

  constructor(source: Source, work: Work) {
    this.#root = source.value;
    this.#source = source;
    this.#work = work;
  }

  get value(): unknown {
    return this.#root;
  }

  /** The place where the value at a JSON Pointer was written. */
  originOf(pointer: string): Origin {
    let origin: Origin = { source: this.#source, pointer: "" };
    let at: unknown = this.#root;
    for (const token of parsePointer(pointer)) {
      origin = this.#originOfPart(at, token, origin);
      at = isContainer(at) && Object.hasOwn(at, token) ? (at as JsonObject)[token] : undefined;
    }
    return origin;
  }

  /** The value under some keys; `undefined` where there is none. */
  at(keys: Keys): unknown {
    let at = this.#root;
    for (const key of keys) {
      if (!isContainer(at) || !Object.hasOwn(at, key)) return undefined;
      at = (at as JsonObject)[key];
    }
    return at;
  }

  /**
   * Merges an update into the value under some keys. Objects are merged recursively. To an array, the items of an array
   * are appended, or another value as one item. Other values are replaced. For values of different kinds, `mismatch`
   * decides whether the update replaces the existing value.
   */
  update(keys: Keys, value: unknown, origin: Origin, mismatch: (found: Mismatch) => boolean): void {
    const before = this.at(keys);
    this.#work.take(WRITE_STEPS);
    if (before === undefined) return;
    if (Array.isArray(before)) {
      if (Array.isArray(value)) this.#concatenate(this.#ownAt(keys), value, origin);
      else this.#append(this.#ownAt(keys), value, origin);
    } else if (isObject(before) && isObject(value)) {
      this.#merge(this.#ownAt(keys), value, origin, mismatch);
    } else if (isReplaceable(before, value) || mismatch({ origin, before, after: value })) {
      const last = keys.at(-1);
      const parent = this.#ownAt(keys.slice(0, -1));
      if (last !== undefined && parent !== undefined) this.#put(parent, String(last), value, origin);
    }
  }

  /** Removes values. All are removed together, because removing one item changes the indexes of the items after it. */
  remove(places: readonly Keys[]): void {
    const all: Removal = { isRemoved: false, parts: new Map() };
    for (const keys of places) {
      let at = all;
      for (const key of keys) {
        const token = String(key);
        const part: Removal = at.parts.get(token) ?? { isRemoved: false, parts: new Map() };
        at.parts.set(token, part);
        at = part;
      }
      at.isRemoved = true;
    }
    this.#root = this.#without(this.#root, all);
  }

  /**
   * Marks a value and its parts as shared, before the value is added at a second place. A later change at either place
   * then copies it first.
   */
  share(value: unknown): void {
    if (!isContainer(value) || !this.#own.delete(value)) return;
    for (const part of Object.values(value)) this.share(part);
  }

  #without(value: unknown, { parts }: Removal): unknown {
    if (!isContainer(value) || parts.size === 0) return value;
    const copy = this.#ownCopy(value);
    for (const [key, part] of parts) {
      if (!part.isRemoved && Object.hasOwn(copy, key)) set(copy, key, this.#without((copy as JsonObject)[key], part));
    }
    return Array.isArray(copy) ? this.#withoutItems(copy, parts) : this.#withoutMembers(copy, parts);
  }

  #withoutMembers(object: JsonObject, parts: Removal["parts"]): JsonObject {
    for (const [key, { isRemoved }] of parts) {
      if (!isRemoved) continue;
      delete object[key];
      this.#moved.get(object)?.delete(key);
    }
    return object;
  }

  #withoutItems(items: unknown[], parts: Removal["parts"]): unknown[] {
    const known = this.#moved.get(items);
    const moved = new Map<string, Origin | string>();
    let length = 0;
    this.#work.take(items.length * WRITE_STEPS);
    for (let index = 0; index < items.length; index++) {
      if (parts.get(String(index))?.isRemoved === true) continue;
      const origin = known?.get(String(index)) ?? String(index);
      if (origin !== String(length)) moved.set(String(length), origin);
      items[length++] = items[index];
    }
    items.length = length;
    this.#moved.set(items, moved);
    return items;
  }

  #merge(
    target: Container | undefined,
    value: JsonObject,
    origin: Origin,
    mismatch: (found: Mismatch) => boolean,
  ): void {
    if (!isObject(target)) return;
    for (const key of Object.keys(value)) {
      this.#work.take(WRITE_STEPS);
      const after = value[key];
      const from = this.#originOfPart(value, key, origin);
      const before = Object.hasOwn(target, key) ? target[key] : undefined;
      if (isObject(before) && isObject(after)) {
        this.#merge(this.#ownPart(target, key), after, from, mismatch);
      } else if (Array.isArray(before) && Array.isArray(after)) {
        this.#concatenate(this.#ownPart(target, key), after, from);
      } else if (isReplaceable(before, after) || mismatch({ origin: from, before, after })) {
        this.#put(target, key, after, from);
      }
    }
  }

  #concatenate(target: Container | undefined, items: readonly unknown[], origin: Origin): void {
    items.forEach((item, index) => this.#append(target, item, this.#originOfPart(items, String(index), origin)));
  }

  #append(target: Container | undefined, item: unknown, origin: Origin): void {
    if (!Array.isArray(target)) return;
    this.#work.take(WRITE_STEPS);
    this.#movedIn(target).set(String(target.length), origin);
    target.push(item);
  }

  #put(target: Container, key: string, value: unknown, origin: Origin): void {
    set(target, key, value);
    this.#movedIn(target).set(key, origin);
  }

  /**
   * Returns the object or array under some keys, copied if necessary, so that it may be changed; `undefined` where
   * there is none.
   */
  #ownAt(keys: Keys): Container | undefined {
    if (!isContainer(this.#root)) return undefined;
    this.#root = this.#ownCopy(this.#root);
    let at: Container | undefined = this.#root as Container;
    for (const key of keys) at = at && this.#ownPart(at, String(key));
    return at;
  }

  #ownPart(parent: Container, key: string): Container | undefined {
    const part = Object.hasOwn(parent, key) ? (parent as JsonObject)[key] : undefined;
    if (!isContainer(part)) return undefined;
    const copy = this.#ownCopy(part);
    if (copy !== part) set(parent, key, copy);
    return copy;
  }

  #ownCopy(value: Container): Container {
    if (this.#own.has(value)) return value;
    const copy = Array.isArray(value) ? [...value] : { ...value };
    this.#work.take(Array.isArray(copy) ? copy.length : Object.keys(copy).length);
    this.#own.add(copy);
    const moved = this.#moved.get(value);
    if (moved !== undefined) {
      this.#work.take(moved.size * WRITE_STEPS);
      this.#moved.set(copy, new Map(moved));
    }
    return copy;
  }

  /** The origin of a part, given the origin of the object or array that contains it. */
  #originOfPart(value: unknown, key: string, origin: Origin): Origin {
    const moved = isContainer(value) ? this.#moved.get(value)?.get(key) : undefined;
    return typeof moved === "object" ? moved : under(origin, moved ?? key);
  }

  #movedIn(container: object): Map<string, Origin | string> {
    let moved = this.#moved.get(container);
    if (moved === undefined) this.#moved.set(container, moved = new Map());
    return moved;
  }
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

/**
 * Tells whether an update may replace a value without `mismatch`: a scalar may replace a scalar, and any value may
 * replace `null` or nothing.
 */
function isReplaceable(before: unknown, after: unknown): boolean {
  return before === undefined || before === null || (!isContainer(before) && !isContainer(after));
}

function under({ source, pointer }: Origin, key: string): Origin {
  return { source, pointer: `${pointer}/${escapeToken(key)}` };
}

/** Sets a property. Assignment wouldn't work for the name `__proto__`. */
function set(target: Container, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}
