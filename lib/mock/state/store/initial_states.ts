/**
 * Makes the initial states of a server's resources, one for each seed.
 *
 * @module
 */
import { BoundedCache } from "../../../http/limits/bounded_cache.ts";
import type { JsonObject } from "../../../schema/json/node.ts";
import { hashWith } from "../../generate/random.ts";
import type { Resource, Resources } from "../../infer/resource.ts";
import { Collection, NO_ITEMS, textAt } from "./collection.ts";
import { type ItemMaker, makeInitialItems } from "./initial_items.ts";
import type { InitialState } from "./initial_state.ts";
import { createItem, fitsScope, isWhole, type Item, scopeKey, type ScopePattern } from "../item/item.ts";
import { ItemMakers, type MakerOptions } from "./item_makers.ts";
import { scopeAbove } from "../item/item_place.ts";
import { type Parent, parentOf } from "../item/parent_of.ts";
import { type ReferenceSource, type ReferenceTarget, withReferences } from "../item/relations.ts";
import { ViewCache } from "./view_cache.ts";

export const DEFAULT_ITEMS = 3;
/** Limit of the scopes that `scopes()` lists for a resource. */
const MOST_SCOPES = 1000;
/**
 * Limits of the initial items of the scopes that `scopes()` lists, and of their memory in bytes, since reads over all
 * scopes generate all of them.
 */
const MOST_LISTED = 10_000;
const MOST_LISTED_BYTES = 16 * 1024 * 1024;
/** Limit of the resources and seeds whose scopes' positions are cached, each for up to {@linkcode MOST_SCOPES} scopes. */
const MOST_POSITIONS = 500;
/**
 * Limit of the memory of all initial collections, in bytes. When it is exceeded, all are dropped; each is generated
 * again at its next use.
 */
const MOST_BYTES = 64 * 1024 * 1024;
/** Limit of the items among which a generated reference, such as `customerId`, chooses its target. */
const MOST_REFERRED = 100;
/**
 * Limit of the seeds whose initial state is cached. A session keeps a reference to its own initial state in any case.
 */
const MOST_SEEDS = 100;

export interface InitialStatesOptions extends MakerOptions {
  /** The number of items in each initial collection, if the definition has fewer examples. Default: 3. */
  readonly items?: number | undefined;
  /** Lets other work run between two slices of long work. Default: all work is one slice. */
  readonly rest?: (() => Promise<void>) | undefined;
}

export type InitialStates = (seed: number) => InitialState;

/** Makes the initial states of a server's resources. Each collection is generated at its first use. */
export function createInitialStates({ all }: Pick<Resources, "all">, options: InitialStatesOptions): InitialStates {
  const shared = new Shared(all, options);
  const states = new BoundedCache<number, InitialState>(MOST_SEEDS);
  return (seed) => states.of(seed, () => new GeneratedState(shared, seed));
}

/** The objects that the initial states of all seeds share. */
class Shared {
  readonly count: number;
  readonly rest: (() => Promise<void>) | undefined;
  readonly makers: ItemMakers;
  readonly views = new ViewCache();
  /** The positions of scopes, by seed and resource. They stay when the collections are dropped. */
  readonly positions = new BoundedCache<string, ReadonlyMap<string, number>>(MOST_POSITIONS);
  /** Estimated memory of the collections of all seeds, in bytes. */
  bytes = 0;
  /** Incremented when all collections are dropped. An initial state with an older number clears its own. */
  generation = 0;

  constructor(all: readonly Resource[], { items = DEFAULT_ITEMS, rest, ...options }: InitialStatesOptions) {
    this.count = items;
    this.rest = rest;
    this.makers = new ItemMakers(all, options);
  }

  /** Adds the memory of a new collection to the total. Above {@linkcode MOST_BYTES}, drops all collections and views. */
  keep({ bytes }: Collection): void {
    this.bytes += bytes;
    if (this.bytes <= MOST_BYTES) return;
    this.bytes = bytes;
    this.generation++;
    this.views.clear();
  }
}

class GeneratedState implements InitialState {
  readonly #shared: Shared;
  readonly #seed: number;
  #collections = new Map<string, Collection>();
  /** The resources all of whose scopes are filled. */
  #whole = new Set<string>();
  readonly #filling = new Map<string, Promise<void>>();
  #generation = 0;

  constructor(shared: Shared, seed: number) {
    this.#shared = shared;
    this.#seed = seed;
  }

  get views(): ViewCache {
    return this.#shared.views;
  }

  get resources(): Iterable<Resource> {
    return this.#shared.makers.resources.values();
  }

  prepare(resource: string): Promise<void> | undefined {
    return this.#shared.makers.prepare(resource);
  }

  collection(name: string, scope: readonly string[]): Collection {
    const maker = this.#shared.makers.get(name);
    if (maker === undefined) return NO_ITEMS;
    this.#dropOld();
    const key = `${name} ${scopeKey(scope)}`;
    const known = this.#collections.get(key);
    if (known !== undefined) return known;
    return this.#keep(key, runToEnd(this.#make(maker, scope)), maker);
  }

  fill(name: string, scope: ScopePattern): Promise<void> | undefined {
    const { rest, makers } = this.#shared;
    const maker = rest === undefined ? undefined : makers.get(name);
    if (rest === undefined || maker === undefined) return undefined;
    if (!isWhole(scope)) {
      this.#dropOld();
      return this.#whole.has(name) ? undefined : this.#fillOnce(`${name} *`, () => this.#fillAll(maker));
    }
    const key = `${name} ${scopeKey(scope)}`;
    if (this.#has(key) || this.#isOrphan(maker, scope)) return undefined;
    return this.#fillOnce(key, () => this.#fill(maker, scope, key, rest));
  }

  #fillOnce(key: string, fill: () => Promise<void>): Promise<void> {
    let filling = this.#filling.get(key);
    if (filling === undefined) {
      filling = fill().finally(() => this.#filling.delete(key));
      this.#filling.set(key, filling);
    }
    return filling;
  }

  /** Fills all scopes that can be listed. */
  async #fillAll(maker: ItemMaker): Promise<void> {
    const { resource } = maker;
    const parent = parentOf(resource);
    if (parent !== undefined) await this.fill(parent.resource.name, parent.resource.scope.map(() => undefined));
    let items = 0;
    let bytes = 0;
    for (const scope of this.#scopes(maker)) {
      if (items >= MOST_LISTED || bytes >= MOST_LISTED_BYTES) break;
      await this.fill(resource.name, scope);
      const collection = this.collection(resource.name, scope);
      items += collection.size;
      bytes += collection.bytes;
    }
    this.#whole.add(resource.name);
  }

  /** Whether the items of the parents are there, and the parent of a scope isn't among them. */
  #isOrphan({ resource }: ItemMaker, scope: readonly string[]): boolean {
    const parent = parentOf(resource);
    const above = parent && scopeAbove(parent.resource, scope, parent.index);
    if (parent === undefined || above === undefined || !isWhole(above)) return false;
    const known = this.#collections.get(`${parent.resource.name} ${scopeKey(above)}`);
    return known !== undefined && known.get(scope[parent.index] ?? "") === undefined;
  }

  async #fill(maker: ItemMaker, scope: readonly string[], key: string, rest: () => Promise<void>): Promise<void> {
    const { resource } = maker;
    const parent = parentOf(resource);
    const above = parent && scopeAbove(parent.resource, scope, parent.index);
    if (parent !== undefined && above !== undefined && isWhole(above)) await this.fill(parent.resource.name, above);
    for (const { target } of this.#shared.makers.references.withoutCycles(resource)) {
      if (target.scope.length === 0) await this.fill(target.name, []);
    }
    if (this.#has(key)) return;
    const steps = this.#make(maker, scope);
    let step = steps.next();
    while (step.done !== true) {
      await rest();
      step = steps.next();
    }
    // Another request may have needed the items meanwhile.
    if (!this.#has(key)) this.#keep(key, step.value, maker);
  }

  #has(key: string): boolean {
    this.#dropOld();
    return this.#collections.has(key);
  }

  #keep(key: string, collection: Collection, { resource }: ItemMaker): Collection {
    if (collection.size === 0 && resource.scope.length > 0) return collection;
    this.#shared.keep(collection);
    this.#dropOld();
    this.#collections.set(key, collection);
    return collection;
  }

  /** Drops the collections if the collections of all seeds together exceeded {@linkcode MOST_BYTES}. */
  #dropOld(): void {
    if (this.#generation === this.#shared.generation) return;
    this.#generation = this.#shared.generation;
    this.#collections = new Map();
    this.#whole = new Set();
  }

  scopes(name: string): Iterable<readonly string[]> {
    const maker = this.#shared.makers.get(name);
    return maker === undefined ? [] : this.#listed(maker);
  }

  /** The scopes of a resource, up to the limits of their initial items. */
  *#listed(maker: ItemMaker): Generator<readonly string[]> {
    let items = 0;
    let bytes = 0;
    for (const scope of this.#scopes(maker)) {
      if (items >= MOST_LISTED || bytes >= MOST_LISTED_BYTES) return;
      yield scope;
      const collection = this.collection(maker.resource.name, scope);
      items += collection.size;
      bytes += collection.bytes;
    }
  }

  mayHaveItems(name: string, prefix: readonly string[]): boolean {
    const resource = this.#shared.makers.resources.get(name);
    const parent = resource && parentOf(resource);
    if (parent === undefined) return resource !== undefined;
    const key = prefix[parent.index];
    if (key === undefined) return this.mayHaveItems(parent.resource.name, prefix);
    if (!this.#shared.makers.isPrepared(parent.resource.name)) return true;
    return find(this.#parentsOf(parent, prefix), key) !== undefined;
  }

  /** The collections among whose items the parent of a scope is. */
  #parentsOf({ resource, index }: Parent, scope: readonly string[]): Iterable<Collection> {
    return this.#collectionsIn(resource, scopeAbove(resource, scope, index));
  }

  /** The collections of all matching scopes, as far as the scopes can be listed. Each is made when it is reached. */
  *#collectionsIn({ name }: Resource, pattern: ScopePattern): Generator<Collection> {
    if (isWhole(pattern)) {
      yield this.collection(name, pattern);
      return;
    }
    for (const scope of this.scopes(name)) if (fitsScope(scope, pattern)) yield this.collection(name, scope);
  }

  /**
   * Generates the initial items of a scope, with a step for each. Below a parent that isn't an initial item itself, there
   * are none.
   */
  *#make(maker: ItemMaker, scope: readonly string[]): Generator<undefined, Collection> {
    const { resource } = maker;
    const parent = parentOf(resource);
    let { examples } = maker;
    if (parent !== undefined) {
      const key = scope[parent.index] ?? "";
      if (find(this.#parentsOf(parent, scope), key) === undefined) return new Collection(scope);
      examples = this.#examplesBelow(maker, parent, scope, key);
    }
    const { count } = this.#shared;
    const items = yield* makeInitialItems(maker, {
      scope,
      count,
      seed: this.#seed,
      examples,
      position: this.#positionOf(maker, scope),
    });
    const related: Item[] = [];
    for (const [index, item] of items.entries()) {
      related.push(this.#withReferences(maker, item, index));
      yield;
    }
    return new Collection(scope, related);
  }

  /** The position of a scope among those with initial items, for a resource whose ids are unique across scopes. */
  #positionOf(maker: ItemMaker, scope: readonly string[]): number | undefined {
    if (!maker.hasGlobalIds) return undefined;
    const positions = this.#shared.positions.of(
      `${this.#seed} ${maker.resource.name}`,
      () => new Map(this.#scopes(maker).map((scope, position) => [scopeKey(scope), position])),
    );
    return positions.get(scopeKey(scope));
  }

  /**
   * The examples that are items below a parent. The first parent has them, but an example whose id alone identifies it
   * stays below the parent that it names.
   */
  #examplesBelow(maker: ItemMaker, parent: Parent, scope: readonly string[], key: string): readonly JsonObject[] {
    const [first] = firstOf(this.#parentsOf(parent, scope), 1);
    const property = maker.hasGlobalIds ? maker.resource.scope[parent.index]?.property : undefined;
    if (property === undefined) return first?.key === key ? maker.examples : [];
    return maker.examples.filter((value) => {
      const named = textAt({ value }, property);
      const isKnown = named !== undefined && find(this.#parentsOf(parent, scope), named) !== undefined;
      return (isKnown ? named : first?.key) === key;
    });
  }

  /** Replaces the references of an initial item, such as `customerId`, by ids of other initial items. */
  #withReferences({ resource, check }: ItemMaker, item: Item, index: number): Item {
    const references = this.#shared.makers.references.withoutCycles(resource);
    if (references.length === 0) return item;
    const { key, scope, value, revision, created } = item;
    const collectionsOf = ({ target, shared }: ReferenceTarget): Iterable<Collection> =>
      this.#collectionsIn(target, scopeAbove(target, scope, shared));
    const source: ReferenceSource = {
      first: (reference) => firstOf(collectionsOf(reference), MOST_REFERRED),
      // In several scopes, only the first items are searched. Otherwise a reference would make all collections.
      get: (reference, id) =>
        reference.shared === reference.target.scope.length
          ? find(collectionsOf(reference), id)
          : firstOf(collectionsOf(reference), MOST_REFERRED).find(({ key }) => key === id),
    };
    const related = withReferences(value, {}, references, source, hashWith(this.#seed, index));
    if (related === value || check(related).length > 0) return item;
    return createItem({ key, scope, value: related }, revision, created);
  }

  #scopes(maker: ItemMaker): (readonly string[])[] {
    const { resource } = maker;
    if (resource.scope.length === 0) return [[]];
    const parent = parentOf(resource);
    const free = this.#valuesOf(maker, parent === undefined ? 0 : parent.index + 1);
    if (free === undefined) return [];
    if (parent === undefined) return [free];
    const scopes: string[][] = [];
    for (const outer of this.scopes(parent.resource.name)) {
      for (const { key } of this.collection(parent.resource.name, outer)) {
        if (scopes.length >= MOST_SCOPES) return scopes;
        scopes.push([...outer.slice(0, parent.index), key, ...free]);
      }
    }
    return scopes;
  }

  /**
   * Values for the scope parameters from index `from` on, which belong to no resource: taken from the first item.
   * `undefined` if the item doesn't have them.
   */
  #valuesOf(maker: ItemMaker, from: number): string[] | undefined {
    const parameters = maker.resource.scope.slice(from);
    if (parameters.length === 0) return [];
    const value = maker.examples[0] ?? maker.generate(this.#seed, undefined);
    const values: string[] = [];
    for (const { property } of parameters) {
      const text = property === undefined ? undefined : textAt({ value: value as Record<string, unknown> }, property);
      if (text === undefined) return undefined;
      values.push(text);
    }
    return values;
  }
}

function runToEnd<Result>(steps: Generator<undefined, Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

function find(collections: Iterable<Collection>, key: string): Item | undefined {
  for (const collection of collections) {
    const item = collection.get(key);
    if (item !== undefined) return item;
  }
  return undefined;
}

function firstOf(collections: Iterable<Collection>, most: number): Item[] {
  const first: Item[] = [];
  for (const collection of collections) {
    for (const item of collection) {
      if (first.length >= most) return first;
      first.push(item);
    }
  }
  return first;
}
